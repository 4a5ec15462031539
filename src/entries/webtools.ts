/**
 * Webtools: the wire, the transport of clients, and what holds a client to metadata that was looked at.
 *
 * The wire has the protocol's name, {@link webtools}; the transport says that it is one: {@link webtoolsTransport}.
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
