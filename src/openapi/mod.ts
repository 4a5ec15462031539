/**
 * OpenAPI: an existing REST API becomes tools.
 *
 * @module
 */
export { type OpenApiImportOptions, toolsFromOpenApi } from "./import.ts";
export type { FetchApi, OpenApiHeaders } from "./access.ts";
export type { OpenApiOperation } from "./operations.ts";
