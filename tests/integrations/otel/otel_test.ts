import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import * as v from "../../../src/entries/schema.ts";
import { type AnyTool, defineTool, Failure, ToolError } from "../../../mod.ts";
import { otel } from "../../../src/entries/otel.ts";
import { Bench, KeptSink, settle } from "../../core/dispatch/harness.ts";
import { asPromise, Gates, KEYS, pass, redeem, settledOf, standstill, watch } from "../../jobs/promises/promised.ts";
import { Telemetry } from "./harness.ts";

const t = defineTool("t").describe("T");
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

function traced(tools: readonly AnyTool[], options: ConstructorParameters<typeof Bench>[1] = {}) {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const middleware = [otel({ tracer, meter })];
  return { telemetry, bench: new Bench(tools, { middleware, jobMiddleware: middleware, keys: KEYS, ...options }) };
}

function only<Value>(values: readonly Value[]): Value {
  const [value, ...more] = values;
  ok(value !== undefined && more.length === 0, `${values.length} values`);
  return value;
}

const thrower = (thrown: unknown) => () => {
  throw thrown;
};

for (
  const [how, tool, attributes, status] of [
    ["an answer", t.handle(() => 1), { "rpc.status_code": "OK", "toolwire.outcome": "answer" }, SpanStatusCode.UNSET],
    ["a failure", t.handle(thrower(new Failure("no", "No"))), {
      "rpc.status_code": "OK",
      "toolwire.outcome": "failure",
      "toolwire.failure.code": "no",
    }, SpanStatusCode.UNSET],
    ["what the caller did wrong", t.handle(thrower(new ToolError("conflict", "No"))), {
      "rpc.status_code": "conflict",
      "toolwire.outcome": "error",
    }, SpanStatusCode.UNSET],
    ["what the server could not do", t.handle(thrower(new ToolError("unavailable", "No"))), {
      "rpc.status_code": "unavailable",
      "toolwire.outcome": "error",
      "error.type": "unavailable",
    }, SpanStatusCode.ERROR],
  ] as const
) {
  test(`otel() makes a span and measurements of ${how}`, async () => {
    const { telemetry, bench } = traced([tool]);
    await bench.call("t");
    const span = only(telemetry.spans);
    const { "toolwire.call.id": callId, ...rest } = span.attributes;
    match(String(callId), /^[0-9a-f-]{36}$/);
    deepStrictEqual(rest, {
      "rpc.system.name": "toolwire",
      "rpc.method": "t",
      "toolwire.wire": "test",
      ...attributes,
    });
    deepStrictEqual([span.name, span.kind, span.status.code], ["t", SpanKind.SERVER, status]);
    const { "toolwire.failure.code": _, ...measured } = attributes as Record<string, string>;
    const method = { "rpc.system.name": "toolwire", "rpc.method": "t" };
    deepStrictEqual(await telemetry.measured("rpc.server.call.duration"), [
      { attributes: { ...method, ...measured }, count: 1 },
    ]);
    deepStrictEqual(await telemetry.measured("toolwire.server.calls"), [
      {
        attributes: { ...method, "toolwire.wire": "test", "toolwire.outcome": attributes["toolwire.outcome"] },
        count: 1,
      },
    ]);
  });
}

test("otel() names the correlation id of what is masked, and nothing of it", async () => {
  const { telemetry, bench } = traced([t.handle(thrower(new Error("secret")))]);
  await bench.call("t");
  const { attributes, status, events } = only(telemetry.spans);
  const [line] = bench.log.lines;
  strictEqual(attributes["toolwire.correlation.id"], line?.fields["correlationId"]);
  ok(!JSON.stringify([attributes, status, events]).includes("secret"));
});

test("otel() measures how long calls take, asynchronous ones too, and counts what they stream", async () => {
  const { telemetry, bench } = traced([
    t.handle(async function* () {
      yield "a";
      await settle();
      yield "b";
    }),
  ]);
  await bench.call("t", {}, { sink: new KeptSink() });
  strictEqual(only(telemetry.spans).attributes["toolwire.pieces"], 2);
});

