/** Replicas behind nginx, which is configured as docs/deployment.md shows. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { freePort, missingPrograms } from "../../examples/replicas/programs.ts";
import { command, type Found, grpcUrlOf, type Program, root, type Runtime, startProgram } from "../serve/programs.ts";

const missing = missingPrograms({ nginx: "nginx" });
/** Where nginx is, for tests that need it. */
export const nginx: Found = missing === undefined ? { path: "nginx" } : { missing };

/** A block of docs/deployment.md that has this in it, of this language. */
export function documented(language: string, part: string): string {
  const page = readFileSync(join(root, "docs/deployment.md"), "utf8");
  const blocks = Array.from(
    page.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm),
    ([, name = "", text = ""]) => ({ name, text }),
  );
  const found = blocks.filter(({ name, text }) => name === language && text.includes(part));
  if (found.length !== 1) throw new Error(`There are ${found.length} blocks of ${language} with ${part}`);
  return found[0]?.text ?? "";
}

/** Ports of what nginx passes requests to. */
export interface Upstream {
  readonly http: readonly number[];
  readonly grpc: readonly number[];
}

/** nginx by the page: only where it listens, and where replicas do, is another. */
export async function startNginx(
  folder: string,
  upstream: Upstream,
): Promise<{ readonly url: string; readonly grpcUrl: string; readonly program: Program }> {
  const [port, grpcPort] = [await freePort(), await freePort()];
  const site = documented("nginx", "upstream toolwire {")
    .replaceAll(/(upstream toolwire \{\n)(?: +server .*;\n)+/g, `$1${serverLines(upstream.http)}`)
    .replaceAll(/(upstream toolwire_grpc \{\n)(?: +server .*;\n)+/g, `$1${serverLines(upstream.grpc)}`)
    .replace("listen 8080;", `listen 127.0.0.1:${port};`)
    .replace("listen 50050 http2;", `listen 127.0.0.1:${grpcPort} http2;`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
access_log off;
${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
${site}}
`;
  const path = join(folder, "nginx.conf");
  writeFileSync(path, config);
  const program = await startProgram(["nginx", "-p", folder, "-c", path], {
    url: false,
    env: { PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` },
  });
  await program.printed(/start worker process \d+/);
  return { url: `http://127.0.0.1:${port}`, grpcUrl: `http://127.0.0.1:${grpcPort}`, program };
}

function serverLines(ports: readonly number[]): string {
  return ports.map((port) => `  server 127.0.0.1:${port} max_fails=0;\n`).join("");
}

/** A replica that can be restarted with other keys. */
export class Replica {
  /** What it calls itself. */
  readonly name: string;
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  readonly #command: readonly string[];
  #program: Program | undefined;

  private constructor(name: string, port: number, command: readonly string[]) {
    this.name = name;
    this.port = port;
    this.#command = command;
  }

  /** Starts one on a runtime, whose program is at `path`. */
  static async start(name: string, runtime: Runtime, path: string, folder: string, keys: string): Promise<Replica> {
    const port = await freePort();
    const script = "tests/deployment/replica.ts";
    const replica = new Replica(name, port, command(runtime, path, script, name, `${port}`, folder));
    await replica.restart(keys);
    return replica;
  }

  /** Where it listens. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where it serves gRPC. */
  async grpcPort(): Promise<number> {
    return this.#program === undefined ? 0 : Number(new URL(await grpcUrlOf(this.#program)).port);
  }

  /** Ends it as a deployment does, if it runs, and starts it with these keys. */
  async restart(keys: string): Promise<void> {
    const before = this.#program;
    before?.signal("SIGTERM");
    const code = await before?.exited;
    if (code !== undefined && code !== 0) throw new Error(`${this.name} ended with ${code}:\n${before?.output()}`);
    this.#program = await startProgram(this.#command, { env: { TOOLWIRE_KEYS: keys }, cwd: root });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
  }
}
