/**
 * What the headers of a request of 2026-07-28 have to repeat of its body.
 *
 * Source: MCP 2026-07-28, "Streamable HTTP", standard headers; `io.modelcontextprotocol/tasks`, routing headers.
 *
 * @module
 */
import type { Metadata } from "../../../../core/call/call.ts";
import type { ProtocolError } from "../../server/answer.ts";
import { unsupportedVersion } from "../../server/envelope.ts";
import { checkHeaderParams, decodeHeaderValue, mismatch } from "../../server/header_params.ts";
import type { Members, Request } from "../../protocol/messages.ts";
import type { McpTools } from "../../server/tools.ts";
import { MODERN_VERSION, PROTOCOL_VERSION } from "../../protocol/constants.ts";

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
  return version !== null && version >= MODERN_VERSION && /^\d{4}-\d\d-\d\d$/.test(version);
}

/**
 * What is wrong with a request's revision and the headers that repeat its body; `undefined` if nothing is. What is there has to
 * be right, then the revision has to be one that is spoken here, then what is needed has to be there.
 */
export function checkHeaders(
  request: Request,
  meta: Members,
  metadata: Metadata,
  tools: McpTools,
): ProtocolError | undefined {
  const { method, params } = request;
  const claimed = meta[PROTOCOL_VERSION];
  const version = metadata.get(VERSION_HEADER);
  if (version !== null && version !== claimed) return mismatch(VERSION_HEADER, version, claimed);
  const said = metadata.get(METHOD_HEADER);
  if (said !== null && said !== method) return mismatch(METHOD_HEADER, said, method);
  if (claimed !== MODERN_VERSION) return unsupportedVersion(claimed);
  if (version === null) return mismatch(VERSION_HEADER, null, claimed);
  if (said === null) return mismatch(METHOD_HEADER, null, method);
  const parameter = NAMED_BY.get(method);
  return parameter === undefined ? undefined : checkName(method, params, params[parameter], metadata, tools);
}

function checkName(
  method: string,
  params: Members,
  name: unknown,
  metadata: Metadata,
  tools: McpTools,
): ProtocolError | undefined {
  const said = metadata.get(NAME_HEADER);
  if (said === null || (said !== name && decodeHeaderValue(said) !== name)) return mismatch(NAME_HEADER, said, name);
  const headerParams = method === "tools/call" ? tools.get(String(name))?.headerParams : undefined;
  if (headerParams === undefined || headerParams.length === 0) return undefined;
  return checkHeaderParams(headerParams, params["arguments"], metadata);
}
