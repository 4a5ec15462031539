/** What a handler asks of its caller, and how its run ends and begins again; without any job. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import {
  type AnyTool,
  type CallResult,
  createClient,
  createServer,
  type Ctx,
  defineTool,
  Failure,
  ToolError,
} from "../../../../mod.ts";
import { testClient } from "../../../../src/entries/testing.ts";
import { assertMasked, assertRefused, Bench, KeptLog, KeptSink, settle } from "../harness.ts";
import { accept, asAnswer, asFailure, asQuestion, Gates, KEYS, pass, watch } from "../../../jobs/promises/promised.ts";

const t = defineTool("t").describe("T");
const yes = { message: "Sure?", schema: v.object({ yes: v.boolean() }) };

/** A bench of one tool. */
const benchOf = (tool: AnyTool) => new Bench([tool], { keys: KEYS });

/** Answers a question by repeating its call. */
async function answer(
  bench: Bench,
  settled: CallResult,
  responses: Readonly<Record<string, unknown>>,
  args: unknown = {},
  tool: string = "t",
): Promise<CallResult> {
  const { continuation } = asQuestion(settled);
  return await bench.call(tool, args, { meta: { continuation, responses } });
}

test("ctx.elicit() ends the run with its question, and gives the answer in the next", async () => {
  const runs: string[] = [];
  const bench = benchOf(t.handle(async (_, ctx) => {
    runs.push(ctx.callId);
    return await ctx.elicit("sure", yes);
  }));
  const asked = await bench.call("t");
  ok(asked.kind === "elicitation");
  deepStrictEqual(asked.requests, {
    sure: {
      kind: "elicitation",
      message: "Sure?",
      schema: { type: "object", properties: { yes: { type: "boolean" } }, required: ["yes"] },
    },
  });
  deepStrictEqual(asAnswer(await answer(bench, asked, { sure: accept({ yes: true }) })), {
    action: "accept",
    content: { yes: true },
  });
  strictEqual(new Set(runs).size, 1, "one callId");
  strictEqual(runs.length, 2);
  for (const action of ["decline", "cancel"]) {
    deepStrictEqual(asAnswer(await answer(bench, await bench.call("t"), { sure: { action } })), { action });
  }
});

test("a value that is not a question is sent neither to the caller nor to its model", async () => {
  const schema = v.object({});
  for (
    const wrong of [
      { message: "Your name?", shema: schema },
      { mesage: "Your name?", schema },
      { message: 5, schema },
      { message: "", schema },
      { message: "Go" },
      { url: "https://example.com" },
      { resource: "" },
      {},
      undefined,
    ] as never[]
  ) {
    const asks = [
      t.handle((_, ctx) => ctx.elicit("name", wrong)),
      t.handle((_, ctx) => ctx.elicitUrl("name", wrong)),
      t.handle((_, ctx) => ctx.sample("name", wrong)),
      t.handle((_, ctx) => ctx.ask({ name: wrong })),
    ];
    for (const tool of asks) {
      const bench = benchOf(tool);
      match(String(assertMasked(await bench.call("t"), bench.log)), /Cannot ask "name": give a message with a schema/);
    }
  }
});

test("an answer is what the schema makes of it: defaults, and nothing that was not asked for", async () => {
  const schema = v.object({ n: v.optional(v.number(), 5) });
  const bench = benchOf(t.handle((_, ctx) => ctx.elicit("k", { message: "?", schema })));
  const asked = await bench.call("t");
  deepStrictEqual(asAnswer(await answer(bench, asked, { k: accept({ more: 1 }) })), {
    action: "accept",
    content: { n: 5 },
  });
});

