/** Instruments, attributes and span endings that the middleware and the transport share. */
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
import type { CallResult, UnknownOutcome } from "../../core/call/outcome.ts";
import type { ToolErrorCode } from "../../core/errors/code.ts";
import { isJsonObject } from "../../internal/json.ts";
import type { OtelOptions } from "./options.ts";

/** Attribute, whose value is the RPC system: always {@link SYSTEM}. */
export const RPC_SYSTEM_NAME = "rpc.system.name";
/** Attribute, whose value is the name of the called tool. */
export const RPC_METHOD = "rpc.method";
/** Attribute: the error code, or `OK` for every other result, failures included. */
export const RPC_STATUS_CODE = "rpc.status_code";
/** Attribute: the error code, at a client of every error, at a server of its faults only; `_OTHER` for an exception at a client. */
export const ERROR_TYPE = "error.type";

/** Metric: duration of a call at the server, in seconds. */
export const SERVER_CALL_DURATION = "rpc.server.call.duration";
/** Metric: duration of a call at the client, in seconds. */
export const CLIENT_CALL_DURATION = "rpc.client.call.duration";

/** Attribute: wire of the call, such as `mcp` or `grpc`; `job` for a run of deferred work. */
export const WIRE = "toolwire.wire";
/** Attribute: kind of the result: `answer`, `promise`, `elicitation`, `request-for-more-resource`, `failure` or `error`. */
export const OUTCOME = "toolwire.outcome";
/** Attribute of spans: code of a failure. Not on metrics, because the number of codes is unlimited. */
const FAILURE_CODE = "toolwire.failure.code";
/** Attribute of spans: id of the call, `ctx.callId`. */
export const CALL_ID = "toolwire.call.id";
/** Attribute: id of an internal error in the log. */
const CORRELATION_ID = "toolwire.correlation.id";
/** Attribute of spans: number of streamed partial results, if there were any. */
export const PIECES = "toolwire.pieces";
/** Attribute of spans: attempt of a job, from 1. */
export const ATTEMPT = "toolwire.attempt";

/** Whether a run follows one of a process that has died. */
export const TAKEN_OVER = "toolwire.taken_over";

/** The RPC system, and name of the default tracer and meter. The same for all wires, because a tool is the same method on all of them. */
export const SYSTEM = "toolwire";

const RULES: OptionRules<OtelOptions> = { tracer: OBJECT, meter: OBJECT, attributes: OBJECT };

/** Validates the options before anything is recorded. @throws {TypeError} If one is unknown or has the wrong type. */
export function checkOtelOptions(options: OtelOptions): void {
  checkOptions("trace and measure", options, RULES);
}

/** Returns the tracer of the options, or the one named `toolwire` of the global provider. */
export function tracerOf({ tracer }: OtelOptions): Tracer {
  return tracer === undefined ? trace.getTracer(SYSTEM) : tracer as Tracer;
}

/**
 * Returns a function that creates the instruments at its first call. Instruments that are created before a global provider is
 * registered never measure anything.
 */
export function lazyInstruments<Instruments>(
  { meter }: OtelOptions,
  create: (meter: Meter) => Instruments,
): () => Instruments {
  let created: Instruments | undefined;
  return () => (created ??= create(meter === undefined ? metrics.getMeter(SYSTEM) : meter as Meter));
}

/** Creates a histogram of durations in seconds, with the bucket boundaries of the semantic conventions. */
export function createDurationHistogram(meter: Meter, name: string, description: string): Histogram {
  const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
  return meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries } });
}

/** Error codes that are faults of the server. All other errors are caused by the caller. */
const SERVER_FAULTS: ReadonlySet<ToolErrorCode> = new Set([
  "internal",
  "unavailable",
  "deadline_exceeded",
  "result_too_large",
]);

/** The side that measures a call. For a client every error result is an error. */
type Side = "server" | "client";

/** Attributes of the result of a call, for spans and measurements: its kind, its status code, and the error type if it counts for the side. */
export function resultAttributes(result: CallResult | UnknownOutcome, side: Side): Attributes {
  if (result.kind !== "error") return { [RPC_STATUS_CODE]: "OK", [OUTCOME]: result.kind };
  const { code } = result;
  const isError = side === "client" || SERVER_FAULTS.has(code);
  return { [RPC_STATUS_CODE]: code, [OUTCOME]: result.kind, ...(isError && { [ERROR_TYPE]: code }) };
}

export function endSpan(span: Span, result: CallResult | UnknownOutcome, attributes: Attributes): void {
  span.setAttributes(attributes);
  if (result.kind === "failure") span.setAttribute(FAILURE_CODE, result.code);
  if (result.kind === "error") {
    const { data } = result;
    const correlationId = isJsonObject(data) ? data["correlation_id"] : undefined;
    if (typeof correlationId === "string") span.setAttribute(CORRELATION_ID, correlationId);
    if (ERROR_TYPE in attributes) span.setStatus({ code: SpanStatusCode.ERROR, message: result.message });
  }
  span.end();
}
