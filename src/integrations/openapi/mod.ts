/**
 * OpenAPI: an existing REST API becomes tools, and a server says by a document how it is called.
 *
 * @module
 */
export { type OpenApiImportOptions, toolsFromOpenApi } from "./import.ts";
export type { FetchApi, OpenApiHeaders } from "./access.ts";
export type { OpenApiOperation } from "./operations.ts";
export { type OpenApiOptions, openapiPage } from "../../wires/http_pages/openapi/mod.ts";