test("a question is asked three times at most; then the call fails, with what did not fit", async () => {
  for (const [given, times] of [[undefined, 3], [1, 1], [5, 5]] as const) {
    let effects = 0;
    const bench = benchOf(t.handle(async (_, ctx) => {
      effects++;
      return await ctx.elicit("sure", { ...yes, ...(given !== undefined && { attempts: given }) });
    }));
    let settled = await bench.call("t");
    for (let asked = 1; asked < times; asked++) {
      settled = await answer(bench, settled, { sure: asked % 2 === 0 ? "nonsense" : accept({ yes: "perhaps" }) });
      match(String(asQuestion(settled).requests["sure"]?.params?.["refused"]), /the answer to "sure" is refused/);
    }
    const failed = await answer(bench, settled, { sure: accept({ yes: "perhaps" }) });
    const { question, reason } = asFailure(failed, "unanswered") as Readonly<Record<string, string>>;
    deepStrictEqual([question, reason?.split(":")[0]], ["sure", "content.yes"]);
    match(
      "message" in failed ? failed.message : "",
      new RegExp(`"sure" was asked ${times === 1 ? "once" : `${times} times`}, and no answer fits: content.yes`),
    );
    strictEqual(effects, times + 1);
    strictEqual(bench.log.lines.length, 0);
  }
});

test("misfits count for each question; a declined one is an answer, and a handler may go on without one", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    const first = await ctx.elicit("first", { ...yes, attempts: 2 });
    const second = await ctx.elicit("second", { ...yes, attempts: 2 }).catch((thrown) => {
      if (thrown instanceof Failure) return { action: thrown.code };
      throw thrown;
    });
    return [first.action, second.action];
  }));
  const wrong = accept({ yes: 0 });
  let settled = await answer(bench, await bench.call("t"), { first: wrong });
  settled = await answer(bench, settled, { first: { action: "decline" } });
  settled = await answer(bench, settled, { second: wrong });
  deepStrictEqual(asAnswer(await answer(bench, settled, { second: wrong })), ["decline", "unanswered"]);
});

test("an invalid number of attempts is an error of the tool", async () => {
  for (const attempts of [0, -1, 1.5, "3" as never]) {
    const bench = benchOf(t.handle((_, ctx) => ctx.elicit("sure", { ...yes, attempts })));
    match(
      String(assertMasked(await bench.call("t"), bench.log)),
      /Cannot ask "sure": attempts has to be a whole number/,
    );
  }
});

test("asks of one turn go out together", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    const [one, two] = await Promise.all([
      ctx.elicit("one", yes),
      ctx.requestMore("credits", { amount: 5 }),
      ctx.ask({ three: yes, four: { more: "disk", reason: "No room" } }),
    ]);
    return [one.action, two];
  }));
  const asked = asQuestion(await bench.call("t"));
  strictEqual(asked.kind, "elicitation");
  deepStrictEqual(Object.keys(asked.requests), ["one", "credits", "three", "four"]);
  const some = await answer(bench, asked, { one: accept({ yes: true }), three: accept({ yes: false }) });
  strictEqual(some.kind, "request-for-more-resource", "when only resources are left");
  deepStrictEqual(asQuestion(some).requests, {
    credits: { kind: "more", message: "More credits needed: 5", params: { resource: "credits", amount: 5 } },
    four: { kind: "more", message: "No room", params: { resource: "disk", reason: "No room" } },
  });
  deepStrictEqual(asAnswer(await answer(bench, some, { credits: accept("granted"), four: accept() })), [
    "accept",
    "granted",
  ]);
});

for (const action of ["decline", "cancel"]) {
  test(`ctx.requestMore() that is answered by ${action} ends the call as resource_denied`, async () => {
    const bench = benchOf(t.handle((_, ctx) => ctx.requestMore("credits")));
    const asked = await bench.call("t");
    deepStrictEqual(asFailure(await answer(bench, asked, { credits: { action } }), "resource_denied"), {
      resource: "credits",
    });
  });
}

for (
  const [name, handler, message] of [
    ["questions", async (_: unknown, ctx: Ctx) => {
      await Promise.all([ctx.elicit("k", yes), ctx.elicit("k", yes)]);
    }, /question "k" comes twice/],
    ["questions of ctx.ask() and ctx.requestMore()", async (_: unknown, ctx: Ctx) => {
      await Promise.all([ctx.ask({ credits: yes }), ctx.requestMore("credits")]);
    }, /question "credits" comes twice/],
    ["steps", async (_: unknown, ctx: Ctx) => {
      await ctx.step("s", () => 1);
      await ctx.step("s", () => 2);
    }, /step "s" comes twice/],
  ] as const
) {
  test(`a key used twice in one run is masked, and the log says so: ${name}`, async () => {
    const bench = benchOf(t.handle(handler));
    let settled = await bench.call("t");
    if (settled.kind === "elicitation") {
      // What was asked before the mistake was made is asked.
      const responses = Object.fromEntries(Object.keys(settled.requests).map((key) => [key, accept({ yes: true })]));
      settled = await answer(bench, settled, responses);
    }
    const error = assertMasked(settled, bench.log);
    ok(error instanceof TypeError);
    match(error.message, message);
  });
}

