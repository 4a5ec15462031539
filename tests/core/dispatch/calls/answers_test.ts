import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { streamOf } from "../../../stream_of.ts";
import * as v from "../../../../src/entries/schema.ts";
import { defineTool, type Schema } from "../../../../mod.ts";
import { assertMasked, assertRefused, Bench, KeptSink, settledSoon } from "../harness.ts";

const t = defineTool("t").describe("T");

test("a synchronous handler settles without a promise", () => {
  const settled = new Bench([t.input(v.object({ a: v.number() })).output(v.number()).handle(({ a }) => a + 1)]).call(
    "t",
    { a: 1 },
  );
  ok(!(settled instanceof Promise));
  deepStrictEqual(settled, { kind: "answer", value: 2, meta: undefined });
});

for (
  const [name, handler, want] of [
    ["a value", () => 5, 5],
    ["null", () => null, null],
    ["nothing", () => {}, undefined],
    ["false", () => false, false],
    ["an object", () => ({ a: 1 }), { a: 1 }],
    ["an array", () => [1, 2], [1, 2]],
    ["a promise", () => Promise.resolve(5), 5],
    ["a promise of nothing", async () => {}, undefined],
    ["a promise of a promise", async () => await Promise.resolve(Promise.resolve(5)), 5],
    ["a thenable", () => ({ then: (resolve: (value: number) => void) => resolve(5) }), 5],
    [
      "a thenable of a thenable",
      () => ({ then: (one: (value: unknown) => void) => one({ then: (two: (value: number) => void) => two(5) }) }),
      5,
    ],
    ["an object whose then is no function", () => ({ then: 5 }), { then: 5 }],
    // deno-lint-ignore require-yield -- that it yields nothing is the point
    ["an async generator that only returns", async function* () {
      return await Promise.resolve(5);
    }, 5],
    ["an async generator that returns nothing at all", async function* () {}, undefined],
    ["an async generator's pieces, joined as text", async function* () {
      yield "a";
      yield "";
      yield "b";
    }, "ab"],
    ["an async generator's pieces, as an array", async function* () {
      yield 1;
      yield "b";
    }, [1, "b"]],
    ["an async generator's return, whatever it yielded", async function* () {
      yield "a";
      return "whole";
    }, "whole"],
    ["an async generator's null", async function* () {
      yield "a";
      return null;
    }, null],
    ["an async iterable without return()", () => {
      let left = 2;
      return {
        [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: left-- === 0, value: undefined }) }),
      };
    }, [null, null]],
    ["a ReadableStream", () => streamOf("a", "b"), "ab"],
  ] as const
) {
  test(`a handler that returns ${name}`, async () => {
    const settled = await new Bench([t.handle(handler as () => unknown)]).call("t");
    deepStrictEqual(settled, { kind: "answer", value: want, meta: undefined });
  });
}

test("an async generator streams its pieces into a sink, in order, and its return is the answer", async () => {
  const sink = new KeptSink();
  const tool = t.partial(v.string()).output(v.string()).handle(async function* () {
    yield "a";
    yield "b";
    return "whole";
  });
  deepStrictEqual(await new Bench([tool]).call("t", {}, { sink }), { kind: "answer", value: "whole", meta: undefined });
  deepStrictEqual(sink.partials, ["a", "b"]);
});

test("an async generator that returned nothing answers nothing to a sink, which has the pieces", async () => {
  const sink = new KeptSink();
  const bench = new Bench([t.handle(async function* () {
    yield "a";
    yield "b";
  })]);
  deepStrictEqual(await bench.call("t", {}, { sink }), { kind: "answer", value: undefined, meta: undefined });
  deepStrictEqual(await bench.call("t"), { kind: "answer", value: "ab", meta: undefined });
  deepStrictEqual(sink.partials, ["a", "b"]);
});

test("a handler that does not stream answers a caller who would listen", async () => {
  const sink = new KeptSink();
  const bench = new Bench([
    t.handle(() => 5),
    defineTool("later").describe("Later").handle(async () => await Promise.resolve(6)),
  ]);
  deepStrictEqual(await bench.call("t", {}, { sink }), { kind: "answer", value: 5, meta: undefined });
  deepStrictEqual(await bench.call("later", {}, { sink }), { kind: "answer", value: 6, meta: undefined });
  deepStrictEqual(sink.events, []);
});

