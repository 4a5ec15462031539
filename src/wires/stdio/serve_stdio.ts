/**
 * Serves MCP over the pipes of this process: what desktop hosts start.
 *
 * @module
 */
import process from "node:process";
import type { ProtocolOptions } from "../../mcp/options.ts";
import type { WireHost } from "../wire.ts";
import { StdioConnection } from "./connection.ts";
import { LineSplitter } from "./lines.ts";
import { claimOutput } from "./output.ts";

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
 * @throws {RangeError} If an option is not what it should be.
 * @throws {TypeError} If a tool breaks the rules of MCP.
 */
export async function serveStdio(server: StdioServer, options: ServeStdioOptions = {}): Promise<void> {
  const { graceMs = DEFAULT_GRACE_MS, ...protocol } = options;
  const host = server["~host"];
  const output = claimOutput();
  const connection = new StdioConnection(host, protocol, output.write);
  const lines = new LineSplitter(host.limits.bodyBytes);
  try {
    for await (const bytes of process.stdin) lines.push(bytes).forEach((line) => connection.receive(line));
    const last = lines.end();
    if (last !== undefined) connection.receive(last);
    const cancel = host.clock.after(graceMs, () => connection.abort());
    await connection.end();
    cancel();
    await server.close(graceMs);
  } finally {
    output.release();
  }
}
