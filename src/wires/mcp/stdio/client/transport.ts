/**
 * The client's side of MCP over the pipes of a process: a server that is started for its client, and ends with it.
 *
 * @module
 */
import { checkOptions, OBJECT, type OptionRules, rule, TEXT, wholeNumber } from "../../../../internal/options.ts";
import { CLIENT_RULES, McpClientTransport } from "../../client/transport.ts";
import { DuplexTransport } from "../../client/duplex_transport.ts";
import type { McpClientOptions, McpTransport } from "../../client/types.ts";
import { openProcess, type ProcessOptions } from "./process_connection.ts";

/** How long a server may take to say which era it speaks, in milliseconds: some old ones say nothing until they are greeted. */
const PROBE_MS = 5_000;

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
 * A transport to an MCP server that is a program: it is started when it is first needed, again when it has ended, and ended by
 * `close()`.
 *
 * @example A program in the place of a server
 * ```ts
 * import { createClient } from "jsr:@toolwire/toolwire";
 * import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
 * import { rejects } from "node:assert/strict";
 *
 * const client = createClient(stdioTransport("no-such-program", ["--stdio"]));
 * await rejects(client.$.list(), { name: "ToolError", code: "unavailable" });
 * client.$.close();
 * ```
 * @param command The program: a name that is looked for in `PATH`, or a path.
 * @param args What it is started with.
 * @throws {TypeError} If the program or its arguments are none, an option is not what it should be, or there is no such option.
 * @throws {RangeError} If a number among the options is not one that it may be.
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
    throw new TypeError('Cannot start a server: its arguments are an array of texts, such as ["--stdio"]');
  }
  checkOptions("start a server", options, RULES);
  const carrier = new DuplexTransport(openProcess(command, args, options));
  return new McpClientTransport({ transport: carrier, probeTimeoutMs: PROBE_MS }, options);
}
