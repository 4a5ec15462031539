import type { Transport } from "../../core/call/transport.ts";
import { createClient } from "../../client/client.ts";
import type { ClientMethods } from "../../client/types.ts";
import { type MemoryServer, memoryTransport } from "../../wires/memory/client/transport.ts";

/** A client: of `createClient`, typed or not. Its `onElicitation` and `onMoreRequested` answer the tools' questions. */
export interface ClientSource {
  /** The client's own methods. */
  readonly $: ClientMethods;
}

/**
 * Source of tools: a server in this process, called directly; a client, for any server and with its
 * options; or a transport, for any server with default options.
 */
export type AgentSource = MemoryServer | ClientSource | Transport;

/**
 * Opens a source: lists and calls its tools.
 *
 * @throws {TypeError} If the value is not a source, such as the text of a URL.
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
