/**
 * Reads the results of MCP-lite, and what is told on the way to them.
 *
 * Total, and lenient where the specification is: no `_meta` or no `response_type` means an answer; a response type that is
 * not known is kept as it came.
 * Source: docs/spec.md 3.3, 3.4 and A.2-A.4.
 *
 * @module
 */
import type {
  CallEvent,
  CallResult,
  Progress,
  PromiseOutcome,
  Question,
  UnknownOutcome,
} from "../../../core/call/outcome.ts";
import { asObject, isJsonObject, type JsonObject, type Members, typedOr } from "../../../internal/json.ts";

/** What is said of an error without a message. */
export const NO_REASON = "No reason given";

/** Reads a result with its `_meta`: how the call ended. */
export function decodeResult(result: Members): CallResult | UnknownOutcome {
  const { content, _meta } = result;
  const meta = asObject(_meta);
  const { response_type: kind = "answer" } = meta;
  switch (kind) {
    case "answer":
      return { kind, value: content, meta };
    case "failure": {
      const { code, message, data }: Members = isJsonObject(content) ? content : { data: content };
      return { kind, code: typedOr(code, kind), message: typedOr(message, NO_REASON), data, meta };
    }
    case "promise":
      return decodePromise(meta);
    case "elicitation":
    case "request-for-more-resource":
      return {
        kind,
        requests: Object.fromEntries(Object.entries(asObject(meta["requests"])).map(decodeRequest)),
        continuation: typedOr(meta["continuation"], ""),
      };
    default:
      return { kind: "unknown", responseType: String(kind), result };
  }
}

/** Reads what happened while the call ran; `undefined` if it is not known. */
export function decodeEvent(data: Members): CallEvent | undefined {
  const { partial, progress, deferred } = data;
  if ("partial" in data) return { kind: "partial", value: partial };
  if (isJsonObject(progress)) return { kind: "progress", progress: decodeProgress(progress) };
  return isJsonObject(deferred) ? { kind: "deferred", promise: decodePromise(deferred) } : undefined;
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

function decodeRequest([key, request]: readonly [string, unknown]): readonly [string, Question] {
  const { kind, message, schema, ...params } = asObject(request);
  return [key, {
    kind: kind === "resource" ? "more" : kind as Question["kind"],
    message: typedOr(message, ""),
    ...(isJsonObject(schema) && { schema: schema as JsonObject }),
    ...(Object.keys(params).length > 0 && { params: params as JsonObject }),
  }];
}
