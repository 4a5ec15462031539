/**
 * Reads what a server answers: results, errors and the events of a stream.
 *
 * Total, and lenient where the specification is: no `_meta` or no `response_type` means an answer; a response type that is
 * not known is kept as it came.
 * Source: MCP-lite specification, sections 3.3, 3.4, 4.3 and A.2-A.5.
 *
 * @module
 */
import {
  type AskOutcome,
  type AskRequest,
  type CallEvent,
  type Progress,
  type PromiseOutcome,
  type Refusal,
  refuse,
  type Settled,
  type UnknownOutcome,
} from "../../call/outcome.ts";
import type { RemoteTool } from "../../call/transport.ts";
import type { ToolErrorCode } from "../../error/code.ts";
import { isJsonObject, type JsonObject } from "../../internal/json.ts";

type Members = Readonly<Record<string, unknown>>;

/** Reads the answer to a call; `undefined` if it is none. */
export function decodeAnswer(json: unknown): Settled | UnknownOutcome | undefined {
  return isJsonObject(json) && Object.hasOwn(json, "result") ? decodeResult(json["result"]) : undefined;
}

/** Reads a list of tools, in either of its shapes; `undefined` if it is none. */
export function decodeList(json: unknown): readonly RemoteTool[] | undefined {
  const tools = isJsonObject(json) ? json["tools"] : json;
  return Array.isArray(tools) ? tools as RemoteTool[] : undefined;
}

/** Reads why there is no answer: from an error, or, if there is none either, from the status. */
export function decodeRefusal(json: unknown, status: number, text: string): Refusal {
  if (isJsonObject(json) && isJsonObject(json["error"])) return decodeError(json["error"], status);
  // The rest is the cause's: a handler that calls on may pass the message to its own caller.
  const cause = new Error(`Status ${status}: ${text.trim().slice(0, 200)}`);
  return { ...refuse(codeOfStatus(status), `The server answered ${status}, but not with MCP-lite`), cause };
}

function decodeResult(result: unknown): Settled | UnknownOutcome {
  const members: Members = isJsonObject(result) ? result : {};
  const meta: Members = isJsonObject(members["_meta"]) ? members["_meta"] : {};
  const { response_type: responseType = "answer" } = meta;
  switch (responseType) {
    case "answer":
      return { kind: "answer", value: members["content"], meta };
    case "failure":
      return decodeFailure(members["content"], meta);
    case "promise":
      return decodePromise(meta);
    case "elicitation":
    case "request-for-more-resource":
      return {
        kind: responseType,
        requests: decodeRequests(meta["requests"]),
        continuation: String(meta["continuation"] ?? ""),
      };
    default:
      return { kind: "unknown", responseType: String(responseType), result };
  }
}

/** Our own code if it is there, else what the number means. */
function decodeError(error: Members, status?: number): Refusal {
  const message = typeof error["message"] === "string" ? error["message"] : "No reason given";
  const data: Members = isJsonObject(error["data"]) ? error["data"] : { details: error["data"] };
  const { code, ...details } = data;
  const [first, ...others] = Object.keys(details);
  // What was no object, or had a code of its own, is in `details`.
  const rest = others.length === 0 && first === "details"
    ? details["details"]
    : first === undefined
    ? undefined
    : details;
  // A code that a newer server has is worth more than a guess.
  return refuse(
    typeof code === "string" ? code as ToolErrorCode : codeOfNumber(error["code"], data, status),
    message,
    rest,
  );
}

/** What one event of a stream means: something on the way, the end, or (`undefined`) nothing. */
export type StreamMessage =
  | { readonly kind: "event"; readonly event: CallEvent }
  | { readonly kind: "end"; readonly settled: Settled | UnknownOutcome };

/** Reads one event of a stream. */
export function decodeMessage(event: string, text: string): StreamMessage | undefined {
  // Of what it does not know, a client thinks nothing.
  if (event !== "message" && event !== "done" && event !== "error") return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { kind: "end", settled: refuse("parse_error", "The server sent an event that is not JSON") };
  }
  if (event === "done") return { kind: "end", settled: decodeResult(data) };
  if (event === "error") return { kind: "end", settled: decodeError(isJsonObject(data) ? data : {}) };
  const decoded = isJsonObject(data) ? decodeEvent(data) : undefined;
  return decoded === undefined ? undefined : { kind: "event", event: decoded };
}

function decodeEvent(data: Members): CallEvent | undefined {
  if (Object.hasOwn(data, "partial")) return { kind: "partial", value: data["partial"] };
  if (isJsonObject(data["progress"])) return { kind: "progress", progress: decodeProgress(data["progress"]) };
  if (isJsonObject(data["deferred"])) return { kind: "deferred", promise: decodePromise(data["deferred"]) };
  return undefined;
}

function decodeFailure(content: unknown, meta: Members): Settled {
  const { code, message, data }: Members = isJsonObject(content) ? content : { data: content };
  return {
    kind: "failure",
    code: typeof code === "string" ? code : "failure",
    message: typeof message === "string" ? message : "No reason given",
    data,
    meta,
  };
}

function decodePromise(meta: Members): PromiseOutcome {
  const { promise_token: token, expires_at: expiresAt, ttl_ms: ttlMs, retry_after_ms: retryAfterMs } = meta;
  const { estimated_completion: estimated, progress } = meta;
  const expiresAtMs = typeof expiresAt === "string" ? Date.parse(expiresAt) : Number.NaN;
  return {
    kind: "promise",
    token: String(token ?? ""),
    expiresAtMs,
    ttlMs: typeof ttlMs === "number" ? ttlMs : Number.NaN,
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : 1_000,
    progress: isJsonObject(progress) ? decodeProgress(progress) : undefined,
    estimatedMs: typeof estimated === "string" ? Date.parse(estimated) : undefined,
  };
}

function decodeProgress({ done, total, message }: Members): Progress {
  return {
    done: typeof done === "number" ? done : 0,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}

function decodeRequests(requests: unknown): AskOutcome["requests"] {
  if (!isJsonObject(requests)) return {};
  return Object.fromEntries(
    Object.entries(requests).flatMap(([key, request]) => (isJsonObject(request) ? [[key, decodeAsk(request)]] : [])),
  );
}

function decodeAsk({ kind, message, schema, ...params }: Members): AskRequest {
  return {
    kind: kind as AskRequest["kind"],
    message: String(message ?? ""),
    ...(isJsonObject(schema) && { schema: schema as JsonObject }),
    ...(Object.keys(params).length > 0 && { params: params as JsonObject }),
  };
}

const CODES_OF_NUMBERS: ReadonlyMap<unknown, ToolErrorCode> = new Map([
  [-32700, "parse_error"],
  [-32600, "invalid_request"],
  [-32601, "method_not_found"],
  [-32602, "invalid_input"],
  [-32001, "deadline_exceeded"],
]);

function codeOfNumber(number: unknown, data: Members, status: number | undefined): ToolErrorCode {
  if (number === -32601 && Object.hasOwn(data, "requested_tool")) return "tool_not_found";
  return CODES_OF_NUMBERS.get(number) ?? CODES_OF_STATUSES.get(status ?? 0) ?? "internal";
}

const CODES_OF_STATUSES: ReadonlyMap<number, ToolErrorCode> = new Map([
  [401, "unauthenticated"],
  [403, "permission_denied"],
  [404, "method_not_found"],
  [408, "deadline_exceeded"],
  [413, "payload_too_large"],
  [429, "rate_limited"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
]);

function codeOfStatus(status: number): ToolErrorCode {
  return CODES_OF_STATUSES.get(status) ?? (status < 500 ? "invalid_request" : "internal");
}
