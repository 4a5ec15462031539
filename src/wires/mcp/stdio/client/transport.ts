/** The MCP client over the pipes of a process, which the client starts and ends. */
import process from "node:process";
import { checkOptions, OBJECT, type OptionRules, rule, TEXT, wholeNumber } from "../../../../internal/options.ts";
import { CLIENT_RULES, McpClientTransport } from "../../client/transport.ts";
import { type DuplexConnection, type DuplexHandler, DuplexTransport } from "../../client/duplex_transport.ts";
import type { McpClientOptions, McpTransport } from "../../client/types.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type ErrorResult, errorResult, errorResultWithCause } from "../../../../core/call/outcome.ts";
import { parseMessages } from "../../protocol/messages.ts";
import { LineReader } from "./line_reader.ts";

/** Timeout of the request that detects the era, in milliseconds. Some old servers do not answer before the handshake. */
const PROBE_TIMEOUT_MS = 5_000;

const RULES: OptionRules<StdioTransportOptions> = {
  ...CLIENT_RULES,
  cwd: TEXT,
  env: OBJECT,
  stderr: rule('"inherit", "ignore" or a function', (to) => {
    return to === "inherit" || to === "ignore" || typeof to === "function";
  }),
  maxLineLength: wholeNumber(1),
};

/** Options of {@link stdioTransport}. */
export interface StdioTransportOptions extends McpClientOptions, ProcessOptions {}

/**
 * A transport to an MCP server that is a program. The program is started by the first request, restarted if it has ended, and
 * ended by `close()`.
 *
 * @example A program that does not exist
 * ```ts
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
 * import { rejects } from "node:assert/strict";
 *
 * const client = createClient(stdioTransport("no-such-program", ["--stdio"]));
 * await rejects(client.$.list(), { name: "ToolError", code: "unavailable" });
 * client.$.close();
 * ```
 * @param command The program: a name that is found in `PATH`, or a path.
 * @param args Arguments of the program.
 * @throws {TypeError} If the program or its arguments are invalid, or an option is unknown or invalid.
 * @throws {RangeError} If a numeric option is out of range.
 */
export function stdioTransport(
  command: string,
  args: readonly string[] = [],
  options: StdioTransportOptions = {},
): McpTransport {
  if (typeof command !== "string" || command === "") {
    throw new TypeError('Cannot start a server: name a program, such as stdioTransport("npx", ["my-server"])');
  }
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) {
    throw new TypeError('Cannot start a server: args must be an array of strings, such as ["--stdio"]');
  }
  checkOptions("start a server", options, RULES);
  const transport = new DuplexTransport((handler) => start(command, args, options, handler));
  return new McpClientTransport({ name: command, transport, probeTimeoutMs: PROBE_TIMEOUT_MS }, options);
}

/** Options for the process that {@link stdioTransport} starts. */
export interface ProcessOptions {
  /** Working directory. Default: that of this process. */
  readonly cwd?: string | undefined;
  /**
   * Environment variables, in addition to the few that programs need to run, such as `PATH` and `HOME`. Other variables of this
   * process are not inherited, because they may contain secrets.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Destination of its standard error: that of this process, none, or a function. Default: `inherit`. */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
  /** Maximum length of a line, in UTF-16 code units. Default: 64 Mi. */
  readonly maxLineLength?: number | undefined;
}

/** Time for a process to exit after its input has ended, and again after SIGTERM, in milliseconds. */
const EXIT_TIMEOUT_MS = 2_000;

const INHERITED_VARIABLES = process.platform === "win32"
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

function start(
  command: string,
  args: readonly string[],
  { cwd, env, stderr = "inherit", maxLineLength = 67_108_864 }: ProcessOptions,
  handler: DuplexHandler,
): Promise<DuplexConnection | ErrorResult> {
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...inheritedEnv(), ...env },
    stdio: ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr],
    windowsHide: true,
  });
  if (typeof stderr === "function") child.stderr?.setEncoding("utf8").on("data", stderr);
  const connection = new ProcessConnection(child);
  const reader = new LineReader(maxLineLength);
  child.stdout?.on("data", (bytes: Uint8Array) => {
    handler.active();
    const lines = reader.read(bytes);
    if (lines !== undefined) return handler.receive(lines.flatMap(parseMessages));
    connection.isClosed = true;
    handler.closed(errorResult("result_too_large", `A line is longer than ${maxLineLength} characters`));
    endProcess(child, "SIGKILL");
  });
  return new Promise((resolve) => {
    const fail = (error: ErrorResult) => {
      connection.isClosed = true;
      resolve(error);
      handler.closed(error);
    };
    child.once("spawn", () => resolve(connection));
    child.once("error", (cause) => {
      // The runtime reports a missing folder as a missing program.
      const problem = isMissing(cwd) ? `there is no folder ${cwd}` : cause.message;
      fail(errorResultWithCause("unavailable", "Cannot start the server", `${command}: ${problem}`, { cause }));
    });
    child.once("close", (code, signal) => {
      fail(
        errorResultWithCause(
          "unavailable",
          "The server has ended",
          `${command} ended with ${signal ?? `status ${code}`}`,
        ),
      );
    });
  });
}

function isMissing(folder: string | undefined): boolean {
  try {
    return folder !== undefined && !existsSync(folder);
  } catch {
    // Deno may deny permission to read the folder.
    return false;
  }
}

function inheritedEnv(): Record<string, string> {
  return Object.fromEntries(INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  }));
}

class ProcessConnection implements DuplexConnection {
  isClosed = false;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    // Errors are reported by the callback of each write.
    child.stdin?.on("error", () => {});
  }

  write(text: string): Promise<ErrorResult | undefined> {
    return new Promise((resolve) => {
      this.#child.stdin?.write(`${text}\n`, (cause) => {
        const isWritten = cause === undefined || cause === null;
        resolve(
          isWritten ? undefined : errorResultWithCause("unavailable", "The server has ended", cause.message, { cause }),
        );
      });
    });
  }

  /** Ends the input of the process, on which it should exit. Otherwise sends SIGTERM, then SIGKILL. */
  close(): void {
    const child = this.#child;
    this.isClosed = true;
    child.stdin?.end();
    const kill = setTimeout(() => endProcess(child, "SIGKILL"), 2 * EXIT_TIMEOUT_MS);
    const terminate = setTimeout(() => endProcess(child, "SIGTERM"), EXIT_TIMEOUT_MS);
    child.once("close", () => {
      clearTimeout(terminate);
      clearTimeout(kill);
    });
  }
}

/** Sends the signal by process id: on Deno, `kill()` of a child works only once. */
function endProcess({ pid, exitCode, signalCode }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}
