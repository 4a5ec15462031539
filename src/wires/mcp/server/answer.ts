import type { ErrorResult } from "../../../core/call/outcome.ts";
import { retryAfter } from "../../../http_client/retry_after.ts";
import type { RequestId } from "../../framing/json_rpc/decode.ts";
import { encodeError, encodeResult } from "../../framing/json_rpc/encode.ts";
import { refusalData } from "../../framing/result/encode.ts";
import { messageOf } from "../../framing/result/unknown_tool.ts";
import { mcpErrorCodes } from "../protocol/codes.ts";
import type { RequestMessage } from "../protocol/messages.ts";

/** A whole JSON-RPC response, and how HTTP says it. */
export interface Answer {
  /** The response, as text. */
  readonly json: string;
  /** HTTP status, where nothing was sent before. */
  readonly status: number;
  /** HTTP headers beside the usual. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Set if it refuses: over HTTP its caller is told what to do about that. */
  readonly refusal?: ErrorResult | undefined;
}

/** An error of the protocol itself. */
export interface ProtocolError {
  /** JSON-RPC error number. */
  readonly number: number;
  /** For people. */
  readonly message: string;
  /** What belongs to it. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** HTTP status. */
  readonly status: number;
}

/** Makes a {@link ProtocolError}. */
export function protocolError(
  number: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
  status: number = 400,
): ProtocolError {
  return { number, message, data, status };
}

/** A response whose result is JSON text already. */
export function resultAnswer(id: RequestId, resultJson: string): Answer {
  return { json: encodeResult(id, resultJson), status: 200 };
}

/** A response that is an error. */
export function errorAnswer(id: RequestId | null, { number, message, data, status }: ProtocolError): Answer {
  return { json: encodeError(id, JSON.stringify({ code: number, message, data })), status };
}

/** A response that is the refusal of a call. */
export function refusalAnswer(id: RequestId | null, refusal: ErrorResult): Answer {
  const answer = { ...errorAnswer(id, toProtocolError(refusal)), refusal };
  const headers = refusalHeaders(refusal);
  return headers === undefined ? answer : { ...answer, headers };
}

/** A refusal as an error of JSON-RPC; our own code stands in its data. */
export function toProtocolError(refusal: ErrorResult): ProtocolError {
  const { number, status } = mcpErrorCodes[refusal.code];
  return { number, message: messageOf(refusal, true), data: refusalData(refusal), status };
}

function refusalHeaders({ code, data }: ErrorResult): Readonly<Record<string, string>> | undefined {
  if (code === "unauthenticated") return { "www-authenticate": "Bearer" };
  if (code === "permission_denied") return { "www-authenticate": 'Bearer error="insufficient_scope"' };
  return code === "rate_limited" || code === "unavailable" ? retryAfter(data) : undefined;
}

/** The answer to a method that there is not. */
export function unknownMethod({ id, method }: RequestMessage): Answer {
  return errorAnswer(id, {
    number: -32601,
    message: `Method not found: ${method.slice(0, 64)}`,
    data: { code: "method_not_found" },
    status: 404,
  });
}