test("a question and a step may have the same key", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    const kept = await ctx.step("k", () => 1);
    return [kept, await ctx.elicit("k", yes)];
  }));
  const asked = await bench.call("t");
  deepStrictEqual(asAnswer(await answer(bench, asked, { k: { action: "decline" } })), [1, { action: "decline" }]);
});

for (
  const [name, handler] of [
    ["returns", async (_: unknown, ctx: Ctx) => {
      try {
        await ctx.elicit("k", yes);
        return "never";
      } catch {
        return "swallowed";
      }
    }],
    ["throws something else", async (_: unknown, ctx: Ctx) => {
      await ctx.elicit("k", yes).catch(() => {
        throw new Error("swallowed");
      });
    }],
    ["fails", async (_: unknown, ctx: Ctx) => {
      await ctx.elicit("k", yes).catch(() => {
        throw new Failure("no", "No");
      });
    }],
    ["refuses", async (_: unknown, ctx: Ctx) => {
      await ctx.elicit("k", yes).catch(() => {
        throw new ToolError("permission_denied", "No");
      });
    }],
    ["returns from finally", async (_: unknown, ctx: Ctx) => {
      try {
        await ctx.elicit("k", yes);
      } finally {
        // deno-lint-ignore no-unsafe-finally -- that is what is tested
        return "from finally";
      }
    }],
  ] as const
) {
  test(`an ask ends the run, whatever the handler makes of it: it ${name}`, async () => {
    for (const output of [undefined, v.number()]) {
      const builder = output === undefined ? t : t.output(output);
      const bench = benchOf(builder.handle(handler as never));
      deepStrictEqual(Object.keys(asQuestion(await bench.call("t")).requests), ["k"]);
      await settle();
      deepStrictEqual(bench.log.lines, []);
    }
  });
}

for (
  const [name, ask] of [
    ["elicit", (ctx: Ctx) => void ctx.elicit("k", yes)],
    ["ask", (ctx: Ctx) => void ctx.ask({ k: yes })],
    ["requestMore", (ctx: Ctx) => void ctx.requestMore("k")],
  ] as const
) {
  test(`an ask that nobody awaits asks, and its rejection does not end the process: ctx.${name}()`, async () => {
    for (const isLater of [true, false]) {
      const handler: (_: unknown, ctx: Ctx) => Promise<string> | string = isLater
        ? async (_: unknown, ctx: Ctx) => {
          ask(ctx);
          await settle();
          return "not awaited";
        }
        : (_: unknown, ctx: Ctx) => {
          ask(ctx);
          return "not awaited";
        };
      const bench = benchOf(t.handle(handler));
      deepStrictEqual(Object.keys(asQuestion(await bench.call("t")).requests), ["k"]);
      await settle();
    }
  });
}

for (
  const [name, ask] of [
    ["a question", (ctx: Ctx) => ctx.elicit("k", yes)],
    ["a question beside a step", (ctx: Ctx) => Promise.all([ctx.elicit("k", yes), ctx.step("s", () => 1)])],
    ["questions in parallel", (ctx: Ctx) => Promise.all([ctx.elicit("k", yes), ctx.elicit("k2", yes)])],
  ] as const
) {
  test(`a run that stops at ${name} runs neither catch nor finally: they run once, in the run with the answers`, async () => {
    const trail: string[] = [];
    const bench = benchOf(t.handle(async (_, ctx) => {
      try {
        trail.push("try");
        await ask(ctx);
        throw new Failure("refused", "The work has failed");
      } catch (error) {
        trail.push("catch");
        throw error;
      } finally {
        trail.push("finally");
      }
    }));
    const asked = asQuestion(await bench.call("t"));
    await settle();
    deepStrictEqual(trail, ["try"]);
    const answers = Object.fromEntries(Object.keys(asked.requests).map((key) => [key, { action: "decline" as const }]));
    strictEqual((await answer(bench, asked, answers)).kind, "failure");
    deepStrictEqual(trail, ["try", "try", "catch", "finally"]);
  });
}

