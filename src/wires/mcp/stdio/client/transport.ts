/** The MCP client over the pipes of a process, which the client starts and ends. */
import process from "node:process";
import { checkOptions, OBJECT, type OptionRules, rule, TEXT, wholeNumber } from "../../../../internal/options.ts";
import { CLIENT_RULES, McpClientTransport } from "../../client/transport.ts";
import { type DuplexConnection, type DuplexHandler, DuplexTransport } from "../../client/duplex_transport.ts";
import type { McpClientOptions, McpTransport } from "../../client/types.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type ErrorResult, errorResult, errorResultWithCause } from "../../../../core/call/outcome.ts";
import type { Logger } from "../../../../core/handler/context.ts";
import { attempt } from "../../../../internal/async.ts";
import { escapeLine, shorten } from "../../../../internal/text.ts";
import { parseMessages, type ServerMessage } from "../../protocol/messages.ts";
import { LineReader } from "./line_reader.ts";
import { ProcessConnection } from "./process_connection.ts";

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
  return new McpClientTransport({
    name: command,
    transport,
    probeTimeoutMs: PROBE_TIMEOUT_MS,
    maxUnreadChars: options.maxLineLength,
  }, options);
}

/** Options for the process that {@link stdioTransport} starts. */
export interface ProcessOptions {
  /** Working directory. Default: that of this process. */
  readonly cwd?: string | undefined;
  /**
   * Environment variables, in addition to the few that programs need to run, such as `PATH` and `HOME`. Other variables of this
   * process are not inherited, because they may contain secrets. A variable of `undefined` is not set.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Destination of its standard error: that of this process, none, or a function. Default: `inherit`. */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
  /** Maximum length of a line, and of the pieces of a call that its reader has not taken, in UTF-16 code units. Default: 64 Mi. */
  readonly maxLineLength?: number | undefined;
}

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
  { cwd, env, stderr = "inherit", maxLineLength = 67_108_864, logger = console }: StdioTransportOptions,
  handler: DuplexHandler,
): Promise<DuplexConnection | ErrorResult> {
  // The runtime reports a missing folder as a missing program.
  const refuse = (cause: Error) => {
    const problem = isMissing(cwd) ? `there is no folder ${cwd}` : describeStart(command, cause);
    return errorResultWithCause("unavailable", "Cannot start the server", `${command}: ${problem}`, { cause });
  };
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: definedOf({ ...inheritedEnv(), ...env }),
      stdio: ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr],
      windowsHide: true,
    });
  } catch (thrown) {
    return Promise.resolve(refuse(thrown as Error));
  }
  if (typeof stderr === "function") child.stderr?.setEncoding("utf8").on("data", stderr);
  return new Promise((resolve) => {
    const connection = new ProcessConnection(child, command, (error) => {
      resolve(error);
      handler.closed(error);
    });
    const reader = new LineReader(maxLineLength);
    const read = (line: string): ServerMessage[] => {
      const messages = parseMessages(line);
      if (messages.length === 0 && connection.strayLine === undefined && line.trim() !== "") {
        connection.strayLine = escapeLine(`"${shorten(line.trim(), MAX_STRAY)}"`);
        warnOfOutput(logger, command, connection.strayLine);
      }
      return messages;
    };
    child.stdout?.on("data", (bytes: Uint8Array) => {
      handler.active();
      const lines = reader.read(bytes);
      if (lines !== undefined) return handler.receive(lines.flatMap(read));
      connection.kill(
        errorResult(
          "result_too_large",
          `The program has written a line longer than ${maxLineLength} characters, the option maxLineLength`,
        ),
      );
    });
    child.once("spawn", () => resolve(connection));
    child.on("error", (cause) => connection.fail(refuse(cause)));
  });
}

/** Why a program did not start. */
function describeStart(command: string, { code, message }: Error & { readonly code?: unknown }): string {
  if (code !== "ENOENT" && !/not found/i.test(message)) return message;
  const advice = /[/\\]/.test(command)
    ? "there is no such program"
    : "there is no such program in PATH: install it, or give its path";
  return `${advice} (${message})`;
}

/** Maximum length of a line in a warning and in an error, in UTF-16 code units. */
const MAX_STRAY = 200;

function warnOfOutput(logger: Pick<Logger, "warn">, command: string, line: string): void {
  attempt(() =>
    logger.warn(
      `MCP server ${command}: it printed ${line}, which is not a message of MCP and is ignored; a server writes logs to standard error`,
    )
  );
}

function isMissing(folder: string | undefined): boolean {
  try {
    return folder !== undefined && !existsSync(folder);
  } catch {
    // Deno may deny permission to read the folder.
    return false;
  }
}

function inheritedEnv(): Record<string, string | undefined> {
  return Object.fromEntries(INHERITED_VARIABLES.map((name) => [name, process.env[name]]));
}

/** The variables that have a value; a runtime may pass the text "undefined" for the others. */
function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
