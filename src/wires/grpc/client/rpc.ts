/** The contract between transports and protocols, decoding of responses, and the error results of failed RPCs. */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
  toErrorResult,
  type UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { MAX_ANSWER_DEPTH, tooDeepError } from "../../../core/call/parse_answer.ts";
import type { ActivityMonitor, ListedTool } from "../../../core/call/transport.ts";
import { decodeStatus } from "../../framing/json_rpc/decode_error.ts";
import type { ToolErrorCode } from "../../../core/errors/code.ts";
import { ToolError } from "../../../core/errors/tool_error.ts";
import type { ResponseMembers, ResponseMetaMembers, ToolRequestMembers } from "../messages/binary.ts";
import { toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { decodeEvent, decodeResult, DEFAULT_ERROR_MESSAGE, removeToolName } from "../../framing/result/decode.ts";
import { lostConnection } from "../../../http_client/connection_errors.ts";
import type { Members } from "../../../internal/json.ts";
import { formatTimestamp } from "../../../internal/time.ts";
import { ERROR_DOMAIN, errorCodes } from "../messages/codes.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../messages/gen/google/rpc/error_details_pb.ts";
import { ResponseType, type Tool } from "../messages/gen/mcplite_pb.ts";

/** Makes the RPCs of a client by one protocol. Total: every failure is an error result. */
export interface Rpc {
  /** Calls a tool: by `CallToolStream` if there is a sink, otherwise by `CallTool`. */
  call(
    request: ToolRequestMembers,
    headers: Headers,
    limit: ActivityMonitor,
    sink: Sink | undefined,
  ): Promise<CallResult | UnknownOutcome>;
  list(headers: Headers, limit: ActivityMonitor): Promise<readonly ListedTool[] | ErrorResult>;
  /** Closes the connection, if the protocol keeps one. */
  close?(): void;
}

/** Address of a server, and the limit on its responses. */
export interface Endpoint {
  /** URL prefix of the service's paths. Its query is appended to them. */
  readonly base: URL;
  /** Maximum size of a response in bytes; of a stream, in total. */
  readonly maxBytes: number;
}

/** Passes the events of a streamed response to a sink, and keeps the result. */
export class StreamedResponses {
  readonly #sink: Sink;
  #result: CallResult | UnknownOutcome | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Result of the stream; an error if the stream was interrupted. */
  get result(): CallResult | UnknownOutcome {
    return this.#result ?? STREAM_INTERRUPTED;
  }

  /** Adds a response. Those after the result are ignored, but have to be read so that the connection can be reused. */
  add(response: ResponseMembers): void | Promise<void> {
    const decoded = decodeStreamResponse(response);
    if (decoded === undefined) return;
    const { kind } = decoded;
    if (kind === "partial" || kind === "progress" || kind === "deferred" || kind === "dropped") {
      return this.#sink.push(decoded);
    }
    this.#result ??= decoded;
  }
}

/** Maximum nesting of the messages that the library reads. A level of an answer is up to four messages. */
export const RECURSION_LIMIT: number = 4 * MAX_ANSWER_DEPTH;

/** The error `unavailable`, for a response that is incomplete or malformed. */
export const STREAM_INTERRUPTED: ErrorResult = lostConnection();

/** The part of an HTTP response that errors describe. */
export interface ReceivedResponse {
  readonly url: string;
  readonly status: number;
  /** Start of the body. */
  readonly text: string;
}

/** Maximum length of the quoted start of an unexpected response, in characters. */
const MAX_PREFIX_CHARS = 200;

/** Reads the body of an unexpected response up to the chunk with its 200th character, or to an error. The text may be longer. */
export async function readPrefix(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length >= MAX_PREFIX_CHARS) break;
    }
  } catch {
    // An incomplete prefix is good enough.
  }
  return text;
}

/** The error for a response that is not of the protocol, with `code` or that of its status. Only the cause has the URL. */
export function unexpectedResponse({ url, status, text }: ReceivedResponse, code?: ToolErrorCode): ErrorResult {
  const result = decodeStatus(status, text, "MCP-lite");
  const advice = status === 404 ? ": check that the server has the wire grpc(), and the path of the URL" : "";
  const cause = new Error(`POST ${url}: status ${status}: ${text.trim().slice(0, MAX_PREFIX_CHARS)}`);
  return { ...errorResult(code ?? result.code, result.message + advice), cause };
}

/**
 * Converts an exception to an error result: an error that the server sent, or a failure to read its response.
 *
 * @param response The response, if its HTTP status is an error.
 */
export function rpcErrorResult(thrown: unknown, response?: ReceivedResponse): ErrorResult {
  const cause = thrown instanceof ConnectError ? thrown.cause : thrown;
  // Thrown below the protocol, and wrapped by Connect.
  if (cause instanceof ToolError) return toErrorResult(cause);
  if (isRecursionError(thrown)) return toErrorResult(tooDeepError());
  if (!(thrown instanceof ConnectError)) return { ...STREAM_INTERRUPTED, cause: thrown };
  // Connect takes any JSON for an error; without message and details it is of another server.
  const hasContent = thrown.rawMessage !== "" || thrown.details.length > 0;
  if (thrown.isWireError && (hasContent || response === undefined)) return decodeError(thrown);
  if (response !== undefined) return unexpectedResponse(response, decodeError(thrown).code);
  // The length of a message exceeds the limit.
  if (thrown.code === Code.ResourceExhausted) {
    return { ...errorResult("result_too_large", "The answer is larger than maxResponseBytes"), cause: thrown };
  }
  return { ...STREAM_INTERRUPTED, cause: thrown };
}

/** Whether the library gave up a message that is nested too deeply, by its limit or that of the stack. It has no type for that. */
function isRecursionError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || (thrown instanceof ConnectError && thrown.isWireError)) return false;
  return /maximum (recursion depth|call stack)/i.test(thrown.message);
}

/** Decodes one response of a stream: an event, or the last result. Returns `undefined` for a response that is neither. */
function decodeStreamResponse(response: ResponseMembers): CallEvent | CallResult | UnknownOutcome | undefined {
  return response.meta === undefined ? decodeEvent(response.result ?? {}) : decodeUnaryResponse(response);
}

/** Decodes the response to a unary call. Without a meta it is an answer. */
export function decodeUnaryResponse({ result = {}, meta }: ResponseMembers): CallResult | UnknownOutcome {
  return decodeResult(meta === undefined ? result : { ...result, _meta: metaMembers(meta) });
}

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
function decodeError(error: ConnectError): ErrorResult {
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
