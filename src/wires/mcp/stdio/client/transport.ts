/**
 * The MCP client over the pipes of a process, which the client starts and ends.
 *
 * @module
 */
import { checkOptions, OBJECT, type OptionRules, rule, TEXT, wholeNumber } from "../../../../internal/options.ts";
import { CLIENT_RULES, McpClientTransport } from "../../client/transport.ts";
import { DuplexTransport } from "../../client/duplex_transport.ts";
import type { McpClientOptions, McpTransport } from "../../client/types.ts";
import { openProcess, type ProcessOptions } from "./process_connection.ts";

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
  const transport = new DuplexTransport(openProcess(command, args, options));
  return new McpClientTransport({ transport, probeTimeoutMs: PROBE_TIMEOUT_MS }, options);
}
