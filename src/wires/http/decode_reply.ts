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

/** The members of what should be an object: none, if it is something else. */
export function membersOf(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

function numberOr<Other>(value: unknown, other: Other): number | Other {
  return typeof value === "number" ? value : other;
}

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
  const { error } = membersOf(json);
  if (isJsonObject(error)) return decodeError(error, status);
  const code = MEANINGS.get(status) ?? (status < 500 ? "invalid_request" : "internal");
  const cause = `Status ${status}: ${text.trim().slice(0, 200)}`;
  return refuseBecause(code, `The server answered ${status}, but not with MCP-lite`, cause);
}

/** A refusal whose particulars are the cause's: a handler that calls on may pass the message to its own caller. */
export function refuseBecause(code: ToolErrorCode, message: string, because: string, options?: ErrorOptions): Refusal {
  return { ...refuse(code, message), cause: new Error(because, options) };
}

function decodeResult(result: unknown): Settled | UnknownOutcome {
  const { content, _meta } = membersOf(result);
  const meta = membersOf(_meta);
  const { response_type: kind = "answer" } = meta;
  switch (kind) {
    case "answer":
      return { kind, value: content, meta };
    case "failure":
      return decodeFailure(content, meta);
    case "promise":
      return decodePromise(meta);
    case "elicitation":
    case "request-for-more-resource":
      return { kind, requests: decodeRequests(meta["requests"]), continuation: String(meta["continuation"] ?? "") };
    default:
      return { kind: "unknown", responseType: String(kind), result };
  }
}

const NO_REASON = "No reason given";

/** Our own code if it is there, else what the number means. */
function decodeError({ code: number, message, data: sent }: Members, status?: number): Refusal {
  const data: Members = isJsonObject(sent) ? sent : { details: sent };
  const { code, ...details } = data;
  const [first = "details", second] = Object.keys(details);
  // What was no object, or had a code of its own, is in `details`.
  const rest = first === "details" && second === undefined ? details[first] : details;
  // A code that a newer server has is worth more than a guess.
  const known = textOr(code, undefined) as ToolErrorCode | undefined;
  return refuse(known ?? codeOf(number, data, status), textOr(message, NO_REASON), rest);
}

/** Reads one event of a stream: something on the way, the end, or (`undefined`) nothing. */
export function decodeMessage(event: string, text: string): CallEvent | Settled | UnknownOutcome | undefined {
  // Of what it does not know, a client thinks nothing.
  if (!/^(message|done|error)$/.test(event)) return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return refuse("parse_error", "The server sent an event that is not JSON");
  }
  if (event === "done") return decodeResult(data);
  return event === "error" ? decodeError(membersOf(data)) : decodeEvent(membersOf(data));
}

function decodeEvent(data: Members): CallEvent | undefined {
  const { partial, progress, deferred } = data;
  if (Object.hasOwn(data, "partial")) return { kind: "partial", value: partial };
  if (isJsonObject(progress)) return { kind: "progress", progress: decodeProgress(progress) };
  return isJsonObject(deferred) ? { kind: "deferred", promise: decodePromise(deferred) } : undefined;
}

function decodeFailure(content: unknown, meta: Members): Settled {
  const { code, message, data }: Members = isJsonObject(content) ? content : { data: content };
  return { kind: "failure", code: textOr(code, "failure"), message: textOr(message, NO_REASON), data, meta };
}

function decodePromise(meta: Members): PromiseOutcome {
  const { progress, estimated_completion: estimated } = meta;
  return {
    kind: "promise",
    token: String(meta["promise_token"] ?? ""),
    expiresAtMs: Date.parse(textOr(meta["expires_at"], "")),
    ttlMs: numberOr(meta["ttl_ms"], Number.NaN),
    retryAfterMs: numberOr(meta["retry_after_ms"], 1_000),
    progress: isJsonObject(progress) ? decodeProgress(progress) : undefined,
    estimatedMs: typeof estimated === "string" ? Date.parse(estimated) : undefined,
  };
}

function decodeProgress({ done, total, message }: Members): Progress {
  return {
    done: numberOr(done, 0),
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}

function decodeRequests(requests: unknown): AskOutcome["requests"] {
  return Object.fromEntries(
    Object.entries(membersOf(requests)).flatMap(([key, request]) =>
      isJsonObject(request) ? [[key, decodeAsk(request)]] : []
    ),
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

/** What numbers of JSON-RPC errors and HTTP statuses mean. */
const MEANINGS: ReadonlyMap<unknown, ToolErrorCode> = new Map([
  [-32700, "parse_error"],
  [-32600, "invalid_request"],
  [-32601, "method_not_found"],
  [-32602, "invalid_input"],
  [-32001, "deadline_exceeded"],
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

function codeOf(number: unknown, data: Members, status: number | undefined): ToolErrorCode {
  if (number === -32601 && Object.hasOwn(data, "requested_tool")) return "tool_not_found";
  return MEANINGS.get(number) ?? MEANINGS.get(status) ?? "internal";
}
