/**
 * REST: the wire {@link rest}, which serves tools as resources of HTTP, and the transport {@link restTransport} of clients. It is needed
 * for callers that know neither MCP nor gRPC: any HTTP client can call it, and generators make typed clients of its OpenAPI 3.1 document.
 *
 * @example Errors are problem documents with a code
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { rest } from "jsr:@toolwire/toolwire/rest";
 *
 * const book = defineTool("book").describe("Book a seat").errors({ sold_out: null }).handle((_, ctx) => {
 *   throw ctx.fail("sold_out", "There are no seats left");
 * });
 * const server = createServer({ tools: [book], wires: [rest()] });
 *
 * const response = await server.fetch(new Request("http://localhost/rest/tools/book", { method: "POST" }));
 * const { code, detail } = JSON.parse(await response.text());
 * console.log([response.status, code, detail]); // → [422, "sold_out", "There are no seats left"]
 * ```
 *
 * @module
 */
export { rest, type RestOptions } from "../wires/rest/server/rest.ts";
export { restTransport } from "../wires/rest/client/transport.ts";
export type { HeadersFunction, HttpClientOptions } from "../http_client/send.ts";
export type { OutgoingCall } from "../core/call/transport.ts";