const Out = v.object({ n: v.number() });
for (
  const [name, handler] of [
    ["a wrong value", () => ({ n: "x" })],
    ["nothing", () => {}],
    ["a promise of a wrong value", () => Promise.resolve({ n: "x" })],
    ["an async generator's wrong return", async function* () {
      yield 1;
      return { n: "x" };
    }],
    ["an async generator's pieces that do not fit when joined", async function* () {
      yield 1;
    }],
  ] as const
) {
  test(`output(): ${name} is masked, and logged with its path`, async () => {
    const bench = new Bench([t.output(Out).handle(handler as () => { n: number })]);
    const thrown = assertMasked(await bench.call("t"), bench.log);
    match(String(thrown), /^TypeError: The output does not fit the declared schema/);
    if (!name.includes("nothing") && !name.includes("joined")) match(String(thrown), /"n"/);
    const fields = bench.log.lines[0]?.fields;
    strictEqual(fields?.["tool"], "t");
    ok(Array.isArray(fields["issues"]) && fields["issues"].length === 1);
  });
}

for (const isStreamed of [false, true]) {
  test(`partial(): a wrong piece is masked, and ends the generator (${isStreamed ? "streamed" : "joined"})`, async () => {
    let isCleanedUp = false;
    const tool = t.partial(v.string()).handle(async function* () {
      try {
        yield "a";
        yield 5 as unknown as string;
        yield "never";
      } finally {
        isCleanedUp = true;
      }
    });
    const bench = new Bench([tool]);
    const sink = new KeptSink();
    const thrown = assertMasked(await bench.call("t", {}, isStreamed ? { sink } : {}), bench.log);
    match(String(thrown), /The partial does not fit the declared schema/);
    deepStrictEqual(sink.partials, isStreamed ? ["a"] : []);
    strictEqual(isCleanedUp, true);
  });
}

test("input(): what does not fit is refused before the handler runs", () => {
  let runs = 0;
  const bench = new Bench([t.input(v.object({ a: v.object({ b: v.array(v.number()) }) })).handle(() => ++runs)]);
  const refusal = assertRefused(bench.call("t", { a: { b: [1, "x"] } }) as never, "invalid_input");
  match(refusal.message, /^Invalid arguments at "a\.b\[1\]": /);
  const { issues } = refusal.data as { issues: { path: unknown; expected: string; received: string }[] };
  deepStrictEqual([issues[0]?.path, issues[0]?.expected, issues[0]?.received], [["a", "b", 1], "number", '"x"']);
  strictEqual(runs, 0);
  strictEqual(bench.log.lines.length, 0);
});

test("bytes count as their base64, before a Blob is read", async () => {
  const give = (value: unknown) => new Bench([t.handle(() => value)]).call("t");
  for (const large of [new Uint8Array(10_000_000), new Blob([new Uint8Array(10_000_000)])]) {
    assertRefused(await give(large), "result_too_large");
    assertRefused(await give({ at: [large] }), "result_too_large");
  }
  strictEqual((await give(new Uint8Array(100_000))).kind, "answer");
});

test("input(): of large arguments that do not fit valibot stops at the first issue, and does not make millions", async () => {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, v.string()]));
  const row = v.object(fields);
  const later = v.pipeAsync(v.object({ rows: v.array(row) }), v.checkAsync(() => Promise.resolve(true)));
  for (const schema of [v.object({ rows: v.array(row) }), later]) {
    const bench = new Bench([t.input(schema).handle(() => "taken")]);
    const issuesOf = async (rows: unknown) => {
      const refusal = assertRefused(await bench.call("t", { rows }), "invalid_input");
      return (refusal.data as { readonly issues: readonly { readonly path: unknown }[] }).issues;
    };
    strictEqual((await issuesOf([{}])).length, 20);
    const many = await issuesOf(Array.from({ length: 100_000 }, () => ({})));
    deepStrictEqual(many.map(({ path }) => path), [["rows", 0, "f0"]]);
    const [first, ...others] = await issuesOf([...Array.from({ length: 500 }, () => fieldsOf("x")), fieldsOf(7)]);
    deepStrictEqual([first?.path, others], [["rows", 500, "f0"], []]);
  }

  function fieldsOf(value: unknown): unknown {
    return Object.fromEntries(Object.keys(fields).map((name) => [name, value]));
  }
});

