import {
  type Attributes,
  type Context,
  context,
  type Counter,
  type Histogram,
  type Link,
  type Meter,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { CallResult } from "../../core/call/outcome.ts";
import { mapMaybe } from "../../internal/async.ts";
import { checkOtelOptions, durations, lazyInstruments, type OtelOptions, tracerOf } from "./instruments.ts";
import {
  ATTEMPT,
  CALL_ID,
  OUTCOME,
  PIECES,
  RPC_METHOD,
  RPC_STATUS_CODE,
  RPC_SYSTEM_NAME,
  SERVER_CALL_DURATION,
  SYSTEM,
  WIRE,
} from "./names.ts";
import { endSpan, outcomeAttributes } from "./outcome.ts";
import { formatTraceContext, parseTraceContext, withMetadata, withSaid } from "./trace_context.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** What a server measures. */
interface ServerInstruments {
  readonly calls: Histogram;
  readonly jobs: Histogram;
  readonly outcomes: Counter;
  readonly promises: Counter;
  readonly refusedTokens: Counter;
}

/** How a token is refused, and work that one stands for. */
const TOKEN_REFUSALS: ReadonlySet<string> = new Set([
  "invalid_promise",
  "expired_promise",
  "promise_lost",
  "invalid_continuation",
]);

/**
 * Spans and metrics for the calls of a server, as its middleware; and, the same value again as `jobMiddleware`, for runs of
 * deferred work, whose spans are linked to those of their calls.
 *
 * A call belongs to the trace that its caller says in `_meta.traceparent`; else to the span that is active, such as that of an
 * HTTP instrumentation; else to the trace of its headers or gRPC metadata.
 *
 * @example A server that is traced
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { otel } from "jsr:@toolwire/toolwire/otel";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const telemetry = otel();
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], middleware: [telemetry], jobMiddleware: [telemetry] });
 * strictEqual(await testClient(server).ping(), "pong");
 * ```
 */
export function otel(options: OtelOptions = {}): Middleware {
  checkOtelOptions(options);
  const tracer = tracerOf(options);
  const instruments = lazyInstruments(options, createInstruments);
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
        ...(isJob && { [ATTEMPT]: ctx.attempt }),
      },
    }, parent);
    const within = trace.setSpan(parent, span);
    const startedMs = ctx.clock.elapsed();
    const pieces = span.isRecording() ? countPieces(ctx) : undefined;
    if (!isJob) ctx.trace = formatTraceContext(within);
    return mapMaybe(context.with(within, next), (settled) => {
      const ended = outcomeAttributes(settled, "server");
      const seconds = (ctx.clock.elapsed() - startedMs) / 1000;
      instruments()[isJob ? "jobs" : "calls"].record(seconds, { ...method, ...ended }, within);
      if (!isJob) count(instruments(), ctx, settled, { ...method, [WIRE]: ctx.call.peer.wire });
      if (pieces !== undefined && pieces.count > 0) span.setAttribute(PIECES, pieces.count);
      endSpan(span, settled, ended);
      return settled;
    });
  };
}

function createInstruments(meter: Meter): ServerInstruments {
  const count = (name: string, description: string) => meter.createCounter(name, { description });
  return {
    calls: durations(meter, SERVER_CALL_DURATION, "How long calls took"),
    jobs: durations(meter, "toolwire.job.duration", "How long runs of deferred work took"),
    outcomes: count("toolwire.server.calls", "How calls ended"),
    promises: count("toolwire.server.promises", "Promises that were given"),
    refusedTokens: count("toolwire.server.tokens.refused", "Promise tokens and continuations that were refused"),
  };
}

function count(instruments: ServerInstruments, ctx: MiddlewareCtx, settled: CallResult, attributes: Attributes): void {
  instruments.outcomes.add(1, { ...attributes, [OUTCOME]: settled.kind });
  // Whoever redeems gets the same promise again.
  if (settled.kind === "promise" && !ctx.tool.isSystem) instruments.promises.add(1, attributes);
  if (settled.kind === "error" && TOKEN_REFUSALS.has(settled.code)) {
    instruments.refusedTokens.add(1, { ...attributes, [RPC_STATUS_CODE]: settled.code });
  }
}

/** What a call is part of; where its caller says another trace than the span that is active, both are told. */
function parentOf(ctx: MiddlewareCtx): { readonly parent: Context; readonly links: Link[] } {
  const active = context.active();
  const ambient = trace.getSpanContext(active);
  if (ctx.trace !== undefined) {
    const said = withSaid(active, ctx.trace);
    const isSaid = trace.getSpanContext(said) !== ambient;
    if (isSaid) return { parent: said, links: ambient === undefined ? [] : [{ context: ambient }] };
  }
  return { parent: ambient === undefined ? withMetadata(active, ctx.metadata) : active, links: [] };
}

function linksToCall({ trace: said }: MiddlewareCtx): Link[] {
  const call = said && parseTraceContext(said);
  return call === undefined ? [] : [{ context: call }];
}

function countPieces(ctx: MiddlewareCtx): { count: number } {
  const pieces = { count: 0 };
  ctx.onEvent(({ kind }) => {
    if (kind === "partial") pieces.count++;
  });
  return pieces;
}
