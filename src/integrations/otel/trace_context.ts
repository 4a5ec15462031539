/**
 * Trace context of calls: extracted and injected by the global propagator, or as W3C Trace Context if there is no propagator.
 *
 * Source: {@link https://www.w3.org/TR/trace-context/ | Trace Context}, section 3.2.
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
  // Metadata cannot be listed.
  keys: () => [],
};

/** Returns `base` with the trace that a caller sent in `_meta`, or `base` itself if that is invalid. */
export function withTraceContext(base: Context, sent: TraceContext): Context {
  return withRemote(base, propagation.extract(base, sent, RECORD), parseTraceContext(sent));
}

/** Returns `base` with the trace in headers or gRPC metadata, or `base` itself if there is no valid one. */
export function withMetadata(base: Context, metadata: Metadata): Context {
  const [traceparent, tracestate] = [metadata.get("traceparent"), metadata.get("tracestate")];
  const sent = traceparent === null ? {} : { traceparent, ...(tracestate !== null && { tracestate }) };
  return withRemote(base, propagation.extract(base, metadata, METADATA), parseTraceContext(sent));
}

function withRemote(base: Context, extracted: Context, parsed: SpanContext | undefined): Context {
  const isExtracted = trace.getSpanContext(extracted) !== trace.getSpanContext(base);
  return isExtracted || parsed === undefined ? extracted : trace.setSpanContext(extracted, parsed);
}

/** Parses the span context of a trace context. Returns `undefined` if it is invalid. */
export function parseTraceContext({ traceparent = "", tracestate }: TraceContext): SpanContext | undefined {
  // Later versions may add fields. Version ff is invalid.
  const match = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent);
  const [, version, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (version === "00" && traceparent.length !== 55) return undefined;
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!isSpanContextValid(span)) return undefined;
  return tracestate === undefined ? span : { ...span, traceState: createTraceState(tracestate) };
}

/** Formats the trace context that is sent with a call or stored with a job, so that it belongs to the span of `context`. */
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
