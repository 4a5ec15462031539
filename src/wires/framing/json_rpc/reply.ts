/**
 * Replies of JSON-RPC 2.0 over HTTP.
 *
 * MCP-lite sends them, and the server itself for requests that it rejects before a wire takes them.
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { JSON_HEADERS, type JsonReply, retryAfterHeader } from "../http.ts";
import { errorData } from "../result/encode.ts";
import type { RequestId } from "./decode.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";

export function errorReply(
  id: RequestId | null,
  error: ErrorResult,
  status: number = jsonRpcErrorCodes[error.code].status,
  added?: Readonly<Record<string, string>>,
): JsonReply {
  const retryAfter = (status === 429 || status === 503) && retryAfterHeader(error.data);
  const headers = { ...JSON_HEADERS, ...retryAfter, ...added };
  return { status, headers, body: encodeError(id, encodeErrorObject(error)) };
}

/** Encodes a response of JSON-RPC. Its result is passed as JSON text, so that nothing is stringified twice. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

/** Encodes an error response of JSON-RPC. Its error object is passed as JSON text. */
export function encodeError(id: RequestId | null, errorJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"error":${errorJson}}`;
}

/**
 * Encodes the `error` object of an error result.
 *
 * @param meta Members of its `_meta` as JSON text, without braces. Default: no `_meta`.
 */
export function encodeErrorObject(error: ErrorResult, meta?: string): string {
  const { number } = jsonRpcErrorCodes[error.code];
  const head = `{"code":${number},"message":${JSON.stringify(error.message)}`;
  const json = `${head},"data":${JSON.stringify(errorData(error))}`;
  return meta === undefined ? `${json}}` : `${json},"_meta":{${meta}}}`;
}

function encodeId(id: RequestId | null): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

/** JSON-RPC number and HTTP status of each error code in MCP-lite (docs/spec.md 4.4; RFC 9110; 499 is a convention of nginx). */
export const jsonRpcErrorCodes: Readonly<Record<ToolErrorCode, { readonly number: number; readonly status: number }>> =
  {
    parse_error: { number: -32700, status: 400 },
    invalid_request: { number: -32600, status: 400 },
    method_not_found: { number: -32601, status: 404 },
    tool_not_found: { number: -32601, status: 404 },
    resource_not_found: { number: -32602, status: 404 },
    prompt_not_found: { number: -32602, status: 404 },
    invalid_input: { number: -32602, status: 400 },
    invalid_config: { number: -32602, status: 400 },
    invalid_promise: { number: -32602, status: 400 },
    expired_promise: { number: -32602, status: 400 },
    invalid_continuation: { number: -32602, status: 400 },
    promise_lost: { number: -32602, status: 410 },
    conflict: { number: -32602, status: 409 },
    deadline_exceeded: { number: -32001, status: 504 },
    cancelled: { number: -32000, status: 499 },
    unauthenticated: { number: -32000, status: 401 },
    permission_denied: { number: -32000, status: 403 },
    rate_limited: { number: -32000, status: 429 },
    unavailable: { number: -32000, status: 503 },
    payload_too_large: { number: -32600, status: 413 },
    result_too_large: { number: -32603, status: 500 },
    internal: { number: -32603, status: 500 },
  };