test("middleware of a server that asks is refused when the answer comes, and its log says where to ask", async () => {
  const lines: unknown[] = [];
  const log = (message: string, fields: unknown) => void lines.push([message, fields]);
  const server = createServer({
    tools: [t.handle(() => 1)],
    middleware: [async (ctx, next) => {
      await (ctx as unknown as Ctx).elicit("k", yes);
      return await next();
    }],
    logger: { debug: log, info: log, warn: log, error: log },
  });
  let asked = 0;
  const client = createClient(server, {
    onElicitation: () => {
      asked++;
      return { action: "accept", content: { yes: true } };
    },
  });
  await rejects(client.$.call("t"), { code: "internal" });
  strictEqual(asked, 1);
  match(
    JSON.stringify(lines, (_, value) => value instanceof Error ? value.message : value),
    /Ask in \.use\(…\) of tool/,
  );
  await server.close();
});

test("middleware of the server gets the question that middleware of a tool asks, and ends", async () => {
  const trail: string[] = [];
  const asks = t.use(async (ctx, next) => {
    const { action } = await (ctx as unknown as Ctx).elicit("k", yes);
    if (action !== "accept") throw new Failure("refused", "No");
    return await next();
  }).handle(() => "done");
  const bench = new Bench([asks], {
    keys: KEYS,
    middleware: [async (_, next) => {
      try {
        const result = await next();
        trail.push(result.kind);
        return result;
      } finally {
        trail.push("end");
      }
    }],
  });
  const asked = await bench.call("t");
  await settle();
  deepStrictEqual(trail, ["elicitation", "end"]);
  strictEqual(asAnswer(await answer(bench, asked, { k: accept({ yes: true }) })), "done");
  deepStrictEqual(trail, ["elicitation", "end", "answer", "end"]);
});

for (const isLate of [true, false]) {
  test(`a handler that continues after its run has stopped ${isLate ? "begins no step" : "is logged when it ends"}`, async () => {
    const effects: string[] = [];
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const bench = benchOf(t.handle(async (_, ctx) => {
      await Promise.race([ctx.elicit("k", yes), isOver]);
      if (isLate) await ctx.step("mail", () => void effects.push("mail"));
      return "late";
    }));
    const asked = await bench.call("t");
    deepStrictEqual(Object.keys(asQuestion(asked).requests), ["k"]);
    deepStrictEqual(bench.log.lines, []);
    end();
    await settle();
    deepStrictEqual(effects, []);
    if (isLate) return;
    match(JSON.stringify(bench.log.lines), /The handler ended after its run had stopped.*ctx\.step/);
  });
}

test("a step that begins another one, or asks again in its catch, ends beside a question", async () => {
  for (const inner of [(ctx: Ctx) => ctx.step("inner", () => 1), (ctx: Ctx) => ctx.elicit("k2", yes)] as const) {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const bench = benchOf(
      t.handle((_, ctx) =>
        Promise.all([
          ctx.step("outer", async () => await isOver.then((): Promise<unknown> => inner(ctx))),
          ctx.elicit("k", yes),
        ])
      ),
    );
    const call = bench.call("t");
    await settle();
    end();
    deepStrictEqual(Object.keys(asQuestion(await call).requests), ["k"]);
  }
});

test("a run that leaves its handler aborts its signal, and ends its generator", async () => {
  const trail: string[] = [];
  const waiting = benchOf(t.handle(async (_, ctx) => {
    void ctx.elicit("k", yes);
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
    trail.push("aborted");
  }));
  asQuestion(await waiting.call("t"));
  const streaming = benchOf(t.handle(async function* (_, ctx) {
    try {
      void ctx.elicit("k", yes);
      for (let piece = 0;; piece++) {
        await settle();
        yield piece;
      }
    } finally {
      trail.push("ended");
    }
  }));
  asQuestion(await streaming.call("t"));
  for (let turn = 0; turn < 100 && trail.length < 2; turn++) await settle();
  deepStrictEqual(trail, ["aborted", "ended"]);
});

