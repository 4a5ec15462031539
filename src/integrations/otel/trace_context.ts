/**
 * Trace context in and out of calls: by the propagator that the process has, and by W3C Trace Context where it has none.
 *
 * Source: {@link https://www.w3.org/TR/trace-context/ | Trace Context}, section 3.2.
 *
 * @module
 */
import {
  type Context,
  createTraceState,
  isSpanContextValid,
  propagation,
  type SpanContext,
  type TextMapGetter,
  trace,
} from "@opentelemetry/api";
import type { Metadata, TraceContext } from "../../core/call/call.ts";
import { omitUndefined } from "../../internal/json.ts";

const RECORD: TextMapGetter<TraceContext> = {
  get: (carrier, key) => (carrier as Readonly<Record<string, string>>)[key],
  keys: Object.keys,
};

const METADATA: TextMapGetter<Metadata> = {
  get: (carrier, key) => carrier.get(key) ?? undefined,
  // Headers are looked up, not listed.
  keys: () => [],
};

/** `base` with the trace that a caller said in `_meta`; `base` itself if that is none. */
export function withSaid(base: Context, said: TraceContext): Context {
  return withRemote(base, propagation.extract(base, said, RECORD), parseTraceContext(said));
}

/** `base` with the trace that headers or gRPC metadata say; `base` itself if they say none. */
export function withMetadata(base: Context, metadata: Metadata): Context {
  const [traceparent, tracestate] = [metadata.get("traceparent"), metadata.get("tracestate")];
  const said = traceparent === null ? {} : { traceparent, ...(tracestate !== null && { tracestate }) };
  return withRemote(base, propagation.extract(base, metadata, METADATA), parseTraceContext(said));
}

function withRemote(base: Context, extracted: Context, parsed: SpanContext | undefined): Context {
  const isKnown = trace.getSpanContext(extracted) !== trace.getSpanContext(base);
  return isKnown || parsed === undefined ? extracted : trace.setSpanContext(extracted, parsed);
}

/** The span that a trace context names; `undefined` if it names none. */
export function parseTraceContext({ traceparent = "", tracestate }: TraceContext): SpanContext | undefined {
  // Later versions may add fields; version ff is none.
  const match = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent);
  const [, version, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (version === "00" && traceparent.length !== 55) return undefined;
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!isSpanContextValid(span)) return undefined;
  return tracestate === undefined ? span : { ...span, traceState: createTraceState(tracestate) };
}

/** What is sent along with a call, or kept with a job, so that it belongs to the span of `context`. */
export function formatTraceContext(context: Context): TraceContext {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  const { traceparent = formatTraceparent(trace.getSpanContext(context)), tracestate, baggage } = carrier;
  return omitUndefined({ traceparent, tracestate, baggage });
}

function formatTraceparent(span: SpanContext | undefined): string | undefined {
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 1).toString(16).padStart(2, "0")}`;
}
