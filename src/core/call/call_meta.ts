import { isJsonObject } from "../../internal/json.ts";
import type { CallMeta, TraceContext } from "./call.ts";
import { type ErrorResult, invalidInputResult } from "./outcome.ts";

/** Longest idempotency key, in UTF-16 code units. */
const MAX_KEY = 256;

/** Longest text that is kept of a trace, in UTF-16 code units: as long as baggage has to be passed on. */
const MAX_TRACE_TEXT = 8_192;

interface Member {
  /** The member of {@link CallMeta} that it becomes. */
  readonly name: keyof CallMeta;
  /** What it has to be, for people. */
  readonly expected: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): value is string => typeof value === "string";

const MEMBERS: Readonly<Record<string, Member>> = {
  deadline_ms: {
    name: "deadlineMs",
    expected: "a positive number of milliseconds",
    fits: (value) => typeof value === "number" && value > 0,
  },
  continuation: { name: "continuation", expected: "a string", fits: isText },
  responses: { name: "responses", expected: "an object", fits: isJsonObject },
  context: { name: "context", expected: "a string", fits: isText },
  idempotency_key: {
    name: "idempotencyKey",
    expected: `a string of 1 to ${MAX_KEY} characters`,
    fits: (value) => isText(value) && value !== "" && value.length <= MAX_KEY,
  },
  promise: { name: "isPromiseWanted", expected: "true or false", fits: (value) => typeof value === "boolean" },
};

/**
 * Reads what a caller says about a call, by its names on the wire. Total: bad input is a value.
 *
 * @param where What it is called there.
 */
export function decodeCallMeta(meta: unknown, where = "params._meta"): CallMeta | ErrorResult {
  if (!isJsonObject(meta)) return invalidInputResult(`${where} must be an object`, ["_meta"], "object", meta);
  const decoded: Record<string, unknown> = {};
  for (const [wireName, { name, expected, fits }] of Object.entries(MEMBERS)) {
    const value = meta[wireName];
    if (value === undefined) continue;
    if (!fits(value)) {
      return invalidInputResult(`${where}.${wireName} must be ${expected}`, ["_meta", wireName], expected, value);
    }
    decoded[name] = value;
  }
  const trace = decodeTrace(meta);
  return trace === undefined ? decoded : { ...decoded, trace };
}

/** The trace that a call belongs to, by its names on the wire; `undefined` if it is not said. What is no text, or too long, counts for nothing. */
export function decodeTrace(meta: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent, tracestate, baggage } = meta;
  if (traceparent === undefined && baggage === undefined) return undefined;
  return {
    ...(isTraceText(traceparent) && { traceparent }),
    ...(isTraceText(tracestate) && { tracestate }),
    ...(isTraceText(baggage) && { baggage }),
  };
}

function isTraceText(value: unknown): value is string {
  return isText(value) && value.length <= MAX_TRACE_TEXT;
}

/** Members of a result's `_meta` that the wires write themselves (docs/spec.md 3.3, and ours). */
export const RESERVED_META: ReadonlySet<string> = new Set([
  "response_type",
  "timestamp",
  "processing_time_ms",
  "server_version",
  "promise_token",
  "expires_at",
  "ttl_ms",
  "retry_after_ms",
  "estimated_completion",
  "progress",
  "continuation",
  "requests",
  "context",
]);