test("a generator that stops to ask does not run its finally", async () => {
  const trail: string[] = [];
  const bench = benchOf(t.handle(async function* (_, ctx) {
    try {
      yield "a";
      const { action } = await ctx.elicit("k", yes);
      yield action;
    } finally {
      trail.push("finally");
    }
  }));
  const asked = await bench.call("t");
  deepStrictEqual(Object.keys(asQuestion(asked).requests), ["k"]);
  await settle();
  deepStrictEqual(trail, []);
  await answer(bench, asked, { k: { action: "decline" } });
  deepStrictEqual(trail, ["finally"]);
});

test("a question beside a running step is the exception: catch runs, and what it begins does not", async () => {
  const trail: string[] = [];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const bench = benchOf(t.handle(async (_, ctx) => {
    try {
      await Promise.all([ctx.step("long", () => isOver), ctx.elicit("k", yes)]);
      return "done";
    } catch {
      trail.push("catch");
      await ctx.step("refund", () => void trail.push("refund"));
      return "undone";
    }
  }));
  const call = bench.call("t");
  await settle();
  end();
  const asked = await call;
  deepStrictEqual(Object.keys(asQuestion(asked).requests), ["k"]);
  await settle();
  deepStrictEqual(trail, ["catch"]);
  deepStrictEqual((await answer(bench, asked, { k: { action: "decline" } }) as { value?: unknown }).value, "done");
  deepStrictEqual(trail, ["catch"]);
});

for (
  const [name, responses] of [
    ["nothing", {}],
    ["no object", { k: 1 }],
    ["an unknown action", { k: { action: "maybe" } }],
    ["content that does not fit", { k: accept({ yes: "yes" }) }],
    ["no content", { k: accept() }],
    ["another key", { other: accept({ yes: true }) }],
    ["__proto__", JSON.parse('{"__proto__": {"k": {"action": "decline"}}}')],
  ] as const
) {
  test(`an answer of ${name} is asked for again`, async () => {
    const bench = benchOf(t.handle((_, ctx) => ctx.elicit("k", yes)));
    const again = await answer(bench, await bench.call("t"), responses);
    deepStrictEqual(Object.keys(asQuestion(again).requests), ["k"]);
    deepStrictEqual(asAnswer(await answer(bench, again, { k: { action: "decline" } })), { action: "decline" });
  });
}

test("an answer to what was not asked yet counts for nothing", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    await ctx.elicit("first", yes);
    return (await ctx.elicit("second", yes)).action;
  }));
  const both = { first: { action: "decline" }, second: { action: "decline" } };
  const next = await answer(bench, await bench.call("t"), both);
  deepStrictEqual(Object.keys(asQuestion(next).requests), ["second"]);
  strictEqual(asAnswer(await answer(bench, next, { second: { action: "cancel" }, first: { action: "x" } })), "cancel");
});

test("a call without the continuation starts from the beginning, whatever responses it has", async () => {
  const bench = benchOf(t.handle((_, ctx) => ctx.elicit("k", yes)));
  await bench.call("t");
  asQuestion(await bench.call("t", {}, { meta: { responses: { k: { action: "decline" } } } }));
});

test("questions may depend on answers, and on answers to those", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    const reply: string[] = [];
    for (let n = 0; n < 5; n++) reply.push((await ctx.elicit(`k${n}`, yes)).action);
    return reply;
  }));
  let settled = await bench.call("t");
  for (let n = 0; n < 5; n++) {
    deepStrictEqual(Object.keys(asQuestion(settled).requests), [`k${n}`]);
    settled = await answer(bench, settled, { [`k${n}`]: { action: n % 2 === 0 ? "decline" : "cancel" } });
  }
  deepStrictEqual(asAnswer(settled), ["decline", "cancel", "decline", "cancel", "decline"]);
});

test("a continuation gives its answer as often as it is sent, and takes no other one", async () => {
  const bench = benchOf(t.handle((_, ctx) => ctx.elicit("k", yes)));
  const asked = await bench.call("t");
  for (let repeats = 0; repeats < 3; repeats++) {
    deepStrictEqual(asAnswer(await answer(bench, asked, { k: accept({ yes: true }) })), {
      action: "accept",
      content: { yes: true },
    });
    assertRefused(await answer(bench, asked, { k: accept({ yes: false }) }), "conflict");
  }
});