for (
  const [how, call] of [
    ["_meta", { meta: { trace: { traceparent: TRACEPARENT } } }],
    ["headers", { peer: { metadata: new Headers({ traceparent: TRACEPARENT }) } }],
    ["_meta rather than headers", {
      meta: { trace: { traceparent: TRACEPARENT } },
      peer: { metadata: new Headers({ traceparent: TRACEPARENT.replaceAll("1", "2") }) },
    }],
  ] as const
) {
  test(`otel() goes on with the trace of ${how}`, async () => {
    const { telemetry, bench } = traced([t.handle(() => 1)]);
    await bench.call("t", {}, call);
    const span = only(telemetry.spans);
    deepStrictEqual([span.spanContext().traceId, span.parentSpanContext?.spanId], [TRACE_ID, PARENT_ID]);
  });
}

for (
  const traceparent of [
    "",
    "x",
    TRACEPARENT.toUpperCase(),
    `ff-${TRACE_ID}-${PARENT_ID}-01`,
    `00-${"0".repeat(32)}-${PARENT_ID}-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}\r\nx: y`,
  ]
) {
  test(`otel() begins a trace of its own where ${JSON.stringify(traceparent)} is said`, async () => {
    const { telemetry, bench } = traced([t.handle(() => 1)]);
    await bench.call("t", {}, { meta: { trace: { traceparent } } });
    const span = only(telemetry.spans);
    strictEqual(span.parentSpanContext, undefined);
    ok(span.spanContext().traceId !== TRACE_ID);
  });
}

test("otel() takes a traceparent of a later version", async () => {
  const { telemetry, bench } = traced([t.handle(() => 1)]);
  await bench.call("t", {}, { meta: { trace: { traceparent: `01${TRACEPARENT.slice(2)}-more`, tracestate: "a=b" } } });
  const { parentSpanContext } = only(telemetry.spans);
  deepStrictEqual([parentSpanContext?.spanId, parentSpanContext?.traceState?.get("a")], [PARENT_ID, "b"]);
});

