/**
 * A process as a line: one message is one line of its standard input, or output.
 *
 * Source: MCP, revision 2026-07-28, "Transports", "stdio".
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { refuseBecause } from "../../../framing/json_rpc/decode_error.ts";
import { parseMessages } from "../../protocol/messages.ts";
import type { Line, LineEnd, OpenLine } from "../../client/duplex_transport.ts";
import { LineReader } from "./lines.ts";
import process from "node:process";

/** How a process is started. */
export interface ProcessOptions {
  /** Where it runs. Default: where this one does. */
  readonly cwd?: string;
  /**
   * Its environment, beside the few variables that programs need to run at all, such as `PATH` and `HOME`: what else stands in
   * the environment of this process, secrets perhaps, is not its business.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Where what it writes to its standard error goes: on to that of this process, nowhere, or to a function. Default: `inherit`. */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void);
  /** Longest line that is read, in UTF-16 code units. Default: 64 Mi. */
  readonly maxLineLength?: number;
}

/** How long a process may take to end when its input has, and then when it is told to, in milliseconds. */
const PATIENCE_MS = 2_000;

const INHERITED = process.platform === "win32"
  ? [
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
  ]
  : ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/** Starts a program whenever a line to it is needed. */
export function openProcess(command: string, args: readonly string[], options: ProcessOptions): OpenLine {
  return (end) => start(command, args, options, end);
}

function start(
  command: string,
  args: readonly string[],
  { cwd, env, stderr = "inherit", maxLineLength = 67_108_864 }: ProcessOptions,
  end: LineEnd,
): Promise<Line | ErrorResult> {
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...inheritedEnv(), ...env },
    stdio: ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr],
    windowsHide: true,
  });
  if (typeof stderr === "function") child.stderr?.setEncoding("utf8").on("data", stderr);
  const line = new ProcessLine(child);
  const reader = new LineReader(maxLineLength);
  child.stdout?.on("data", (bytes: Uint8Array) => {
    const lines = reader.read(bytes);
    if (lines !== undefined) return end.take(lines.flatMap(parseMessages));
    line.isOver = true;
    end.end(errorResult("result_too_large", `A line is longer than ${maxLineLength} characters`));
    endProcess(child, "SIGKILL");
  });
  return new Promise((resolve) => {
    const over = (refusal: ErrorResult) => {
      line.isOver = true;
      resolve(refusal);
      end.end(refusal);
    };
    child.once("spawn", () => resolve(line));
    child.once("error", (cause) => {
      // A folder that is not there is reported as if the program were not.
      const problem = isMissing(cwd) ? `there is no folder ${cwd}` : cause.message;
      over(refuseBecause("unavailable", "Cannot start the server", `${command}: ${problem}`, { cause }));
    });
    child.once("close", (code, signal) => {
      over(refuseBecause("unavailable", "The server has ended", `${command} ended with ${signal ?? `status ${code}`}`));
    });
  });
}

function isMissing(folder: string | undefined): boolean {
  try {
    return folder !== undefined && !existsSync(folder);
  } catch {
    // Deno does not let everybody look.
    return false;
  }
}

function inheritedEnv(): Record<string, string> {
  return Object.fromEntries(INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  }));
}

class ProcessLine implements Line {
  isOver = false;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    // Told by the callback of each write.
    child.stdin?.on("error", () => {});
  }

  write(text: string): Promise<ErrorResult | undefined> {
    return new Promise((resolve) => {
      this.#child.stdin?.write(`${text}\n`, (cause) => {
        const isWritten = cause === undefined || cause === null;
        resolve(isWritten ? undefined : refuseBecause("unavailable", "The server has ended", cause.message, { cause }));
      });
    });
  }

  /** Its input ends, and it with that; if not, it is told to end, and then made to. */
  close(): void {
    const child = this.#child;
    this.isOver = true;
    child.stdin?.end();
    const kill = setTimeout(() => endProcess(child, "SIGKILL"), 2 * PATIENCE_MS);
    const tell = setTimeout(() => endProcess(child, "SIGTERM"), PATIENCE_MS);
    child.once("close", () => {
      clearTimeout(tell);
      clearTimeout(kill);
    });
  }
}

/** By its id: Deno lets `kill()` of a child do its work but once. */
function endProcess({ pid, exitCode, signalCode }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
