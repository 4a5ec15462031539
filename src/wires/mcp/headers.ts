/**
 * What the headers of a request of 2026-07-28 have to repeat of its body.
 *
 * Source: MCP 2026-07-28, "Streamable HTTP", standard headers; `io.modelcontextprotocol/tasks`, routing headers.
 *
 * @module
 */
import type { Metadata } from "../../call/call.ts";
import type { ProtocolError } from "../../mcp/answer.ts";
import { checkHeaderParams, decodeHeaderValue, mismatch } from "../../mcp/header_params.ts";
import type { Members, Request } from "../../mcp/message.ts";
import type { McpTools } from "../../mcp/tools.ts";
import { MODERN_VERSION, PROTOCOL_VERSION } from "../../mcp/words.ts";

/** The header that names the revision. */
export const VERSION_HEADER = "mcp-protocol-version";

const METHOD_HEADER = "mcp-method";
const NAME_HEADER = "mcp-name";

/** Which parameter of a method is repeated as its name. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** Whether a header names a revision without sessions, known or not. */
export function isModernVersion(version: string | null): boolean {
  return version !== null && /^\d{4}-\d\d-\d\d$/.test(version) && version >= MODERN_VERSION;
}

/** What is there must be right: checked before the revision itself is. */
export function checkPresent(request: Request, meta: Members, metadata: Metadata): ProtocolError | undefined {
  const version = metadata.get(VERSION_HEADER);
  if (version !== null && version !== meta[PROTOCOL_VERSION]) {
    return mismatch(VERSION_HEADER, version, meta[PROTOCOL_VERSION]);
  }
  const method = metadata.get(METHOD_HEADER);
  if (method !== null && method !== request.method) return mismatch(METHOD_HEADER, method, request.method);
  return undefined;
}

/** What has to be there, and what of it is named. */
export function checkRequired(request: Request, metadata: Metadata, tools: McpTools): ProtocolError | undefined {
  const { method, params } = request;
  if (metadata.get(VERSION_HEADER) === null) return mismatch(VERSION_HEADER, null, MODERN_VERSION);
  if (metadata.get(METHOD_HEADER) === null) return mismatch(METHOD_HEADER, null, method);
  const parameter = NAMED_BY.get(method);
  if (parameter === undefined) return undefined;
  const name = params[parameter];
  const said = metadata.get(NAME_HEADER);
  if (said === null || (said !== name && decodeHeaderValue(said) !== name)) return mismatch(NAME_HEADER, said, name);
  if (method !== "tools/call") return undefined;
  const headerParams = tools.get(name as string)?.headerParams;
  if (headerParams === undefined || headerParams.length === 0) return undefined;
  return checkHeaderParams(headerParams, params["arguments"], metadata);
}
