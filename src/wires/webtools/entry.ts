/**
 * Webtools: the wire, the transport of clients, and what holds a client to metadata that was looked at.
 *
 * The wire has the protocol's name, {@link webtools}; the transport says that it is one: {@link webtoolsTransport}.
 *
 * @module
 */
export { type WebtoolConfig, webtools, type WebtoolsOptions, type WebtoolVersion } from "./mod.ts";
export type { WebtoolAction, WebtoolMetadata } from "./metadata.ts";
export { webtoolsTransport, type WebtoolsTransportOptions } from "./client.ts";
export { fetchWebtool, type FetchWebtoolOptions, type PinnedWebtool } from "./client_metadata.ts";
export { describeChanges } from "./client_changes.ts";
