/**
 * What the headers of a request of 2026-07-28 have to repeat of its body.
 *
 * Source: MCP 2026-07-28, "Streamable HTTP", standard headers; `io.modelcontextprotocol/tasks`, routing headers.
 *
 * @module
 */
import type { Metadata } from "../../../../core/call/call.ts";
import { type ProtocolError, protocolError } from "../../server/answer.ts";
import { unsupportedVersion } from "../../server/envelope.ts";
import { HEADER_MISMATCH } from "../../protocol/codes.ts";
import {
  argumentAt,
  decodeHeaderValue,
  type HeaderParam,
  METHOD_HEADER,
  NAME_HEADER,
  NAMED_BY,
  VERSION_HEADER,
} from "../../protocol/header_values.ts";
import type { Members } from "../../../../internal/json.ts";
import type { RequestMessage } from "../../protocol/messages.ts";
import type { McpTools } from "../../server/tools.ts";
import { MODERN_VERSION, PROTOCOL_VERSION } from "../../protocol/constants.ts";

/** Whether a header names a revision without sessions, known or not. */
export function isModernVersion(version: string | null): boolean {
  return version !== null && version >= MODERN_VERSION && /^\d{4}-\d\d-\d\d$/.test(version);
}

/**
 * What is wrong with a request's revision and the headers that repeat its body; `undefined` if nothing is. What is there has to
 * be right, then the revision has to be one that is spoken here, then what is needed has to be there.
 */
export function checkHeaders(
  request: RequestMessage,
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

/** The problem of the headers that repeat arguments; `undefined` if there is none. */
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
