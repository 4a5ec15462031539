/**
 * Validation of the headers of a request of 2026-07-28, which repeat members of its body.
 *
 * Source: MCP 2026-07-28, "Streamable HTTP", standard headers; `io.modelcontextprotocol/tasks`, routing headers.
 */
import type { Metadata, Principal } from "../../../../core/call/call.ts";
import type { Members } from "../../../../internal/json.ts";
import { HEADER_MISMATCH } from "../../protocol/codes.ts";
import { MODERN_VERSION, PROTOCOL_VERSION } from "../../protocol/constants.ts";
import {
  argumentAt,
  decodeHeaderValue,
  type HeaderParam,
  METHOD_HEADER,
  NAME_HEADER,
  NAMED_BY,
  VERSION_HEADER,
} from "../../protocol/header_values.ts";
import type { RequestMessage } from "../../protocol/messages.ts";
import { unsupportedVersionError } from "../../server/request_meta.ts";
import { type ProtocolError, protocolError } from "../../server/response.ts";
import type { McpTools } from "../../server/tools.ts";

/** Headers of a request, and its caller. */
interface Head {
  readonly metadata: Metadata;
  readonly principal?: Principal | undefined;
}

/** Whether a version header has the date 2026-07-28 or a later one: a revision without sessions, supported or not. */
export function isModernVersion(version: string | null): boolean {
  return version !== null && version >= MODERN_VERSION && /^\d{4}-\d\d-\d\d$/.test(version);
}

/**
 * Validates the protocol version and the headers that repeat the body; `undefined` if they are valid. The order of the checks:
 * headers that are present, support of the version, headers that are missing.
 */
export function checkHeaders(
  { method, params }: RequestMessage,
  meta: Members,
  head: Head,
  tools: McpTools,
): ProtocolError | undefined {
  const { metadata } = head;
  const version = meta[PROTOCOL_VERSION];
  const versionHeader = metadata.get(VERSION_HEADER);
  if (versionHeader !== null && versionHeader !== version) return mismatch(VERSION_HEADER, versionHeader, version);
  const methodHeader = metadata.get(METHOD_HEADER);
  if (methodHeader !== null && methodHeader !== method) return mismatch(METHOD_HEADER, methodHeader, method);
  if (version !== MODERN_VERSION) return unsupportedVersionError(version);
  if (versionHeader === null) return mismatch(VERSION_HEADER, null, version);
  if (methodHeader === null) return mismatch(METHOD_HEADER, null, method);
  const parameter = NAMED_BY.get(method);
  return parameter === undefined ? undefined : checkName(method, params, params[parameter], head, tools);
}

function checkName(
  method: string,
  params: Members,
  name: unknown,
  { metadata, principal }: Head,
  tools: McpTools,
): ProtocolError | undefined {
  const header = metadata.get(NAME_HEADER);
  // Clients such as pydantic-ai's leave the header out for tasks.
  if (header === null && method.startsWith("tasks/")) return undefined;
  if (header === null || (header !== name && decodeHeaderValue(header) !== name)) {
    return mismatch(NAME_HEADER, header, name);
  }
  const headerParams = method === "tools/call" ? tools.getFor(String(name), { principal })?.headerParams : undefined;
  if (headerParams === undefined || headerParams.length === 0) return undefined;
  return checkHeaderParams(headerParams, params["arguments"], metadata);
}

function checkHeaderParams(
  params: readonly HeaderParam[],
  args: unknown,
  metadata: Metadata,
): ProtocolError | undefined {
  for (const { header, path } of params) {
    const sent = metadata.get(header);
    const value = argumentAt(args, path);
    if (value === undefined || value === null) {
      if (sent !== null) return mismatch(header, sent, null);
    } else if (sent === null) return mismatch(header, null, value);
    else if (!isSame(decodeHeaderValue(sent), value)) return mismatch(header, sent, value);
  }
  return undefined;
}

/** The error for a header that differs from the body. */
function mismatch(header: string, sent: unknown, value: unknown): ProtocolError {
  const problem = sent === null ? "is missing" : "does not match the body";
  return protocolError(HEADER_MISMATCH, `The header ${header} ${problem}`, { mismatch: { header: sent, body: value } });
}

function isSame(sent: string | undefined, value: unknown): boolean {
  if (sent === undefined) return false;
  // As numbers: 42 equals 42.0.
  if (typeof value === "number") return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(sent) && Number(sent) === value;
  return sent === String(value);
}