/** A Standard Schema that validates as the test configures it. */
function schemaOf(validate: (value: unknown) => unknown): Schema {
  const jsonSchema = { input: () => ({ type: "object" }) };
  return { "~standard": { version: 1, vendor: "test", validate, ...{ jsonSchema } } };
}

test("input(): large arguments of a schema that is not valibot's own are its library's to check", async () => {
  const bench = new Bench([
    t.input(schemaOf(() => ({ issues: [{ message: "Not so", path: ["x"] }] }))).handle(() => 1),
  ]);
  const refusal = assertRefused(await bench.call("t", { x: "x".repeat(10_000) }), "invalid_input");
  match(refusal.message, /Not so$/);
});

const broken: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ["throws", () => {
    throw new Error("secret");
  }],
  ["rejects", () => Promise.reject(new Error("secret"))],
  ["throws later", async () => {
    await Promise.resolve();
    throw new Error("secret");
  }],
];
for (const [name, validate] of broken) {
  test(`input(): a validator that ${name} is masked`, async () => {
    const bench = new Bench([t.input(schemaOf(validate)).handle(() => 1)]);
    match(String(assertMasked(await bench.call("t"), bench.log)), /secret/);
  });
  for (const [kind, handler] of [["synchronous", () => 1], ["asynchronous", () => Promise.resolve(1)]] as const) {
    test(`output(): a validator that ${name} is masked (${kind} handler)`, async () => {
      const bench = new Bench([t.output(schemaOf(validate)).handle(handler)]);
      const settled = await settledSoon(bench.call("t"));
      ok(settled !== undefined, "the call never settled");
      match(String(assertMasked(settled, bench.log)), /secret/);
    });
  }
  test(`partial(): a validator that ${name} is masked`, async () => {
    const bench = new Bench([
      t.partial(schemaOf(validate)).handle(async function* () {
        yield 1;
      }),
    ]);
    match(String(assertMasked(await bench.call("t"), bench.log)), /secret/);
  });
}

test("input(), output() and partial() may be asynchronous", async () => {
  const later = (isGood: (value: unknown) => boolean) =>
    schemaOf(async (value) =>
      await Promise.resolve(isGood(value) ? { value } : { issues: [{ message: "Not so", path: ["p"] }] })
    );
  const isObject = later((value) => typeof value === "object");
  const bench = new Bench([
    t.input(isObject).partial(isObject).output(isObject).handle(async function* (args) {
      yield args;
      return args;
    }),
  ]);
  deepStrictEqual(await bench.call("t", { a: 1 }), { kind: "answer", value: { a: 1 }, meta: undefined });
  const refusing = new Bench([t.input(later(() => false)).handle(() => 1)]);
  match(assertRefused(await refusing.call("t"), "invalid_input").message, /at "p": Not so/);
});

test("output() is validated, not transformed: the caller gets what the handler returned, without members that are not declared", async () => {
  const value = { n: 1, extra: true };
  const settled = await new Bench([t.output(Out).handle(() => value)]).call("t");
  deepStrictEqual(settled, { kind: "answer", value: { n: 1 }, meta: undefined });
});

test("ctx tells who calls and over what, lazily", async () => {
  const looked: string[] = [];
  const peer = {
    wire: "test",
    get principal() {
      looked.push("principal");
      return { id: "ada" };
    },
    get signal(): AbortSignal | undefined {
      looked.push("signal");
      return undefined;
    },
    metadata: { get: (name: string) => (name === "x-team" ? "a" : null) },
    requestId: 7,
    client: { name: "agent", version: "1" },
  };
  const bench = new Bench([
    defineTool("quiet").describe("Q").handle(() => 1),
    defineTool("later").describe("L").handle(async () => await Promise.resolve(1)),
    t.handle((
      _,
      ctx,
    ) => [
      ctx.principal?.id,
      ctx.metadata.get("x-team"),
      ctx.requestId,
      ctx.client.name,
      ctx.attempt,
      ctx.signal.aborted,
    ]),
  ]);
  const call = (tool: string) => bench.server["~server"].host.dispatch.call({ tool, args: {}, meta: undefined, peer });
  await call("quiet");
  await call("later");
  deepStrictEqual(looked.filter((what) => what !== "principal"), []);
  deepStrictEqual(await call("t"), { kind: "answer", value: ["ada", "a", 7, "agent", 1, false], meta: undefined });
  deepStrictEqual(looked.filter((what) => what !== "principal"), ["signal"]);
});

