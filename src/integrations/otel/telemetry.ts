import {
  type Attributes,
  type Histogram,
  type Meter,
  metrics,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { checkOptions, OBJECT, type OptionRules } from "../../internal/options.ts";
import { CORRELATION_ID, ERROR_TYPE, FAILURE_CODE, OUTCOME, RPC_STATUS_CODE, SYSTEM } from "./names.ts";
import type { CallResult, UnknownOutcome } from "../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../core/errors/code.ts";
import { isJsonObject } from "../../internal/json.ts";

/** Options of {@link otel} and {@link otelTransport}. */
export interface OtelOptions {
  /** Makes the spans. Default: that of the global provider, under the name `toolwire`. */
  readonly tracer?: Tracer;
  /** Makes the instruments. Default: that of the global provider, under the name `toolwire`. */
  readonly meter?: Meter;
  /** Added to each span and each measurement, such as `server.address`. */
  readonly attributes?: Attributes;
}

const RULES: OptionRules<OtelOptions> = { tracer: OBJECT, meter: OBJECT, attributes: OBJECT };

/** @throws {TypeError} If there is no such option, or it is not of the right kind. */
export function checkOtelOptions(options: OtelOptions): void {
  checkOptions("trace and measure", options, RULES);
}

/** The tracer to use. */
export function tracerOf({ tracer = trace.getTracer(SYSTEM) }: OtelOptions): Tracer {
  return tracer;
}

/**
 * Instruments that are made when they are first used: what is asked of the global provider before there is one would measure
 * nothing for ever.
 */
export function lazyInstruments<Instruments>(
  { meter }: OtelOptions,
  create: (meter: Meter) => Instruments,
): () => Instruments {
  let made: Instruments | undefined;
  return () => (made ??= create(meter ?? metrics.getMeter(SYSTEM)));
}

/** A histogram of durations, in seconds, with the boundaries that the conventions advise. */
export function durations(meter: Meter, name: string, description: string): Histogram {
  const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  return meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries } });
}

/** What a server has to answer for; other refusals are what the caller did. */
const SERVER_FAULTS: ReadonlySet<ToolErrorCode> = new Set([
  "internal",
  "unavailable",
  "deadline_exceeded",
  "result_too_large",
]);

/** Which side tells of a call: to a client each refusal is an error. */
export type Side = "server" | "client";

/** How a call ended, for measurements. */
export function outcomeAttributes(settled: CallResult | UnknownOutcome, side: Side): Attributes {
  if (settled.kind !== "error") return { [RPC_STATUS_CODE]: "OK", [OUTCOME]: settled.kind };
  const { code } = settled;
  const isError = side === "client" || SERVER_FAULTS.has(code);
  return { [RPC_STATUS_CODE]: code, [OUTCOME]: settled.kind, ...(isError && { [ERROR_TYPE]: code }) };
}

/** Says on a span how its call ended, and ends it. */
export function endSpan(span: Span, settled: CallResult | UnknownOutcome, attributes: Attributes): void {
  span.setAttributes(attributes);
  if (settled.kind === "failure") span.setAttribute(FAILURE_CODE, settled.code);
  if (settled.kind === "error") {
    const { data } = settled;
    const correlationId = isJsonObject(data) ? data["correlation_id"] : undefined;
    if (typeof correlationId === "string") span.setAttribute(CORRELATION_ID, correlationId);
    if (ERROR_TYPE in attributes) span.setStatus({ code: SpanStatusCode.ERROR, message: settled.message });
  }
  span.end();
}
