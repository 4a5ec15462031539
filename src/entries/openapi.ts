/**
 * OpenAPI: tools from the document of a REST API, and a document that describes a server. It is needed to serve an existing API as tools,
 * or to give callers of a server a document.
 *
 * @example Tools from a document
 * ```ts
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { toolsFromOpenApi } from "jsr:@toolwire/toolwire/openapi";
 *
 * const document = {
 *   openapi: "3.1.0",
 *   info: { title: "Notes", version: "1.0.0" },
 *   servers: [{ url: "https://notes.example" }],
 *   paths: { "/notes": { get: { operationId: "listNotes", summary: "List your notes" } } },
 * };
 * console.log(createServer({ tools: toolsFromOpenApi(document) }).tools.length); // → 1
 * ```
 *
 * @module
 */
export { type OpenApiImportOptions, toolsFromOpenApi } from "../integrations/openapi/import.ts";
export type { AccessOptions } from "../core/tool/access.ts";
export type { ListSizeOptions } from "../core/json_schema/compact.ts";
export type { HeadersFunction, HeaderValues } from "../http_client/send.ts";
export type { OutgoingCall } from "../core/call/transport.ts";
export type { FetchApi, OpenApiHeaders } from "../integrations/openapi/access.ts";
export type { OpenApiOperation } from "../integrations/openapi/operations.ts";
export { type OpenApiOptions, openapiPage } from "../server/pages/openapi.ts";