test("ctx.step() is taken once, and gives the same in each run", async () => {
  let taken = 0;
  const seen: unknown[] = [];
  const bench = benchOf(t.handle(async (_, ctx) => {
    seen.push(await ctx.step("s", () => Promise.resolve({ taken: ++taken, at: new Date(0), nothing: undefined })));
    seen.push(await ctx.step("void", () => {}));
    await ctx.elicit("k", yes);
  }));
  await answer(bench, await bench.call("t"), { k: { action: "decline" } });
  const kept = { taken: 1, at: "1970-01-01T00:00:00.000Z" };
  deepStrictEqual(seen, [kept, null, kept, null], "JSON from the first run on");
});

test("ctx.step() gives each run a separate copy of the value", async () => {
  const seen: number[] = [];
  const bench = benchOf(t.handle(async (_, ctx) => {
    const list = await ctx.step("s", () => [1]);
    list.push(2);
    seen.push(list.length);
    await ctx.elicit("k", yes);
  }));
  await answer(bench, await bench.call("t"), { k: { action: "decline" } });
  deepStrictEqual(seen, [2, 2]);
});

test("ctx.step() that throws is kept as failed: the next run gets the same error", async () => {
  let taken = 0;
  const bench = benchOf(t.handle(async (_, ctx) => {
    const step = ctx.step("s", () => {
      if (++taken === 1) throw new Error("no luck");
      return taken;
    });
    const kept = await step.catch((error: Error) => error.message);
    await ctx.elicit("k", yes);
    return kept;
  }));
  const asked = await bench.call("t");
  strictEqual(taken, 1);
  strictEqual(asAnswer(await answer(bench, asked, { k: { action: "decline" } })), "no luck");
  strictEqual(taken, 1);
});

test("an error of ctx.step() that the handler lets through ends the call", async () => {
  const bench = benchOf(
    t.errors({ no: null }).handle(async (_, ctx) => {
      await ctx.step("s", () => {
        throw ctx.fail("no", "No");
      });
    }),
  );
  asFailure(await bench.call("t"), "no");
});

for (const first of ["at once", "after a turn"] as const) {
  test(`a step whose work asks ${first} ends the run with the question, and is kept when it is answered`, async () => {
    const runs: string[] = [];
    const bench = benchOf(t.handle(async (_, ctx) => {
      const other = ctx.step("other", async () => {
        await settle();
        runs.push("other");
        return 7;
      });
      const asked = await ctx.step("s", async () => {
        if (first === "after a turn") await settle();
        const answer = await ctx.elicit("sure", yes);
        runs.push("s");
        return answer.action;
      });
      return [asked, await other, (await ctx.elicit("last", yes)).action];
    }));
    const once = await bench.call("t");
    deepStrictEqual(runs, ["other"], "steps in flight end before the run does");
    const twice = await answer(bench, once, { sure: accept({ yes: true }) });
    deepStrictEqual(asAnswer(await answer(bench, twice, { last: { action: "decline" } })), ["accept", 7, "decline"]);
    deepStrictEqual(runs, ["other", "s"], "each once");
  });
}

test("a generator that asks in a step ends its run with the question", async () => {
  const bench = benchOf(
    t.partial(v.string()).handle(async function* (_, ctx) {
      yield "a";
      await ctx.step("s", async () => (await ctx.elicit("sure", yes)).action);
    }),
  );
  asQuestion(await bench.call("t"));
});

test("an ask waits for the steps in flight, and keeps them", async () => {
  const gates = new Gates<string>();
  let taken = 0;
  const bench = benchOf(t.handle(async (_, ctx) => {
    const step = ctx.step("s", () => {
      taken++;
      return gates.wait();
    });
    await ctx.elicit("k", yes);
    return await step;
  }));
  const call = watch(bench.call("t"));
  await pass(bench, 0);
  strictEqual(call.settled, undefined, "it has not asked yet");
  await gates.end("done");
  const asked = asQuestion(call.settled);
  strictEqual(asAnswer(await answer(bench, asked, { k: { action: "decline" } })), "done");
  strictEqual(taken, 1);
});

