/**
 * Webtools: the wire {@link webtools}, the transport {@link webtoolsTransport} of clients, and what holds a client to metadata that was
 * looked at. It is needed to serve or call tools by that protocol, where a tool is a URL with metadata.
 *
 * @example A server of Webtools
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { webtools } from "jsr:@toolwire/toolwire/webtools";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const wire = webtools({ name: "ping", description: "Answers", version: "1.0.0" });
 * console.log(createServer({ tools: [ping], wires: [wire] }).wires); // → ["webtools"]
 * ```
 *
 * @module
 */
export {
  type WebtoolConfig,
  webtools,
  type WebtoolsOptions,
  type WebtoolVersion,
} from "../wires/webtools/server/webtools.ts";
export type { WebtoolAction, WebtoolMetadata } from "../wires/webtools/messages/metadata.ts";
export { webtoolsTransport, type WebtoolsTransportOptions } from "../wires/webtools/client/transport.ts";
export { fetchWebtool, type FetchWebtoolOptions, type PinnedWebtool } from "../wires/webtools/client/metadata.ts";
export { describeChanges } from "../wires/webtools/client/metadata.ts";
export type { HeadersFunction, HeaderValues, HttpClientOptions } from "../http_client/send.ts";
export type { OutgoingCall } from "../core/call/transport.ts";
