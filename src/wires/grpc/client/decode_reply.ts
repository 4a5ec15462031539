/**
 * Reads what a server answers: responses, the list of tools, and errors.
 *
 * Total. A response is read by way of the result that it would be over HTTP, so that both mean the same.
 * Source: docs/spec.md 5.2-5.5 and A.1-A.5.
 *
 * @module
 */
import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
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
import { ERROR_DOMAIN } from "../messages/error_domain.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../messages/gen/google/rpc/error_details_pb.ts";
import { ResponseType, type Tool } from "../messages/gen/mcplite_pb.ts";

/** Reads one response: something on the way, the end, or (`undefined`) nothing. */
export function decodeResponse(response: ResponseMembers): CallEvent | CallResult | UnknownOutcome | undefined {
  return response.meta === undefined ? decodeEvent(response.result ?? {}) : decodeAnswer(response);
}

/** Reads the one response to a call; without meta it is an answer. */
export function decodeAnswer({ result = {}, meta }: ResponseMembers): CallResult | UnknownOutcome {
  return decodeResult(meta === undefined ? result : { ...result, _meta: metaMembers(meta) });
}

/** Reads a tool of the list. */
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

/** The `_meta` that the meta of a response would be over HTTP. What has its default is absent. */
function metaMembers(meta: ResponseMetaMembers): Members {
  const { extra, responseType, promiseToken, retryAfterMs, progress, continuation, requests, context } = meta;
  const [timestampMs, expiresAtMs, estimatedMs] = [meta.timestamp, meta.expiresAt, meta.estimatedCompletion].map(
    Number,
  );
  return {
    ...extra,
    response_type: RESPONSE_TYPES.get(responseType) ?? String(responseType),
    ...(timestampMs && { timestamp: formatMoment(timestampMs) }),
    processing_time_ms: meta.processingTimeMs,
    ...(meta.serverVersion !== "" && { server_version: meta.serverVersion }),
    ...(promiseToken !== "" && { promise_token: promiseToken }),
    ...(expiresAtMs && { expires_at: formatMoment(expiresAtMs) }),
    ...(expiresAtMs && timestampMs && { ttl_ms: expiresAtMs - timestampMs }),
    ...(retryAfterMs !== 0 && { retry_after_ms: retryAfterMs }),
    ...(estimatedMs && { estimated_completion: formatMoment(estimatedMs) }),
    ...(progress !== undefined && { progress }),
    ...(continuation !== "" && { continuation }),
    ...(requests !== undefined && { requests }),
    ...(context !== "" && { context }),
  };
}

/** The last moment that has a text. */
const LAST_MOMENT_MS = 8.64e15;

function formatMoment(epochMs: number): string {
  return formatTimestamp(Math.min(LAST_MOMENT_MS, Math.max(-LAST_MOMENT_MS, epochMs)));
}

/** Reads an error that the server sent. */
export function decodeError(error: ConnectError): ErrorResult {
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === ERROR_DOMAIN);
  // A code that a newer server has is worth more than a guess.
  const code = (info?.reason ?? MEANINGS[error.code]) as ToolErrorCode;
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

/** What statuses mean, of a server that does not say more. */
const MEANINGS: Readonly<Record<Code, ToolErrorCode>> = {
  [Code.Canceled]: "cancelled",
  [Code.Unknown]: "internal",
  [Code.InvalidArgument]: "invalid_input",
  [Code.DeadlineExceeded]: "deadline_exceeded",
  [Code.NotFound]: "tool_not_found",
  [Code.AlreadyExists]: "conflict",
  [Code.PermissionDenied]: "permission_denied",
  [Code.ResourceExhausted]: "rate_limited",
  [Code.FailedPrecondition]: "invalid_request",
  [Code.Aborted]: "conflict",
  [Code.OutOfRange]: "invalid_input",
  [Code.Unimplemented]: "method_not_found",
  [Code.Internal]: "internal",
  [Code.Unavailable]: "unavailable",
  [Code.DataLoss]: "internal",
  [Code.Unauthenticated]: "unauthenticated",
};
