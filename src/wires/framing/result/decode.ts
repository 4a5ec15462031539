/**
 * Decodes the results and events of MCP-lite.
 *
 * Never throws. Lenient as the specification is: a result without `_meta` or `response_type` is an answer, and a result of an
 * unknown type is kept as it is.
 * Source: docs/spec.md 3.3, 3.4 and A.2-A.4.
 */
import type {
  CallEvent,
  CallResult,
  ErrorResult,
  Progress,
  PromiseOutcome,
  Question,
  UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { asObject, isJsonObject, type JsonObject, type Members, typedOr } from "../../../internal/json.ts";

/** Message that a client gives a failure or error whose server sent none. */
export const DEFAULT_ERROR_MESSAGE = "No reason given";

/** Decodes a result of MCP-lite by `response_type`: answer (the default), failure, promise or questions; others are kept as unknown. */
export function decodeResult(result: Members): CallResult | UnknownOutcome {
  const { content, _meta } = result;
  const meta = asObject(_meta);
  const { response_type: kind = "answer" } = meta;
  switch (kind) {
    case "answer":
      return { kind, value: content, meta };
    case "failure": {
      const { code, message, data }: Members = isJsonObject(content) ? content : { data: content };
      return { kind, code: typedOr(code, kind), message: typedOr(message, DEFAULT_ERROR_MESSAGE), data, meta };
    }
    case "promise":
      return decodePromise(meta);
    case "elicitation":
    case "request-for-more-resource":
      return {
        kind,
        requests: Object.fromEntries(Object.entries(asObject(meta["requests"])).map(decodeQuestion)),
        continuation: typedOr(meta["continuation"], ""),
      };
    default:
      return { kind: "unknown", responseType: String(kind), result };
  }
}

/** Decodes an event of a call (partial value, progress, promise, or dropped pieces) from its JSON members; `undefined` for another one. */
export function decodeEvent(data: Members): CallEvent | undefined {
  const { partial, progress, deferred, dropped } = data;
  if ("partial" in data) return { kind: "partial", value: partial };
  if (isJsonObject(progress)) return { kind: "progress", progress: decodeProgress(progress) };
  if (isJsonObject(deferred)) return { kind: "deferred", promise: decodePromise(deferred) };
  if (!isJsonObject(dropped)) return undefined;
  return { kind: "dropped", from: typedOr(dropped["from"], 0), to: typedOr(dropped["to"], 0) };
}

function decodePromise(meta: Members): PromiseOutcome {
  const { progress, estimated_completion: estimated } = meta;
  return {
    kind: "promise",
    token: typedOr(meta["promise_token"], ""),
    expiresAtMs: Date.parse(typedOr(meta["expires_at"], "")),
    ttlMs: typedOr(meta["ttl_ms"], NaN),
    retryAfterMs: typedOr(meta["retry_after_ms"], 1_000),
    progress: isJsonObject(progress) ? decodeProgress(progress) : undefined,
    estimatedMs: typeof estimated === "string" ? Date.parse(estimated) : undefined,
  };
}

function decodeProgress({ done, total, message }: Members): Progress {
  return {
    done: typedOr(done, 0),
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}

function decodeQuestion([key, question]: readonly [string, unknown]): readonly [string, Question] {
  const { kind, message, schema, ...params } = asObject(question);
  return [key, {
    kind: kind === "resource" ? "more" : kind as Question["kind"],
    message: typedOr(message, ""),
    ...(isJsonObject(schema) && { schema: schema as JsonObject }),
    ...(Object.keys(params).length > 0 && { params: params as JsonObject }),
  }];
}

/** Removes the tool's name from the message of `tool_not_found`, which some wires append. Other errors stay unchanged. */
export function removeToolName(error: ErrorResult): ErrorResult {
  if (error.code !== "tool_not_found") return error;
  return { ...error, message: error.message.replace(/^(Tool not found): [^]*$/, "$1") };
}
