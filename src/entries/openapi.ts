/**
 * OpenAPI: tools from the document of a REST API, and a document that describes a server.
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
