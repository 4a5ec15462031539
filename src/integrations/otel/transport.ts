import { context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { CallResult, Sink, UnknownOutcome } from "../../core/call/outcome.ts";
import type { Transport, TransportCall } from "../../core/call/transport.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { OtelOptions } from "./options.ts";
import {
  checkOtelOptions,
  CLIENT_CALL_DURATION,
  createDurationHistogram,
  endSpan,
  ERROR_TYPE,
  lazyInstruments,
  resultAttributes,
  RPC_METHOD,
  RPC_SYSTEM_NAME,
  SYSTEM,
  tracerOf,
} from "./telemetry.ts";
import { formatTraceContext } from "./trace_context.ts";

/**
 * Wraps a transport, and records a span and the duration of each call of a client; lists of tools are not recorded. The trace context is
 * sent to the server in `_meta.traceparent`, over every wire.
 *
 * @example A client that is traced
 * ```ts
 * import { createClient, createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 * import { otelTransport } from "jsr:@toolwire/toolwire/otel";
 *
 * const server = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
 * const client = createClient<typeof server>(otelTransport(memoryTransport(server)));
 * console.log(await client.ping()); // → pong
 * ```
 */
export function otelTransport(transport: Transport, options: OtelOptions = {}): Transport {
  checkOtelOptions(options);
  const tracer = tracerOf(options);
  const duration = lazyInstruments(
    options,
    (meter) => createDurationHistogram(meter, CLIENT_CALL_DURATION, "Duration of calls"),
  );
  return {
    async call(call: TransportCall, sink?: Sink): Promise<CallResult | UnknownOutcome> {
      const attributes = { ...options.attributes, [RPC_SYSTEM_NAME]: SYSTEM, [RPC_METHOD]: call.tool };
      const span = tracer.startSpan(call.tool, { kind: SpanKind.CLIENT, attributes });
      const active = trace.setSpan(context.active(), span);
      const startedMs = performance.now();
      const meta = { ...call.meta, ...formatTraceContext(active) };
      const record = (ended: object) =>
        duration().record((performance.now() - startedMs) / 1000, { ...attributes, ...ended }, active);
      try {
        const result = await context.with(
          active,
          (): MaybePromise<CallResult | UnknownOutcome> => transport.call({ ...call, meta }, sink),
        );
        const ended = resultAttributes(result, "client");
        record(ended);
        endSpan(span, result, ended);
        return result;
      } catch (thrown) {
        record({ [ERROR_TYPE]: "_OTHER" });
        endWithException(span, thrown);
        throw thrown;
      }
    },
    list: (limit) => transport.list(limit),
    close: () => transport.close?.(),
  };
}

/** Ends a span for an exception of the caller's own functions. */
function endWithException(span: Span, thrown: unknown): void {
  if (thrown instanceof Error) span.recordException(thrown);
  span.setAttribute(ERROR_TYPE, "_OTHER");
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
