/**
 * Values for waits of handlers over HTTP: the path for webhooks, for links in messages, and for other programs.
 *
 * @module
 */
export { declineWait, type ResolveOptions, resolveWait } from "../client/resolve_wait.ts";
export { resolver, type ResolverOptions } from "../server/pages/resolver.ts";
