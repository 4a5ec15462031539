/**
 * Converts outcomes, events and errors to the JSON values that all bindings of MCP-lite have in common: members of a result and of
 * its `_meta`.
 *
 * The wires put them in their envelopes and stringify them.
 * Source: docs/spec.md 3.3, 3.4 and A.3.
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
import { asObject, isJsonObject, type Members } from "../../../internal/json.ts";

export function eventToJson(event: CallEvent): Members {
  switch (event.kind) {
    case "partial":
      return { partial: event.value === undefined ? null : event.value };
    case "progress":
      return { progress: event.progress };
    case "deferred":
      return { deferred: promiseToJson(event.promise) };
    case "dropped":
      return { dropped: { from: event.from, to: event.to } };
  }
}

/**
 * Converts a promise to JSON: `promise_token`, `expires_at`, `ttl_ms`, `retry_after_ms`, and `estimated_completion` and `progress` if they are
 * known. Points in time are in ISO 8601, durations in milliseconds. Each wire chooses the place: MCP-lite has it in `_meta`, REST in the body.
 */
export function promiseToJson(promise: PromiseOutcome): Members {
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

/** Converts the questions of a result to JSON, by key. The kind `more` is called `resource` there. */
export function questionsToJson({ requests }: QuestionsResult): Members {
  return Object.fromEntries(
    Object.entries(requests).map(([key, question]) => [key, questionToJson(question)] as const),
  );
}

function questionToJson({ kind, message, schema, params }: Question): Members {
  // A request for more is called a resource in the specification.
  return { ...params, kind: kind === "more" ? "resource" : kind, message, ...(schema !== undefined && { schema }) };
}

/**
 * Members of `_meta` that the handler added. Reserved members are removed: middleware may return the outcome of another server,
 * with the members that its wire added.
 */
export function handlerMeta({ meta }: AnswerOutcome | FailureOutcome): Members {
  return Object.fromEntries(Object.entries(meta ?? {}).filter(([name]) => !RESERVED_META.has(name)));
}

/** Members of `_meta` of an answer or failure: those of the handler, and the caller state; `undefined` if it has neither. */
export function outcomeMeta(outcome: AnswerOutcome | FailureOutcome): Members | undefined {
  const { meta, context } = outcome;
  if (meta === undefined && context === undefined) return undefined;
  return { ...handlerMeta(outcome), ...(context !== undefined && { context }) };
}

/** Data of an error: its details and its code. Details that are not an object, or have their own `code`, are in `details`. */
export function errorData({ code, data: details }: { readonly code: string; readonly data?: unknown }): Members {
  const isPlain = details === undefined || (isJsonObject(details) && !Object.hasOwn(details, "code"));
  return { ...(isPlain ? details : { details }), code };
}

/** Maximum length of a tool name in a message, in UTF-16 code units. It is the limit of MCP for names. */
const MAX_NAME = 128;

/** Characters of an untrusted name that are replaced: control characters, line breaks, marks that change the text direction. */
const UNSAFE = /[^\p{L}\p{N}\p{P}\p{S} ]/gu;

/**
 * Message of an error, for wires whose callers see no data. That of an unknown tool has the tool's name.
 *
 * MCP-lite over HTTP has the name in the data only (A.5). `removeToolName` restores its message.
 *
 * @param hasHint Whether the name of a similar tool is appended, if there is one.
 */
export function errorMessage({ code, message, data }: ErrorResult, hasHint: boolean): string {
  const { requested_tool: requested, suggestion } = asObject(data);
  if (code !== "tool_not_found" || typeof requested !== "string") return message;
  const name = requested.slice(0, MAX_NAME).replace(UNSAFE, "?");
  const hint = hasHint && suggestion !== undefined ? `. ${suggestion}` : "";
  return `${message}: ${name}${requested.length > MAX_NAME ? "…" : ""}${hint}`;
}