test("ctx.callId is the same all through a call, and no other call's", async () => {
  const bench = new Bench([t.handle((_, ctx) => [ctx.callId, ctx.callId])]);
  const [one, two] = await Promise.all([bench.call("t"), bench.call("t")]);
  ok(one.kind === "answer" && two.kind === "answer");
  const [[a, b], [c]] = [one.value as string[], two.value as string[]];
  strictEqual(a, b);
  ok(a !== c);
  match(a ?? "", /^[0-9a-f-]{36}$/);
});

test("ctx.meta() adds to the answer's and the failure's _meta; the names of the wires are refused", async () => {
  const bench = new Bench([
    t.errors({ no: null }).handle((args, ctx) => {
      ctx.meta({ a: 1, b: 1 });
      ctx.meta({ b: 2 });
      if (args["fail"] === true) throw ctx.fail("no", "No");
      return 1;
    }),
  ]);
  deepStrictEqual(await bench.call("t"), { kind: "answer", value: 1, meta: { a: 1, b: 2 } });
  deepStrictEqual(await bench.call("t", { fail: true }), {
    kind: "failure",
    code: "no",
    message: "No",
    data: undefined,
    meta: { a: 1, b: 2 },
  });
  for (
    const name of [
      "response_type",
      "timestamp",
      "processing_time_ms",
      "server_version",
      "promise_token",
      "continuation",
      "requests",
      "context",
      "progress",
    ]
  ) {
    const reserved = new Bench([t.handle((_, ctx) => ctx.meta({ ok: 1, [name]: "x" }))]);
    match(String(assertMasked(await reserved.call("t"), reserved.log)), new RegExp(`Cannot set _meta.${name}`));
  }
});

test("ctx.log() writes to the server's logger with the tool's name and the call's id", async () => {
  const bench = new Bench([t.handle((_, ctx) => {
    for (const level of ["debug", "info", "warn", "error"] as const) ctx.log(level, `a ${level} line`, { n: 1 });
    return ctx.callId;
  })]);
  const settled = await bench.call("t");
  ok(settled.kind === "answer");
  deepStrictEqual(
    bench.log.lines,
    (["debug", "info", "warn", "error"] as const).map((level) => ({
      level,
      message: `a ${level} line`,
      fields: { tool: "t", callId: settled.value, n: 1 },
    })),
  );
});

test("ctx.log() does nothing without a logger", async () => {
  const bench = new Bench([t.handle((_, ctx) => ctx.log("info", "x"))], { logger: undefined as never });
  strictEqual((await bench.call("t")).kind, "answer");
});

test("calls that run side by side do not see each other's state, input or answer", async () => {
  const gates: (() => void)[] = [];
  const bench = new Bench([t.handle(async (args, ctx) => {
    ctx.state["mine"] = args["n"];
    await new Promise<void>((resolve) => gates.push(resolve));
    return [args["n"], ctx.state["mine"]];
  })]);
  const calls = Array.from({ length: 20 }, (_, n) => bench.call("t", { n }, { peer: { requestId: 1 } }));
  gates.toReversed().forEach((open) => open());
  const settled = await Promise.all(calls);
  deepStrictEqual(
    settled.map((one) => one.kind === "answer" && one.value),
    Array.from({ length: 20 }, (_, n) => [n, n]),
  );
});

test("dispatch.call() never throws and never rejects, whatever the arguments are", async () => {
  const bench = new Bench([t.input(v.object({})).handle(() => 1), defineTool("u").describe("U").handle(() => 1)]);
  for (
    const args of [
      undefined,
      null,
      5,
      "x",
      [],
      Symbol("x"),
      () => 1,
      new Proxy({}, {
        get: () => {
          throw new Error("trap");
        },
      }),
    ]
  ) {
    for (const tool of ["t", "u", "none"]) ok(typeof (await bench.call(tool, args)).kind === "string");
  }
  await rejects(Promise.reject(new Error("the runner still sees rejections")));
});
