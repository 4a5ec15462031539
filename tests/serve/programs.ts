/**
 * Real programs as child processes: started on port 0, found by the URL they print, ended by their own process group.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A program that runs. */
export interface Program extends AsyncDisposable {
  /** The URL it printed, without a slash at its end. */
  readonly url: string;
  /** Its process id. */
  readonly pid: number;
  /** All it has printed, on both channels. */
  output(): string;
  /** Resolves when it has printed something that matches. */
  printed(pattern: RegExp, withinMs?: number): Promise<RegExpMatchArray>;
  /** Writes a line to its input. */
  tell(line: string): void;
  /** Sends it a signal. */
  signal(name: NodeJS.Signals): void;
  /** Its exit code, once it has ended; `null` if a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Options of {@link startProgram}. */
export interface StartOptions {
  /** What its URL looks like; `false` if it prints none. */
  readonly url?: RegExp | false;
  /** Where it runs. Default: the repository's root. */
  readonly cwd?: string;
  /** Beside the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A bound for a program that hangs, not for one that starts slowly beside others. */
const START_MS = 60_000;
const running = new Set<number>();
process.once("exit", () => running.forEach(endGroup));

/** Starts a program and waits for the URL that it prints. */
export async function startProgram(command: readonly string[], options: StartOptions = {}): Promise<Program> {
  const [file = "", ...args] = command;
  // Its own process group, so that what a wrapper starts ends with it.
  const child = spawn(file, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, NO_COLOR: "1", ...options.env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid = 0 } = child;
  running.add(pid);
  let output = "";
  let hasExited = false;
  const watchers = new Set<() => void>();
  const take = (text: string) => {
    output += text;
    watchers.forEach((look) => look());
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  child.stdin.on("error", () => {});
  const exited = new Promise<number | null>((resolve) => {
    const end = (code: number | null) => {
      hasExited = true;
      running.delete(pid);
      take("");
      resolve(code);
    };
    child.once("error", (error) => {
      take(String(error));
      end(-1);
    });
    child.once("close", end);
  });
  const printed = (pattern: RegExp, withinMs: number = START_MS): Promise<RegExpMatchArray> =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        watchers.delete(look);
      };
      const fail = (why: string) => {
        stop();
        reject(new Error(`${command.join(" ")} ${why} ${pattern}; it printed:\n${output}`));
      };
      const timer = setTimeout(() => fail(`did not print within ${withinMs} ms`), withinMs);
      const look = () => {
        const match = output.match(pattern);
        if (match !== null) {
          stop();
          resolve(match);
        } else if (hasExited) fail("ended before it printed");
      };
      watchers.add(look);
      look();
    });
  const program = {
    url: "",
    pid,
    output: () => output,
    printed,
    tell: (line: string) => void child.stdin.write(`${line}\n`),
    // After child.kill() Deno reports the signal in place of the status, whatever the program did.
    signal: (name: NodeJS.Signals) => void (hasExited || process.kill(pid, name)),
    exited,
    async [Symbol.asyncDispose]() {
      if (!hasExited) endGroup(pid);
      await exited;
    },
  };
  if (options.url === false) return program;
  try {
    const [url] = await printed(options.url ?? /https?:\/\/[^\s/?]+/);
    return { ...program, url };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Where a program serves gRPC, which it prints beside its URL. */
export async function grpcUrlOf(server: Program): Promise<string> {
  const [, url = ""] = await server.printed(/gRPC on (\S+)\./);
  return url;
}

/** Output of a finished program. */
export interface Finished {
  /** Its exit code. */
  readonly code: number | null;
  /** What it wrote to its output. */
  readonly stdout: string;
  /** What it wrote to its error channel. */
  readonly stderr: string;
}

/** Runs a program to its end. */
export function runProgram(
  command: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly withinMs?: number;
  } = {},
): Promise<Finished> {
  const [file = "", ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, NO_COLOR: "1", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const timer = setTimeout(() => child.kill("SIGKILL"), options.withinMs ?? 60_000);
    const end = (code: number | null) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    };
    child.once("error", (error) => {
      stderr += String(error);
      end(-1);
    });
    child.once("close", end);
  });
}

/** A program that tests need: where it is, or why it is not there. */
export type Found = { readonly path: string } | { readonly missing: string };

/** Finds a program among the development dependencies, else on the `PATH`. */
export function findProgram(name: string): Found {
  const folders = [join(root, "node_modules/.bin"), ...(process.env["PATH"] ?? "").split(delimiter)];
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  return path === undefined ? { missing: `${name} is not installed` } : { path };
}

/**
 * A test that needs programs: without one it is skipped, by name and reason; in CI it fails.
 *
 * Such tests start the runtimes themselves, so that they run under Bun alone: everywhere else they would only be repeated.
 */
export function testWith<const Needs extends readonly Found[]>(
  name: string,
  needs: Needs,
  run: (...paths: { [Index in keyof Needs]: string }) => Promise<void>,
  timeoutMs: number = 180_000,
): void {
  const missing = needs.flatMap((found) => ("missing" in found ? [found.missing] : []));
  const reason = process.versions["bun"] === undefined
    ? "it starts the runtimes itself: once, under bun, is enough"
    : missing.join(", ");
  const isFatal = reason !== "" && reason === missing.join(", ") && Boolean(process.env["CI"]);
  test(name, { timeout: timeoutMs, skip: reason === "" || isFatal ? false : reason }, async () => {
    if (isFatal) throw new Error(`Cannot run in CI: ${missing.join(", ")}`);
    await run(...(needs.map((found) => ("path" in found ? found.path : "")) as { [Index in keyof Needs]: string }));
  });
}

/** A runtime that `serve()` supports. */
export interface Runtime {
  /** Its name, with the major version where several are tested. */
  readonly name: string;
  /** Its binary. */
  readonly program: Found;
  /** Arguments before a script's path. */
  readonly args: readonly string[];
}

/** Where `serve()` runs. */
export const runtimes: readonly Runtime[] = [
  { name: "bun", program: findProgram("bun"), args: [] },
  { name: "deno", program: findProgram("deno"), args: ["run", "-A", "--no-check"] },
  { name: "node22", program: findNode(22), args: ["--disable-warning=ExperimentalWarning"] },
  { name: "node24", program: findNode(24), args: ["--disable-warning=ExperimentalWarning"] },
];

/** A Node of this major: on the `PATH`, or where the test matrix installs it. */
export function findNode(major: number): Found {
  const cached = join(root, `.cache/node-${major}/node_modules/node-${process.platform}-${process.arch}/bin/node`);
  const path = [cached, "node"].find((file) =>
    spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.startsWith(`v${major}.`)
  );
  return path === undefined ? { missing: `there is no Node ${major}` } : { path };
}

/** The command that runs a script. */
export function command(runtime: Runtime, path: string, script: string, ...args: readonly string[]): readonly string[] {
  return [path, ...runtime.args, script, ...args];
}
