import { isJsonObject } from "../../internal/json.ts";
import type { CallMeta, TraceContext } from "./call.ts";
import { type ErrorResult, invalidInputResult } from "./outcome.ts";

/** Maximum length of an idempotency key, in UTF-16 code units. */
const MAX_KEY = 256;

/** Maximum length of a trace member, in UTF-16 code units. W3C Baggage requires at least this much to be propagated. */
const MAX_TRACE_TEXT = 8_192;

/** A member of `_meta`, and how it is checked. */
interface Member {
  /** Name of the decoded member of {@link CallMeta}. */
  readonly name: keyof CallMeta;
  /** Description of a valid value, for error messages. */
  readonly expected: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): value is string => typeof value === "string";

const DURATION: Pick<Member, "expected" | "fits"> = {
  expected: "a positive number of milliseconds",
  fits: (value) => typeof value === "number" && value > 0,
};

const MEMBERS: Readonly<Record<string, Member>> = {
  deadline_ms: { name: "deadlineMs", ...DURATION },
  heartbeat_ms: { name: "heartbeatMs", ...DURATION },
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

/** Decodes call metadata from its names on the wire. Other names are ignored. Invalid input is returned as an error that names `where`. */
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

/**
 * Decodes the trace context of a call. `undefined` without both `traceparent` and `baggage`. Members that are not strings or
 * have more than 8,192 characters are left out.
 */
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

/** Members of a result's `_meta` that only wires set (docs/spec.md 3.3, and extensions): `ctx.meta()` throws for them. */
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