test("otel() links the run of a job, in a separate trace, to the call that began it", async () => {
  const { clock, engine } = standstill();
  const { telemetry, bench } = traced([t.promise().handle(() => 1)], { clock, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  await redeem(bench, token);
  // The job may end before its promise token is sent.
  const [call, redeemed] = telemetry.spans.filter(({ kind }) => kind === SpanKind.SERVER);
  const [job] = telemetry.spans.filter(({ kind }) => kind === SpanKind.CONSUMER);
  ok(call !== undefined && job !== undefined && redeemed !== undefined);
  deepStrictEqual([call.name, call.kind, call.attributes["toolwire.outcome"]], ["t", SpanKind.SERVER, "promise"]);
  deepStrictEqual([job.name, job.kind, job.attributes["toolwire.attempt"]], ["t", SpanKind.CONSUMER, 1]);
  const [link] = job.links;
  const { traceId, spanId } = call.spanContext();
  deepStrictEqual([link?.context.traceId, link?.context.spanId], [traceId, spanId]);
  ok(job.spanContext().traceId !== traceId && job.parentSpanContext === undefined);
  strictEqual(redeemed.name, "redeem");
  strictEqual((await telemetry.measured("toolwire.job.duration"))[0]?.count, 1);
  deepStrictEqual((await telemetry.measured("toolwire.server.promises")).map(({ count }) => count), [1]);
});

test("otel() ends the span of a call that is promised at its budget, and of one that comes to its deadline", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const hang = defineTool("hang").describe("Hang").handle(() => new Promise(() => {}));
  const { telemetry, bench } = traced([t.promise({ budgetMs: 1_000 }).handle(() => gates.wait()), hang], {
    clock,
    engine,
  });
  const call = watch(bench.call("t"));
  const late = watch(bench.call("hang"));
  await pass({ clock }, 1_000);
  const { token } = asPromise(settledOf(call));
  await redeem(bench, token);
  await pass({ clock }, 29_000);
  settledOf(late);
  deepStrictEqual(telemetry.spans.map(({ name, attributes }) => [name, attributes["rpc.status_code"]]), [
    ["t", "OK"],
    ["redeem", "OK"],
    ["hang", "deadline_exceeded"],
  ]);
  strictEqual((await telemetry.measured("toolwire.server.promises"))[0]?.count, 1, "redeeming gives no new one");
});

test("otel() counts tokens that are refused, by why", async () => {
  const { telemetry, bench } = traced([
    t.promise().handle((_, ctx) => ctx.elicit("k", { message: "?", schema: v.object({}) })),
  ]);
  await bench.call("redeem", { promise: "prom_x" });
  await bench.call("redeem", { promise: "prom_y" });
  await bench.call("t", {}, { meta: { continuation: "cont_x" } });
  await bench.call("t", {}, { meta: { continuation: "prom_x" } });
  const counted = (await telemetry.measured("toolwire.server.tokens.rejected")).map(({ attributes, count }) =>
    `${attributes["rpc.method"]} ${attributes["rpc.status_code"]} ${count}`
  );
  deepStrictEqual(counted.sort(), ["redeem invalid_promise 2", "t invalid_continuation 2"]);
});

test("otel() adds attributes to spans and measurements, and works without an SDK", async () => {
  const telemetry = new Telemetry();
  const { tracer, meter } = telemetry;
  const attributes = { "server.address": "a" };
  await new Bench([t.handle(() => 1)], { middleware: [otel({ tracer, meter, attributes })] }).call("t");
  strictEqual(only(telemetry.spans).attributes["server.address"], "a");
  strictEqual((await telemetry.measured("rpc.server.call.duration"))[0]?.attributes["server.address"], "a");
  strictEqual((await new Bench([t.handle(() => 1)], { middleware: [otel()] }).call("t")).kind, "answer");
});

test("otel() records the rest of a run whose call was promised, linked to the span of the call", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const { telemetry, bench } = traced([t.promise({ budgetMs: 1_000 }).handle(() => gates.wait())], { clock, engine });
  const call = watch(bench.call("t"));
  await pass({ clock }, 0);
  await pass({ clock }, 1_000);
  asPromise(call.settled);
  const promised = only(telemetry.spans);
  deepStrictEqual([promised.kind, promised.attributes["toolwire.outcome"]], [SpanKind.SERVER, "promise"]);
  await pass({ clock }, 5_000);
  await gates.fail(new Error("It breaks after its budget"));
  await pass({ clock }, 0);
  const job = telemetry.spans.find(({ kind }) => kind === SpanKind.CONSUMER);
  ok(job !== undefined);
  deepStrictEqual(
    [job.name, job.attributes["toolwire.attempt"], job.attributes["toolwire.wire"], job.attributes["error.type"]],
    ["t", 1, "job", "internal"],
  );
  strictEqual(job.links[0]?.context.spanId, promised.spanContext().spanId);
  ok(job.parentSpanContext === undefined);
  strictEqual((await telemetry.measured("toolwire.job.duration"))[0]?.count, 1);
});

test("otel() marks the span of a run that another process has taken over", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000, retries: 1 }).handle(() => gates.wait());
  const first = traced([tool], { clock, engine });
  const call = watch(first.bench.call("t"));
  await pass({ clock }, 0);
  await pass({ clock }, 1_000);
  asPromise(call.settled);
  const [id = ""] = (await engine.list?.({}, 1))?.ids ?? [];
  // The job is delivered again, as it is when its process has died.
  let run: Promise<void> | undefined;
  const work = (start: (id: string) => Promise<void>) => {
    run = start(id);
    return { stop: () => Promise.resolve() };
  };
  const taking = traced([tool], { clock, engine: { ...engine, work } });
  taking.bench.server.work();
  await pass({ clock }, 0);
  await gates.end("done");
  await run;
  const { kind, attributes } = only(taking.telemetry.spans);
  deepStrictEqual([kind, attributes["toolwire.attempt"], attributes["toolwire.taken_over"]], [
    SpanKind.CONSUMER,
    2,
    true,
  ]);
});
