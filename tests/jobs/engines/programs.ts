/** Real servers for tests, each in a separate folder, on a free port of 127.0.0.1. They end with the test. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Found } from "../../serve/programs.ts";

/** A running server. */
export interface TestServer {
  /** URL for clients. */
  readonly url: string;
  /** Kills the server. Its files remain. */
  crash(): Promise<void>;
  /** Starts the server again on the same port, with its files. */
  restart(): Promise<void>;
  /** Stops the server permanently and deletes its files. */
  stop(): Promise<void>;
}

/** Programs of a server. */
export type ServerName = "redis" | "postgres";

const PROGRAMS = { redis: ["redis-server"], postgres: ["initdb", "postgres"] } as const;
const START_MS = 60_000;
const running = new Set<number>();
process.once("exit", () => running.forEach((pid) => endGroup(pid, "SIGKILL")));

/** Whether a server can be started here: for {@link testWith}, which starts runtimes by itself. */
export function findServer(server: ServerName): Found {
  const missing = PROGRAMS[server].filter((name) => findServerProgram(name) === undefined);
  if (missing.length > 0) return { missing: `${missing.join(" and ")} not installed` };
  if (server === "postgres" && isRoot() && userOf("postgres") === undefined) {
    return { missing: "PostgreSQL does not run as root, and there is no user postgres" };
  }
  return { path: server };
}

/**
 * Reason why a server cannot be started; `false` if it can.
 *
 * @throws {Error} In CI, where no such test may be skipped.
 */
export function skipReason(server: ServerName): string | false {
  const found = findServer(server);
  if (!("missing" in found)) return false;
  if (process.env["CI"]) throw new Error(`Cannot run in CI: ${found.missing}`);
  return found.missing;
}

/** Starts Redis, in memory or, to keep its data after a restart, on disk. */
export async function startRedis(options: { readonly isPersistent?: boolean } = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-redis-"));
  const port = await freePort();
  const persistence = options.isPersistent
    ? ["--appendonly", "yes", "--appendfsync", "always"]
    : ["--appendonly", "no"];
  const settings = ["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder, "--save", "", ...persistence];
  const command = [mustFind("redis-server"), ...settings, "--maxmemory-policy", "noeviction"];
  return await runServer(`redis://127.0.0.1:${port}`, folder, command, /Ready to accept connections/);
}

/** Starts PostgreSQL with an empty database. */
export async function startPostgres(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "toolwire-postgres-"));
  const user = isRoot() ? userOf("postgres") : undefined;
  const data = join(folder, "data");
  await mkdir(data);
  await chmod(data, 0o700);
  if (user !== undefined) { for (const path of [folder, data]) await chown(path, user.uid, user.gid); }
  const init = ["-D", data, "-U", "toolwire", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(mustFind("initdb"), init, { cwd: folder, encoding: "utf8", ...user });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error ?? ""}`);
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    fsync: "off",
    max_connections: 200,
    log_min_messages: "log",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = [mustFind("postgres"), "-D", data, ...flags];
  const url = `postgres://toolwire@127.0.0.1:${port}/postgres`;
  return await runServer(url, folder, command, /database system is ready to accept connections/, user);
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

async function runServer(
  url: string,
  folder: string,
  command: readonly string[],
  ready: RegExp,
  user?: User,
): Promise<TestServer> {
  let current = await startProcess(command, folder, ready, user);
  return {
    url,
    crash: () => current.end(),
    async restart() {
      current = await startProcess(command, folder, ready, user);
    },
    async stop() {
      await current.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface ServerProcess {
  end(): Promise<void>;
}

async function startProcess(
  [file = "", ...args]: readonly string[],
  cwd: string,
  ready: RegExp,
  user: User | undefined,
): Promise<ServerProcess> {
  // A separate process group, so that the children of PostgreSQL end with it.
  const child = spawn(file, args, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"], ...user });
  const { pid = 0 } = child;
  running.add(pid);
  let output = "";
  let hasEnded = false;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true;
      running.delete(pid);
      resolve();
    };
    child.once("error", end);
    child.once("close", end);
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const dueMs = Date.now() + START_MS;
  while (!ready.test(output)) {
    if (hasEnded || Date.now() > dueMs) {
      endGroup(pid, "SIGKILL");
      throw new Error(`${file} did not start:\n${output}`);
    }
    await sleep(20);
  }
  return {
    async end() {
      // PostgreSQL shuts down at once. If it were killed, its children would have to notice.
      if (!hasEnded) endGroup(pid, file.endsWith("postgres") ? "SIGQUIT" : "SIGKILL");
      await exited;
    },
  };
}

function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** Finds a program on the `PATH`, or in the folder of Debian for programs that are not there. */
function findServerProgram(name: string): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function mustFind(name: string): string {
  const path = findServerProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function userOf(name: string): User | undefined {
  const [uid, gid] = ["-u", "-g"].map((flag) => {
    const { status, stdout } = spawnSync("id", [flag, name], { encoding: "utf8" });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

/** Returns a free port. Another process could take it before it is used, which is unlikely. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
