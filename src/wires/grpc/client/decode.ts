/**
 * Decodes what a server sends: responses, the list of tools, and errors.
 *
 * Total. A response is converted to the result of MCP-lite over HTTP, and decoded by the same functions.
 * Source: docs/spec.md 5.2-5.5 and A.1-A.5.
 *
 * @module
 */
import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import {
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import type { ListedTool } from "../../../core/call/transport.ts";
import { decodeEvent, decodeResult, DEFAULT_ERROR_MESSAGE, removeToolName } from "../../framing/result/decode.ts";
import type { Members } from "../../../internal/json.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";
import { formatTimestamp } from "../../../internal/time.ts";
import type { ResponseMembers, ResponseMetaMembers } from "../messages/binary.ts";
import { ERROR_DOMAIN, errorCodes } from "../messages/codes.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../messages/gen/google/rpc/error_details_pb.ts";
import { ResponseType, type Tool } from "../messages/gen/mcplite_pb.ts";

/** Decodes one response of a stream: an event, or the last result. Returns `undefined` for a response that is neither. */
export function decodeStreamResponse(response: ResponseMembers): CallEvent | CallResult | UnknownOutcome | undefined {
  return response.meta === undefined ? decodeEvent(response.result ?? {}) : decodeUnaryResponse(response);
}

/** Decodes the response to a unary call. Without a meta it is an answer. */
export function decodeUnaryResponse({ result = {}, meta }: ResponseMembers): CallResult | UnknownOutcome {
  return decodeResult(meta === undefined ? result : { ...result, _meta: metaMembers(meta) });
}

/** Decodes a tool of the list. */
export function decodeTool(tool: Tool): ListedTool {
  const { name, type, title, description, inputSchema, outputSchema, annotations, meta } = tool;
  return {
    name,
    ...(type !== "" && { "@type": type }),
    ...(title !== "" && { title }),
    description,
    ...(inputSchema !== undefined && { inputSchema }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

const RESPONSE_TYPES: ReadonlyMap<number, string> = new Map([
  [ResponseType.ANSWER, "answer"],
  [ResponseType.PROMISE, "promise"],
  [ResponseType.ELICITATION, "elicitation"],
  [ResponseType.FAILURE, "failure"],
  [ResponseType.REQUEST_FOR_MORE_RESOURCE, "request-for-more-resource"],
]);

/** Converts the meta of a response to the `_meta` of MCP-lite over HTTP. Fields with their default are absent. */
function metaMembers(meta: ResponseMetaMembers): Members {
  const { extra, responseType, promiseToken, retryAfterMs, progress, continuation, requests, context } = meta;
  const [timestampMs, expiresAtMs, estimatedMs] = [meta.timestamp, meta.expiresAt, meta.estimatedCompletion].map(
    Number,
  );
  return {
    ...extra,
    response_type: RESPONSE_TYPES.get(responseType) ?? String(responseType),
    ...(timestampMs && { timestamp: formatEpochMs(timestampMs) }),
    processing_time_ms: meta.processingTimeMs,
    ...(meta.serverVersion !== "" && { server_version: meta.serverVersion }),
    ...(promiseToken !== "" && { promise_token: promiseToken }),
    ...(expiresAtMs && { expires_at: formatEpochMs(expiresAtMs) }),
    ...(expiresAtMs && timestampMs && { ttl_ms: expiresAtMs - timestampMs }),
    ...(retryAfterMs !== 0 && { retry_after_ms: retryAfterMs }),
    ...(estimatedMs && { estimated_completion: formatEpochMs(estimatedMs) }),
    ...(progress !== undefined && { progress }),
    ...(continuation !== "" && { continuation }),
    ...(requests !== undefined && { requests }),
    ...(context !== "" && { context }),
  };
}

/** Maximum time value of a `Date`, in milliseconds. */
const MAX_EPOCH_MS = 8.64e15;

function formatEpochMs(epochMs: number): string {
  return formatTimestamp(Math.min(MAX_EPOCH_MS, Math.max(-MAX_EPOCH_MS, epochMs)));
}

/** Decodes an error that the server sent. */
export function decodeError(error: ConnectError): ErrorResult {
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === ERROR_DOMAIN);
  // An unknown code, of a newer server, is more precise than the status.
  const code = (info?.reason ?? errorCodes[error.code]) as ToolErrorCode;
  const { rawMessage } = error;
  return removeToolName(errorResult(code, rawMessage === "" ? DEFAULT_ERROR_MESSAGE : rawMessage, dataOf(error)));
}

function dataOf(error: ConnectError): unknown {
  const [value] = error.findDetails(ValueSchema);
  if (value !== undefined) return toJson(ValueSchema, value);
  const [bad] = error.findDetails(BadRequestSchema);
  if (bad === undefined) return undefined;
  const issues = bad.fieldViolations.map(({ field, description }) => ({
    path: field.split("."),
    message: description,
  }));
  return { issues };
}
