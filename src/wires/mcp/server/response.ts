import type { CallMeta } from "../../../core/call/call.ts";
import {
  type CallResult,
  type ErrorResult,
  invalidInputResult,
  missingScopesOf,
  type QuestionsResult,
} from "../../../core/call/outcome.ts";
import { retryAfterHeader } from "../../framing/http.ts";
import type { MaybeFuture } from "../../../internal/future.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { encodeError, encodeResult } from "../../framing/json_rpc/reply.ts";
import { errorData, errorMessage } from "../../framing/result/encode.ts";
import { mcpErrorCodeOf } from "../protocol/codes.ts";
import type { RequestMessage } from "../protocol/messages.ts";

/** A JSON-RPC response, with the status and headers that it has over HTTP. */
export interface RpcResponse {
  /** The response, as JSON text. */
  readonly json: string;
  /** HTTP status, if it is the whole reply. */
  readonly status: number;
  /** Additional HTTP headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The error that is encoded, if it has one of the SDK's codes. Over HTTP it may need an authentication challenge. */
  readonly error?: ErrorResult | undefined;
}

/** A JSON-RPC error, and the HTTP status of its reply. */
export interface ProtocolError {
  readonly number: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly status: number;
}

/** Makes a {@link ProtocolError}, by default with the HTTP status 400. */
export function protocolError(
  number: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
  status: number = 400,
): ProtocolError {
  return { number, message, data, status };
}

/** Encodes a response with a result that is JSON text already. */
export function resultResponse(id: RequestId, resultJson: string): RpcResponse {
  return { json: encodeResult(id, resultJson), status: 200 };
}

/** Encodes a response with an error of JSON-RPC. */
export function protocolErrorResponse(
  id: RequestId | null,
  { number, message, data, status }: ProtocolError,
): RpcResponse {
  return { json: encodeError(id, JSON.stringify({ code: number, message, data })), status };
}

/** Encodes a response with an error of the SDK, with HTTP headers for authentication or for the delay of a retry. */
export function errorResponse(id: RequestId | null, error: ErrorResult): RpcResponse {
  return { ...protocolErrorResponse(id, toProtocolError(error)), error, headers: errorHeaders(error) };
}

/** Converts an error of the SDK to one of JSON-RPC. The code of the SDK is a member of its data. */
export function toProtocolError(error: ErrorResult): ProtocolError {
  const { number, status } = mcpErrorCodeOf(error);
  return { number, message: errorMessage(error, true), data: errorData(error), status };
}

function errorHeaders({ code, data }: ErrorResult): Readonly<Record<string, string>> | undefined {
  if (code === "unauthenticated") return { "www-authenticate": "Bearer" };
  if (code === "permission_denied") return scopeChallenge(missingScopesOf(data));
  return code === "rate_limited" || code === "unavailable" ? retryAfterHeader(data) : undefined;
}

/** The challenge for scopes that are missing (RFC 6750, section 3.1); `undefined` without any. */
function scopeChallenge(scopes: readonly string[]): Readonly<Record<string, string>> | undefined {
  // The characters of a scope in RFC 6749: others could end the quoted text.
  const sent = scopes.filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (sent.length === 0) return undefined;
  return { "www-authenticate": `Bearer error="insufficient_scope", scope="${sent.join(" ")}"` };
}

/** Encodes the error -32601 (method not found), with HTTP status 404. */
export function unknownMethodResponse({ id, method }: RequestMessage): RpcResponse {
  return protocolErrorResponse(id, {
    number: -32601,
    message: `Method not found: ${method.slice(0, 64)}`,
    data: { code: "method_not_found" },
    status: 404,
  });
}

/** Makes the error `invalid_input` for the parameter `name`, with what is `expected`. Its HTTP status is 200, as `protocol/codes.ts` has it. */
export function paramError(name: string, value: unknown, expected: string): ErrorResult {
  return invalidInputResult(`params.${name} has to be ${expected}`, ["params", name], expected, value);
}

/** Result of a request that has no (further) questions to its caller. */
export type FinalResult = Exclude<CallResult, QuestionsResult>;

/** A request that can ask its caller questions. It runs again with the answers. */
export interface RetryableRequest {
  /** Runs the request, with the answers in `meta`. */
  run(meta: CallMeta | undefined): MaybeFuture<CallResult>;
  encode(result: FinalResult): RpcResponse;
}
