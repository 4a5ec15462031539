/**
 * What the bindings of MCP-lite say of an outcome in the same words: the members of a result, and of its `_meta`.
 *
 * Plain values, not text; knows no envelope.
 * Source: docs/spec.md 3.3, 3.4 and A.3.
 *
 * @module
 */
import type {
  AnswerOutcome,
  CallEvent,
  ErrorResult,
  FailureOutcome,
  PromiseOutcome,
  Question,
  QuestionsResult,
} from "../../../core/call/outcome.ts";
import { RESERVED_META } from "../../../core/call/call_meta.ts";
import { formatTimestamp } from "../../../internal/time.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";

/** What an event says while a call runs. */
export function eventMembers(event: CallEvent): Members {
  switch (event.kind) {
    case "partial":
      return { partial: event.value === undefined ? null : event.value };
    case "progress":
      return { progress: event.progress };
    case "deferred":
      return { deferred: promiseMembers(event.promise) };
  }
}

/** What an error carries as data: the details, and our code; what is no object, or has a code of its own, is in `details`. */
export function refusalData({ code, data: details }: ErrorResult): Members {
  const isPlain = details === undefined || (isJsonObject(details) && !Object.hasOwn(details, "code"));
  return { ...(isPlain ? details : { details }), code };
}

/** What `_meta` says of a promise. */
export function promiseMembers(promise: PromiseOutcome): Members {
  const { estimatedMs, progress } = promise;
  return {
    promise_token: promise.token,
    expires_at: formatTimestamp(promise.expiresAtMs),
    ttl_ms: promise.ttlMs,
    retry_after_ms: promise.retryAfterMs,
    ...(estimatedMs !== undefined && { estimated_completion: formatTimestamp(estimatedMs) }),
    ...(progress !== undefined && { progress }),
  };
}

/** What is asked of the caller, by key. */
export function requestMembers({ requests }: QuestionsResult): Members {
  return Object.fromEntries(Object.entries(requests).map(([key, request]) => [key, askMembers(request)] as const));
}

function askMembers({ kind, message, schema, params }: Question): Members {
  // The specification calls a request for more a resource.
  return { ...params, kind: kind === "more" ? "resource" : kind, message, ...(schema !== undefined && { schema }) };
}

/** The handler's own members of `_meta`. Middleware may hand on what a client got, with what that wire had added. */
export function addedMembers({ meta }: AnswerOutcome | FailureOutcome): Members {
  return Object.fromEntries(Object.entries(meta ?? {}).filter(([name]) => !RESERVED_META.has(name)));
}
