/**
 * Programs as child processes: found, started, ended. None of them outlives this one.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

/** A program that runs, or ran. */
export interface Program {
  /** Its process id. */
  readonly pid: number;
  /** Whether it has ended. */
  readonly hasEnded: boolean;
  /** All that it has written. */
  output(): string;
  /** Ends it at once, and all that it started. A signal may be kinder. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /**
   * Waits until it is ready.
   *
   * @throws {Error} If it ends before, or is not ready within a minute.
   */
  until(isReady: (output: string) => boolean | Promise<boolean>): Promise<void>;
}

/** Options of {@link startProgram}. */
export interface StartOptions {
  /** Where it runs. */
  readonly cwd?: string;
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

const START_MS = 60_000;
const LOOK_MS = 20;

/** Where a system keeps servers, if they are not on the usual `PATH`. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"];

const running = new Set<number>();
const folders = new Set<string>();
process.once("exit", () => {
  running.forEach((pid) => signalGroup(pid, "SIGKILL"));
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});
// A signal alone would end this process without its "exit"; so would a second one, which wrappers like to pass on.
for (const [signal, number] of [["SIGINT", 2], ["SIGTERM", 15], ["SIGHUP", 1]] as const) {
  process.on(signal, () => process.exit(128 + number));
}

/** Starts a program. */
export function startProgram([file = "", ...args]: readonly string[], options: StartOptions = {}): Program {
  // In a separate process group, so that its children end with it.
  const child = spawn(file, args, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid = 0 } = child;
  if (pid !== 0) running.add(pid);
  let output = "";
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = new Promise<void>((resolve) => {
    const settle = () => {
      hasEnded = true;
      running.delete(pid);
      resolve();
    };
    child.once("close", settle).once("error", (error) => {
      output += error;
      settle();
    });
  });
  return {
    pid,
    get hasEnded() {
      return hasEnded;
    },
    output: () => output,
    async end(signal = "SIGKILL") {
      if (!hasEnded) signalGroup(pid, signal);
      await ended;
    },
    async until(isReady) {
      const dueMs = Date.now() + START_MS;
      while (!await isReady(output)) {
        if (hasEnded || Date.now() > dueMs) throw new Error(`${[file, ...args].join(" ")} did not start:\n${output}`);
        await sleep(LOOK_MS);
      }
    },
  };
}

/** A folder that is deleted when it is disposed of, or this process ends. */
export async function temporaryFolder(name: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), `toolwire-${name}-`));
  folders.add(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
      folders.delete(path);
    },
  };
}

/** The command that runs a script on the runtime that runs this one. */
export function scriptCommand(path: string, ...args: readonly string[]): readonly string[] {
  const flags = "Deno" in globalThis ? ["run", "-A", "--no-check", "--quiet"] : process.execArgv;
  return [process.execPath, ...flags, path, ...args];
}

/** Where a program is; `undefined` if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...SERVER_FOLDERS];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/**
 * What to say if programs are missing that are needed; `undefined` if all are there.
 *
 * @param packages The packages that they come in, by their names.
 */
export function missingPrograms(packages: Readonly<Record<string, string>>): string | undefined {
  const missing = Object.keys(packages).filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  const wanted = [...new Set(missing.map((name) => packages[name]))].join(" ");
  return `${missing.join(" and ")} not installed (Debian, Ubuntu: apt install ${wanted}; macOS: brew install ${
    wanted.replace("redis-server", "redis")
  })`;
}

/**
 * A free port of 127.0.0.1. Below those that the system gives to outgoing connections, so that it is
 * still free when a server that was killed is started again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
