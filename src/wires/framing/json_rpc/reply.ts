/**
 * Replies of JSON-RPC 2.0 over HTTP.
 *
 * MCP-lite sends them, and the server itself for requests that it rejects before a wire takes them.
 *
 * @module
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import { JSON_HEADERS, type JsonReply, retryAfterHeader } from "../http.ts";
import { errorData } from "../result/encode.ts";
import { jsonRpcErrorCodes } from "./codes.ts";
import type { RequestId } from "./decode.ts";

/**
 * Makes the reply of an error.
 *
 * @param id Id of the request; `null` if it is unknown.
 * @param status Default: the status of the error's code.
 * @param added Further headers.
 */
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

/** Encodes a response. Its result is JSON text, so that nothing is stringified twice. */
export function encodeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

/** Encodes an error response. Its error is JSON text. */
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
