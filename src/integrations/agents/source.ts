import type { Transport } from "../../core/call/transport.ts";
import { createClient } from "../../client/client.ts";
import type { ClientMethods } from "../../client/types.ts";
import { type MemoryServer, memoryTransport } from "../../wires/memory/client/transport.ts";

/** A client: of `createClient`, typed or not. Its `onElicitation` and `onMoreRequested` answer what tools ask. */
export interface ClientSource {
  /** What a client can do beside calling its tools. */
  readonly $: ClientMethods;
}

/**
 * Where tools come from: a server of this process, which is called without a hop; a client, for any server and with options of
 * its own; or a transport, for any server with none.
 */
export type AgentSource = MemoryServer | ClientSource | Transport;

/**
 * How the tools of a source are listed and called.
 *
 * @throws {TypeError} If it is none, such as the text of a URL.
 */
export function methodsOf(source: AgentSource): ClientMethods {
  if (Object(source) !== source) {
    throw new TypeError(
      "Cannot give tools to a model: pass what createServer() or createClient(url) gives, or a transport, such as http(url)",
    );
  }
  if ("$" in source) return source.$;
  return createClient("~server" in source ? memoryTransport(source) : source).$;
}
