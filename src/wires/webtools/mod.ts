/**
 * Webtools: the wire, the transport of clients, and what holds a client to metadata that was looked at.
 *
 * The wire has the protocol's name, {@link webtools}; the transport says that it is one: {@link webtoolsTransport}.
 *
 * @module
 */
export { type WebtoolConfig, webtools, type WebtoolsOptions, type WebtoolVersion } from "./server/webtools.ts";
export type { WebtoolAction, WebtoolMetadata } from "./messages/metadata.ts";
export { webtoolsTransport, type WebtoolsTransportOptions } from "./client/transport.ts";
export { fetchWebtool, type FetchWebtoolOptions, type PinnedWebtool } from "./client/metadata.ts";
export { describeChanges } from "./client/metadata.ts";
export type { HeadersFunction, HeaderValues, HttpClientOptions } from "../../http_client/send.ts";
export type { OutgoingCall } from "../../core/call/transport.ts";
