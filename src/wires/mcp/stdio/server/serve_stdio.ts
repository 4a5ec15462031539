/**
 * Serves MCP over the pipes of this process: what desktop hosts start.
 *
 * @module
 */
import process from "node:process";
import { checkOptions, type OptionRules, wholeNumber } from "../../../../internal/options.ts";
import { PROTOCOL_RULES, type ProtocolOptions } from "../../server/options.ts";
import type { WireHost } from "../../../wire.ts";
import { claimOutput } from "./output.ts";
import { serveLines } from "./serve_lines.ts";

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions extends ProtocolOptions {
  /** How long calls may go on once nothing more comes, in milliseconds. Default: 10,000. */
  readonly graceMs?: number | undefined;
}

/** What can be served: a server. */
export interface StdioServer {
  /** What its wires got. */
  readonly "~host": WireHost;
  /** Ends it. */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

const RULES: OptionRules<ServeStdioOptions> = { ...PROTOCOL_RULES, graceMs: wholeNumber(0, "milliseconds") };

/**
 * Serves a server over standard input and output, until the input ends: then calls under way may end, and the server is
 * closed. Meanwhile whatever else is written to standard output, `console.log` included, goes to standard error: the output
 * carries messages only.
 *
 * @example A program that a host can start
 * ```ts check
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { serveStdio } from "jsr:@toolwire/toolwire/stdio";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * await serveStdio(createServer({ name: "pinger", version: "1.0.0", tools: [ping] }));
 * ```
 * @returns Resolves when the input has ended and the server is closed.
 * @throws {RangeError} If a number among the options is not one that it may be.
 * @throws {TypeError} If this is no server, another option is not what it should be, there is no such option, or a tool breaks the
 * rules of MCP.
 */
export async function serveStdio(server: StdioServer, options: ServeStdioOptions = {}): Promise<void> {
  if (typeof server?.["~host"]?.dispatch?.call !== "function") {
    throw new TypeError("Cannot serve this over stdio: pass the result of createServer()");
  }
  checkOptions("serve MCP over stdio", options, RULES);
  const { graceMs = DEFAULT_GRACE_MS, ...protocol } = options;
  const host = server["~host"];
  const output = claimOutput();
  try {
    await serveLines(host, protocol, { input: process.stdin, write: output.write, graceMs });
    await server.close(graceMs);
  } finally {
    output.release();
  }
}