test("a stream that asks tells how many pieces were sent; the next run does not send them again", async () => {
  const bench = benchOf(
    t.partial(v.string()).handle(async function* (_, ctx) {
      yield "a";
      yield "b";
      const { action } = await ctx.elicit("k", yes);
      yield action;
    }),
  );
  const sink = new KeptSink();
  const asked = asQuestion(await bench.call("t", {}, { sink }));
  deepStrictEqual(sink.partials, ["a", "b"]);
  const next = new KeptSink();
  const meta = { continuation: asked.continuation, responses: { k: { action: "decline" } } };
  await bench.call("t", {}, { sink: next, meta });
  deepStrictEqual(next.partials, ["decline"]);
  strictEqual(asAnswer(await bench.call("t", {}, { meta })), "abdecline", "who does not stream gets the whole");
});

test("middleware sees the question as how the call ended, and runs again with the answer", async () => {
  const kinds: string[] = [];
  const tool = t.use(async (_, next) => {
    const settled = await next();
    kinds.push(settled.kind);
    return settled;
  }).handle((_, ctx) => ctx.elicit("k", yes));
  const bench = benchOf(tool);
  await answer(bench, await bench.call("t"), { k: { action: "decline" } });
  deepStrictEqual(kinds, ["elicitation", "answer"]);
});

test("a question whose schema cannot be JSON Schema is masked", async () => {
  const bench = benchOf(t.handle((_, ctx) => ctx.elicit("k", { message: "?", schema: v.object({ at: v.date() }) })));
  match(String(assertMasked(await bench.call("t"), bench.log)), /question "k"/);
});

/** A tool that asks, for tests of its continuation. */
const asking = (name: string, revision?: string) => {
  const tool = defineTool(name).describe("Ask").input(v.object({ a: v.number(), b: v.optional(v.number(), 2) }));
  return (revision === undefined ? tool : tool.revision(revision)).handle((_, ctx) => ctx.elicit("k", yes));
};

interface Repeat {
  readonly tool?: string;
  readonly args?: unknown;
  readonly peer?: { readonly principal: { readonly id: string } };
  readonly server?: Bench;
  readonly continuation?: string;
  readonly afterMs?: number;
}

const ada = { principal: { id: "ada" } };

for (
  const [name, repeat, isGood] of [
    ["the same call", {}, true],
    ["arguments in another order", { args: { b: 2, a: 1 } }, true],
    ["another server with the same keys", { server: new Bench([asking("t")], { keys: KEYS }) }, true],
    ["other arguments", { args: { a: 2, b: 2 } }, false],
    ["fewer arguments, though the default is the same", { args: { a: 1 } }, false],
    ["more arguments", { args: { a: 1, b: 2, c: 3 } }, false],
    ["another tool", { tool: "u" }, false],
    ["another principal", { peer: { principal: { id: "bob" } } }, false],
    ["nobody in particular", { peer: undefined as never }, false],
    ["another revision", { server: new Bench([asking("t", "2")], { keys: KEYS }) }, false],
    [
      "a server with other keys",
      { server: new Bench([asking("t")], { keys: KEYS.toUpperCase().replace("K1", "k1") }) },
      false,
    ],
    ["a forgery", { continuation: "cont_forged" }, false],
    ["an empty text", { continuation: "" }, false],
    ["a context's token", { continuation: "ctx_forged" }, false],
    ["a promise's token", { continuation: "prom_forged" }, false],
    ["ten minutes later", { afterMs: 600_000 }, true],
    ["eleven minutes and a moment later", { afterMs: 661_001 }, false],
  ] as readonly (readonly [string, Repeat, boolean])[]
) {
  test(`a continuation is ${isGood ? "good" : "refused"} for ${name}`, async () => {
    const bench = new Bench([asking("t"), asking("u")], { keys: KEYS });
    const args = { a: 1, b: 2 };
    const asked = asQuestion(await bench.call("t", args, { peer: ada }));
    if (repeat.afterMs !== undefined) await pass(bench, repeat.afterMs);
    const meta = {
      continuation: repeat.continuation ?? asked.continuation,
      responses: { k: { action: "decline" } },
    };
    const peer = "peer" in repeat ? repeat.peer : ada;
    const settled = await (repeat.server ?? bench).call(repeat.tool ?? "t", repeat.args ?? args, {
      meta,
      ...(peer !== undefined && { peer }),
    });
    if (isGood) deepStrictEqual(asAnswer(settled), { action: "decline" });
    else {
      const { message } = assertRefused(settled, "invalid_continuation");
      strictEqual(message, "Not a continuation of this call, or no longer: repeat the call without it");
    }
  });
}

