/** With a context manager and a propagator, as an SDK registers them. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { after, test } from "node:test";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { otel, otelTransport } from "../../../src/entries/otel.ts";
import { rest } from "../../../src/entries/rest.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { Telemetry } from "./harness.ts";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(
  new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
);
after(() => {
  context.disable();
  propagation.disable();
});

test("otel(): spans that a handler makes are within its call's, asynchronous or not", async () => {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const work = defineTool("work").describe("Work").handle(async () => {
    await Promise.resolve();
    tracer.startSpan("inner").end();
    return "done";
  });
  await testClient(createServer({ tools: [work], middleware: [otel({ tracer, meter })] })).work();
  const [inner, call] = telemetry.spans;
  deepStrictEqual([inner?.name, inner?.parentSpanContext?.spanId], ["inner", call?.spanContext().spanId]);
});

test("otel(): the span that is active is what a call is part of, unless its caller says another, which is then linked", async () => {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const server = createServer({
    tools: [defineTool("ping").describe("Ping").handle(() => "pong")],
    middleware: [otel({ tracer, meter })],
  });
  const outer = tracer.startSpan("outer");
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  await context.with(trace.setSpan(context.active(), outer), async () => {
    await testClient(server, { metadata: new Headers({ traceparent }) }).ping();
    await testClient(server).ping({}, { meta: { traceparent } });
  });
  const [ambient, reply] = telemetry.spans;
  strictEqual(ambient?.parentSpanContext?.spanId, outer.spanContext().spanId);
  strictEqual(reply?.parentSpanContext?.spanId, "b7ad6b7169203331");
  deepStrictEqual(reply?.links.map((link) => link.context.spanId), [outer.spanContext().spanId]);
});

test("otel(): a call over REST is within the active span, as its headers are those of the HTTP request", async () => {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const ping = defineTool("ping").describe("Ping").handle(() => "pong");
  const server = createServer({ tools: [ping], wires: [rest()], middleware: [otel({ tracer, meter })] });
  const outer = tracer.startSpan("POST /rest/tools/ping");
  const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  const request = new Request("http://localhost/rest/tools/ping", { method: "POST", headers });
  await context.with(trace.setSpan(context.active(), outer), () => server.fetch(request));
  strictEqual(telemetry.spans[0]?.parentSpanContext?.spanId, outer.spanContext().spanId);
  await server.fetch(request.clone());
  strictEqual(telemetry.spans[1]?.parentSpanContext?.spanId, "b7ad6b7169203331");
});

test("otelTransport(): baggage goes along", async () => {
  const { tracer, meter } = new Telemetry();
  const seen: (string | undefined)[] = [];
  const tool = defineTool("ping").describe("Ping").handle(() => {
    seen.push(propagation.getActiveBaggage()?.getEntry("tenant")?.value);
    return "pong";
  });
  const server = createServer({ tools: [tool], middleware: [otel({ tracer, meter })] });
  const client = createClient<typeof server>(otelTransport(memoryTransport(server), { tracer, meter }));
  const baggage = propagation.createBaggage({ tenant: { value: "acme" } });
  // As in another process: the server has only the context that was sent with the call.
  const sent = context.with(propagation.setBaggage(context.active(), baggage), () => client.ping());
  strictEqual(await sent, "pong");
  deepStrictEqual(seen, ["acme"]);
});
