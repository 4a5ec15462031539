import {
  type Attributes,
  type Context,
  context,
  type Counter,
  type Histogram,
  type Link,
  type Meter,
  type Span,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { CallResult } from "../../core/call/outcome.ts";
import { mapMaybe } from "../../internal/async.ts";
import type { OtelOptions } from "./options.ts";
import {
  ATTEMPT,
  CALL_ID,
  checkOtelOptions,
  createDurationHistogram,
  endSpan,
  lazyInstruments,
  OUTCOME,
  PIECES,
  resultAttributes,
  RPC_METHOD,
  RPC_STATUS_CODE,
  RPC_SYSTEM_NAME,
  SERVER_CALL_DURATION,
  SYSTEM,
  TAKEN_OVER,
  tracerOf,
  WIRE,
} from "./telemetry.ts";
import { formatTraceContext, parseTraceContext, withMetadata, withTraceContext } from "./trace_context.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** Instruments by which calls and jobs of a server are measured. */
interface ServerInstruments {
  readonly calls: Histogram;
  readonly jobs: Histogram;
  readonly outcomes: Counter;
  readonly promises: Counter;
  readonly rejectedTokens: Counter;
}

/** Error codes of rejected promise tokens and continuations. */
const TOKEN_ERRORS: ReadonlySet<string> = new Set([
  "invalid_promise",
  "expired_promise",
  "promise_lost",
  "invalid_continuation",
]);

/**
 * Creates middleware that records a span and the duration of each call, and counts results, issued promise tokens and rejected tokens. The
 * same value as `jobMiddleware` records the runs of deferred work; their spans are linked to the spans of their calls.
 *
 * A call belongs to the trace in `_meta.traceparent`; otherwise to the active span, such as that of an HTTP instrumentation;
 * otherwise to the trace in its headers or gRPC metadata.
 *
 * @example A server that is traced
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { otel } from "jsr:@toolwire/toolwire/otel";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const telemetry = otel();
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], middleware: [telemetry], jobMiddleware: [telemetry] });
 * console.log(await testClient(server).ping()); // → pong
 * ```
 */
export function otel(options: OtelOptions = {}): Middleware {
  checkOtelOptions(options);
  const tracer = tracerOf(options);
  const instruments = lazyInstruments(options, createInstruments);
  /** A span for the rest of a run whose call was promised: the span of the call has ended with the promise. */
  const followWork = (ctx: MiddlewareCtx, work: Promise<CallResult>, call: Span): void => {
    const method = { ...options.attributes, [RPC_SYSTEM_NAME]: SYSTEM, [RPC_METHOD]: ctx.tool.name };
    const span = tracer.startSpan(ctx.tool.name, {
      kind: SpanKind.CONSUMER,
      root: true,
      links: [{ context: call.spanContext() }],
      attributes: { ...method, [WIRE]: "job", [CALL_ID]: ctx.callId, [ATTEMPT]: ctx.attempt },
    });
    const startedMs = ctx.clock.elapsed();
    void work.then((result) => {
      const attributes = resultAttributes(result, "server");
      const seconds = (ctx.clock.elapsed() - startedMs) / 1000;
      instruments().jobs.record(seconds, { ...method, ...attributes }, trace.setSpan(context.active(), span));
      endSpan(span, result, attributes);
    });
  };
  return (ctx, next) => {
    const isJob = ctx.call.peer.wire === "job";
    const method = { ...options.attributes, [RPC_SYSTEM_NAME]: SYSTEM, [RPC_METHOD]: ctx.tool.name };
    const { parent, links } = isJob ? { parent: context.active(), links: linksToCall(ctx) } : parentOf(ctx);
    const span = tracer.startSpan(ctx.tool.name, {
      kind: isJob ? SpanKind.CONSUMER : SpanKind.SERVER,
      root: isJob,
      links,
      attributes: {
        ...method,
        [WIRE]: ctx.call.peer.wire,
        [CALL_ID]: ctx.callId,
        ...(isJob && { [ATTEMPT]: ctx.attempt, ...(ctx.isTakenOver && { [TAKEN_OVER]: true }) }),
      },
    }, parent);
    const active = trace.setSpan(parent, span);
    const startedMs = ctx.clock.elapsed();
    const partials = span.isRecording() ? countPartials(ctx) : undefined;
    if (!isJob) {
      ctx.trace = formatTraceContext(active);
      ctx.onPromised((work) => followWork(ctx, work, span));
    }
    return mapMaybe(context.with(active, next), (result) => {
      const attributes = resultAttributes(result, "server");
      const seconds = (ctx.clock.elapsed() - startedMs) / 1000;
      instruments()[isJob ? "jobs" : "calls"].record(seconds, { ...method, ...attributes }, active);
      if (!isJob) count(instruments(), ctx, result, { ...method, [WIRE]: ctx.call.peer.wire });
      if (partials !== undefined && partials.count > 0) span.setAttribute(PIECES, partials.count);
      endSpan(span, result, attributes);
      return result;
    });
  };
}

function createInstruments(meter: Meter): ServerInstruments {
  const count = (name: string, description: string) => meter.createCounter(name, { description });
  return {
    calls: createDurationHistogram(meter, SERVER_CALL_DURATION, "Duration of calls"),
    jobs: createDurationHistogram(meter, "toolwire.job.duration", "Duration of runs of deferred work"),
    outcomes: count("toolwire.server.calls", "Results of calls"),
    promises: count("toolwire.server.promises", "Promise tokens that were issued"),
    rejectedTokens: count("toolwire.server.tokens.rejected", "Promise tokens and continuations that were rejected"),
  };
}

function count(instruments: ServerInstruments, ctx: MiddlewareCtx, result: CallResult, attributes: Attributes): void {
  instruments.outcomes.add(1, { ...attributes, [OUTCOME]: result.kind });
  // Redeeming a promise token returns the same promise again.
  if (result.kind === "promise" && !ctx.tool.isSystem) instruments.promises.add(1, attributes);
  if (result.kind === "error" && TOKEN_ERRORS.has(result.code)) {
    instruments.rejectedTokens.add(1, { ...attributes, [RPC_STATUS_CODE]: result.code });
  }
}

/** Parent of a call's span. If the caller sent another trace than that of the active span, the active span is linked. */
function parentOf(ctx: MiddlewareCtx): { readonly parent: Context; readonly links: Link[] } {
  const active = context.active();
  const ambient = trace.getSpanContext(active);
  if (ctx.trace !== undefined) {
    const remote = withTraceContext(active, ctx.trace);
    const isRemote = trace.getSpanContext(remote) !== ambient;
    if (isRemote) return { parent: remote, links: ambient === undefined ? [] : [{ context: ambient }] };
  }
  return { parent: ambient === undefined ? withMetadata(active, ctx.metadata) : active, links: [] };
}

function linksToCall({ trace: traceContext }: MiddlewareCtx): Link[] {
  const call = traceContext && parseTraceContext(traceContext);
  return call === undefined ? [] : [{ context: call }];
}

function countPartials(ctx: MiddlewareCtx): { readonly count: number } {
  const partials = { count: 0 };
  ctx.onEvent(({ kind }) => {
    if (kind === "partial") partials.count++;
  });
  return partials;
}
