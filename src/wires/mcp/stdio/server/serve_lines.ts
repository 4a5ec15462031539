import type { ProtocolOptions } from "../../server/options.ts";
import type { WireHost } from "../../../wire.ts";
import { StdioConnection, type WriteLine } from "./connection.ts";
import { LineSplitter } from "./lines.ts";

/** Two pipes, and how long calls may go on once nothing more comes, in milliseconds. */
export interface Pipes {
  /** What comes, in pieces, wherever they are cut. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes a line. */
  readonly write: WriteLine;
  /** Grace, in milliseconds. */
  readonly graceMs: number;
}

/**
 * Serves one caller at the other end of two pipes, until the input ends and what came is answered.
 *
 * @throws {TypeError} If a tool breaks the rules of MCP.
 */
export async function serveLines(
  host: WireHost,
  protocol: ProtocolOptions,
  { input, write, graceMs }: Pipes,
): Promise<void> {
  const connection = new StdioConnection(host, protocol, write);
  const lines = new LineSplitter(host.limits.bodyBytes);
  for await (const bytes of input) lines.push(bytes).forEach((line) => connection.receive(line));
  const last = lines.end();
  if (last !== undefined) connection.receive(last);
  const cancel = host.clock.after(graceMs, () => connection.abort());
  await connection.end();
  cancel();
}
