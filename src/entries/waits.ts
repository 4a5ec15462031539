/**
 * Values for waits of handlers over HTTP: the page {@link resolver}, which webhooks, links in messages and other programs send a value to,
 * and {@link resolveWait}, which sends it. It is needed for handlers that call `ctx.waitFor`.
 *
 * @example A server with resolvers
 * ```ts fragment tools keys
 * import { createServer, mcp } from "jsr:@toolwire/toolwire";
 * import { resolver } from "jsr:@toolwire/toolwire/waits";
 *
 * const server = createServer({ tools, keys, wires: [mcp(), resolver({ url: "https://api.example" })] });
 * console.log(server.tools.length);
 * ```
 *
 * @module
 */
export { declineWait, type ResolveOptions, resolveWait } from "../client/resolve_wait.ts";
export { resolver, type ResolverOptions } from "../server/pages/resolver.ts";