test("a continuation that is too large is masked, and the log names the steps", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    await ctx.step("small", () => 1);
    await ctx.step("large", () => "x".repeat(40_000));
    await ctx.elicit("k", yes);
  }));
  match(String(assertMasked(await bench.call("t"), bench.log)), /more than 32768/);
  const fields = bench.log.lines[0]?.fields;
  deepStrictEqual([fields?.["tool"], fields?.["questions"], fields?.["steps"]], ["t", ["k"], ["small", "large"]]);
});

test("a handler that changes its input breaks its own continuation at most: the call can be made again", async () => {
  const bench = benchOf(t.handle(async (input, ctx) => {
    (input as { added?: number }).added = 1;
    return await ctx.elicit("k", yes);
  }));
  const asked = await bench.call("t", { a: 1 });
  assertRefused(await answer(bench, asked, { k: { action: "decline" } }, { a: 1 }), "invalid_continuation");
});

test("models, folders and pages are asked for in their own words, and answers have to be what was asked for", async () => {
  const bench = benchOf(t.handle(async (_, ctx) => {
    const asked = await ctx.ask({
      model: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 },
      folders: { roots: true },
      login: { message: "Log in", url: "https://example.com" },
    });
    return Object.values(asked).map(({ action }) => action);
  }));
  const settled = await bench.call("t");
  const { requests } = asQuestion(settled);
  deepStrictEqual(Object.values(requests).map(({ kind }) => kind), ["sampling", "roots", "elicitation"]);
  deepStrictEqual(requests["model"]?.params, {
    messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
    maxTokens: 5,
  });
  deepStrictEqual(requests["login"]?.params, { url: "https://example.com" });
  const reply = { role: "assistant", content: { type: "text", text: "Ho" }, model: "m" };
  const wrong = await answer(bench, settled, {
    model: { action: "accept", content: { text: "Ho" } },
    folders: { action: "accept", content: [] },
    login: { action: "accept" },
  });
  deepStrictEqual(Object.keys(asQuestion(wrong).requests), ["model", "folders"]);
  const right = await answer(bench, wrong, {
    model: { action: "accept", content: reply },
    folders: { action: "decline" },
  });
  deepStrictEqual(asAnswer(right), ["accept", "decline", "accept"]);
});

for (const options of [{}, { promise: true }] as const) {
  const how = "promise" in options ? "of a promised job" : "of a call";
  test(`a question whose key changes on each run ends after the second round ${how}; error and log name the keys`, async () => {
    let runs = 0;
    const changing = (_: unknown, ctx: Ctx) => ctx.elicit(`sure-${++runs}`, yes);
    const log = new KeptLog();
    const tool = "promise" in options ? t.promise().handle(changing) : t.handle(changing);
    const server = createServer({ tools: [tool], keys: KEYS, logger: log });
    let answers = 0;
    const client = testClient(server, {
      onElicitation() {
        answers++;
        return { action: "accept", content: { yes: true } };
      },
    });
    const running = "promise" in options
      ? client.$.start("t").then((promised) => promised.result())
      : client.$.call("t");
    const message =
      'The run before asked "sure-1", this run asks "sure-2" instead: keys of questions have to be the same on each run';
    await rejects(running, { code: "invalid_continuation", message });
    deepStrictEqual([runs, answers], [2, 1]);
    strictEqual(String(log.lines.find(({ level }) => level === "error")?.fields["error"]), `TypeError: ${message}`);
  });
}

test("a second question with a new key is fine, as long as the first one is asked again", async () => {
  const server = createServer({
    tools: [t.handle(async (_, ctx) => {
      const first = await ctx.elicit("first", yes);
      const all = await Promise.all([ctx.elicit(`second-${first.action}`, yes), ctx.elicit("third", yes)]);
      return all.length;
    })],
    keys: KEYS,
  });
  const client = testClient(server, { onElicitation: () => ({ action: "accept", content: { yes: true } }) });
  strictEqual(await client.$.call("t"), 2);
});
