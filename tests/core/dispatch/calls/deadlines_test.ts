import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool, Failure, ToolError } from "../../../../mod.ts";
import { FakeClock } from "../../../../src/entries/testing.ts";
import { assertRefused, Bench, KeptSink, settle } from "../harness.ts";

const t = defineTool("t").describe("T");
const never = () => new Promise<never>(() => {});
const SECONDS = 1_000;

for (
  const [name, options, limitMs] of [
    ["the server's default of 30 s", {}, 30_000],
    ["the server's own default", { serverMs: 5_000 }, 5_000],
    ["the tool's, when shorter", { toolMs: 1_000 }, 1_000],
    ["the tool's, when longer", { toolMs: 120_000 }, 120_000],
    ["the caller's, when shorter than the default", { callerMs: 200 }, 200],
    ["the default, when the caller's is longer", { callerMs: 60_000 }, 30_000],
    ["the caller's, when shorter than the tool's", { toolMs: 60_000, callerMs: 45_000 }, 45_000],
    ["the tool's, when the caller's is longer", { toolMs: 1_000, callerMs: 2_000 }, 1_000],
    ["a fraction of a millisecond, rounded as timers do", { callerMs: 0.5 }, 1],
  ] as readonly (readonly [string, { serverMs?: number; toolMs?: number; callerMs?: number }, number])[]
) {
  test(`the deadline is ${name}`, async () => {
    const { serverMs, toolMs, callerMs } = options;
    const tool = (toolMs === undefined ? t : t.timeout(toolMs)).handle(never);
    const bench = new Bench([tool], serverMs === undefined ? {} : { timeoutMs: serverMs });
    let settled: unknown;
    const call = Promise.resolve(bench.call("t", {}, callerMs === undefined ? {} : { meta: { deadlineMs: callerMs } }));
    void call.then((one) => (settled = one));
    bench.clock.tick(limitMs - 1);
    await settle();
    if (limitMs > 1) strictEqual(settled, undefined);
    bench.clock.tick(1);
    deepStrictEqual(await call, {
      kind: "error",
      code: "deadline_exceeded",
      message: "The call took longer than its deadline",
    });
  });
}

test("a handler that is done in time is not disturbed later", async () => {
  const signals: AbortSignal[] = [];
  const bench = new Bench([t.handle(async (_, ctx) => {
    signals.push(ctx.signal);
    return await Promise.resolve(1);
  })]);
  deepStrictEqual(await bench.call("t"), { kind: "answer", value: 1, meta: undefined });
  bench.clock.tick(60_000);
  strictEqual(signals[0]?.aborted, false);
});

test("a deadline counts from the call, middleware and asynchronous validation included", async () => {
  const bench = new Bench([t.handle(() => 1)], {
    middleware: [async (_, next) => {
      await never();
      return next();
    }],
  });
  const call = bench.call("t");
  bench.clock.tick(30_000);
  assertRefused(await call, "deadline_exceeded");
});

test("ctx.signal aborts at the deadline, with a ToolError as its reason", async () => {
  let reason: unknown;
  const bench = new Bench([
    t.timeout(1_000).handle(async (_, ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      reason = ctx.signal.reason;
      throw reason;
    }),
  ]);
  const call = bench.call("t");
  bench.clock.tick(1_000);
  assertRefused(await call, "deadline_exceeded");
  await settle();
  ok(reason instanceof ToolError);
  strictEqual(reason.code, "deadline_exceeded");
  deepStrictEqual(bench.log.lines, []);
});

test("ctx.signal that is first looked at after the deadline is aborted already", async () => {
  const gate = Promise.withResolvers<void>();
  const seen: boolean[] = [];
  const bench = new Bench([t.handle(async (_, ctx) => {
    await gate.promise;
    seen.push(ctx.signal.aborted);
  })]);
  const call = bench.call("t");
  bench.clock.tick(30_000);
  await call;
  gate.resolve();
  await settle();
  deepStrictEqual(seen, [true]);
});

for (const thrown of [new Error("late"), "late", undefined]) {
  test(`what a handler throws after its deadline (${String(thrown)}) is nobody's, and no unhandled rejection`, async () => {
    const gate = Promise.withResolvers<void>();
    const bench = new Bench([t.handle(async () => {
      await gate.promise;
      throw thrown;
    })]);
    const call = bench.call("t");
    bench.clock.tick(30_000);
    assertRefused(await call, "deadline_exceeded");
    gate.resolve();
    await settle();
    assertRefused(await call, "deadline_exceeded");
  });
}

/** A clock whose time can pass while its timers wait, as under a blocked event loop. */
class BlockableClock extends FakeClock {
  #blockedMs = 0;

  override elapsed(): number {
    return super.elapsed() + this.#blockedMs;
  }

  /** Lets time pass. No timer runs. */
  block(forMs: number): void {
    this.#blockedMs += forMs;
  }
}

const OUTCOMES: Readonly<Record<string, () => unknown>> = {
  "an answer": () => "late",
  "a failure": () => {
    throw new Failure("late", "Late");
  },
  "an error": () => {
    throw new ToolError("unavailable", "late");
  },
  "what is masked": () => {
    throw new Error("late");
  },
};

for (const [outcome, end] of Object.entries(OUTCOMES)) {
  for (const [kind, sink] of [["call", undefined], ["stream", new KeptSink()]] as const) {
    test(`${outcome} after the deadline of a ${kind} does not count, though the timer is late`, async () => {
      for (const [blockedMs, isLate] of [[998, false], [999, true], [5_000, true]] as const) {
        const clock = new BlockableClock();
        const gate = Promise.withResolvers<void>();
        const signals: AbortSignal[] = [];
        const tool = t.timeout(1_000).handle(async (_, ctx) => {
          signals.push(ctx.signal);
          await gate.promise;
          return end();
        });
        const bench = new Bench([tool], { clock });
        const call = bench.call("t", {}, sink === undefined ? {} : { sink });
        clock.tick(1);
        clock.block(blockedMs);
        gate.resolve();
        const result = await call;
        strictEqual(result.kind === "error" && result.code === "deadline_exceeded", isLate, `${blockedMs} ms`);
        strictEqual(signals[0]?.aborted, isLate);
      }
    });
  }
}

test("a stream without events for its idle limit is over, though the timer is late", async () => {
  const clock = new BlockableClock();
  const gate = Promise.withResolvers<void>();
  const bench = new Bench([t.handle(() => gate.promise)], { clock, timeoutMs: 1_000 });
  const call = bench.call("t", {}, { sink: new KeptSink() });
  clock.tick(1);
  clock.block(1_000);
  gate.resolve();
  assertRefused(await call, "deadline_exceeded");
});

test("a caller who leaves aborts ctx.signal; the call settles as cancelled", async () => {
  const left = new AbortController();
  let reason: unknown;
  const bench = new Bench([t.handle(async (_, ctx) => {
    await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    reason = ctx.signal.reason;
  })]);
  const call = bench.call("t", {}, { signal: left.signal });
  left.abort(new Error("secret"));
  assertRefused(await call, "cancelled");
  await settle();
  ok(reason instanceof ToolError);
  strictEqual(reason.code, "cancelled");
});

test("a caller who left before the handler looked is seen at once", async () => {
  const bench = new Bench([t.handle(async (_, ctx) => await Promise.resolve(ctx.signal.aborted))]);
  assertRefused(await bench.call("t", {}, { signal: AbortSignal.abort() }), "cancelled");
});

test("a caller who leaves after the answer changes nothing", async () => {
  const left = new AbortController();
  const signals: AbortSignal[] = [];
  const bench = new Bench([t.handle(async (_, ctx) => {
    signals.push(ctx.signal);
    return await Promise.resolve(1);
  })]);
  await bench.call("t", {}, { signal: left.signal });
  left.abort();
  await settle();
  strictEqual(signals[0]?.aborted, false);
});

/** A tool that yields on request, and records when its finally block ran. */
function pausing() {
  const state = { isCleanedUp: false, go: () => {}, yielded: 0 };
  const tool = t.handle(async function* () {
    try {
      for (;;) {
        await new Promise<void>((resolve) => (state.go = resolve));
        yield state.yielded++;
      }
    } finally {
      state.isCleanedUp = true;
    }
  });
  return { tool, state };
}

for (const isStreamed of [true, false]) {
  const how = isStreamed ? "streamed" : "joined";
  test(`a generator's finally runs when the deadline passes (${how})`, async () => {
    const { tool, state } = pausing();
    const bench = new Bench([tool]);
    const call = bench.call("t", {}, { ...(isStreamed && { sink: new KeptSink() }), meta: { deadlineMs: 1_000 } });
    state.go();
    await settle();
    bench.clock.tick(1_000);
    assertRefused(await call, "deadline_exceeded");
    state.go();
    await settle();
    strictEqual(state.isCleanedUp, true);
  });

  test(`a generator's finally runs when the caller leaves, at once if it stands at a yield (${how})`, async () => {
    const left = new AbortController();
    let isCleanedUp = false;
    const tool = t.handle(async function* (_, ctx) {
      try {
        yield 1;
        await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
      } finally {
        isCleanedUp = true;
      }
    });
    const call = new Bench([tool]).call("t", {}, { ...(isStreamed && { sink: new KeptSink() }), signal: left.signal });
    await settle();
    left.abort();
    assertRefused(await call, "cancelled");
    await settle();
    strictEqual(isCleanedUp, true);
  });
}

test("a generator's finally runs when the caller leaves while the sink is full", async () => {
  const left = new AbortController();
  const sink = new KeptSink();
  sink.fill();
  let isCleanedUp = false;
  const bench = new Bench([t.handle(async function* () {
    try {
      yield 1;
      yield 2;
    } finally {
      isCleanedUp = true;
    }
  })]);
  const call = bench.call("t", {}, { sink, signal: left.signal });
  await settle();
  left.abort();
  assertRefused(await call, "cancelled");
  await settle();
  strictEqual(isCleanedUp, true);
  deepStrictEqual(sink.partials, [1]);
});

test("a generator whose finally throws or hangs cannot hold the caller", async () => {
  const bench = new Bench([t.handle(async function* () {
    try {
      yield 1;
      await never();
    } finally {
      // deno-lint-ignore no-unsafe-finally -- that is what is tested
      throw new Error("from finally");
    }
  })]);
  const call = bench.call("t", {}, { sink: new KeptSink() });
  await settle();
  bench.clock.tick(30_000);
  assertRefused(await call, "deadline_exceeded");
});

test("nothing reaches the sink after the call has settled", async () => {
  const { tool, state } = pausing();
  const gate = Promise.withResolvers<void>();
  const bench = new Bench([
    tool,
    defineTool("late").describe("L").handle(async (_, ctx) => {
      await gate.promise;
      ctx.progress(1, 2);
    }),
  ]);
  const [sink, lateSink] = [new KeptSink(), new KeptSink()];
  const calls = [bench.call("t", {}, { sink }), bench.call("late", {}, { sink: lateSink })];
  await settle();
  bench.clock.tick(30_000);
  for (const call of calls) assertRefused(await call, "deadline_exceeded");
  state.go();
  gate.resolve();
  await settle();
  deepStrictEqual([sink.events, lateSink.events], [[], []]);
});

test("a stream's default deadline is idle time: each partial and each progress renews it", async () => {
  const { tool, state } = pausing();
  const bench = new Bench([tool]);
  const sink = new KeptSink();
  const call = bench.call("t", {}, sink === undefined ? {} : { sink });
  for (let round = 0; round < 10; round++) {
    await settle();
    bench.clock.tick(25 * SECONDS);
    state.go();
  }
  await settle();
  strictEqual(sink.partials.length, 10);
  bench.clock.tick(30 * SECONDS);
  assertRefused(await call, "deadline_exceeded");
});

test("progress keeps a streamed call alive, also of a handler that is no generator", async () => {
  const steps: (() => void)[] = [];
  const bench = new Bench([t.handle(async (_, ctx) => {
    for (let done = 1; done <= 3; done++) {
      await new Promise<void>((resolve) => steps.push(resolve));
      ctx.progress(done, 3);
    }
    return "done";
  })]);
  const sink = new KeptSink();
  const call = bench.call("t", {}, sink === undefined ? {} : { sink });
  for (let round = 0; round < 3; round++) {
    bench.clock.tick(29 * SECONDS);
    steps[round]?.();
    await settle();
  }
  deepStrictEqual(await call, { kind: "answer", value: "done", meta: undefined });
});

for (
  const [name, toolMs, callerMs] of [
    ["the tool's timeout", 40_000, undefined],
    ["the caller's deadline", undefined, 40_000],
    ["the shorter of both", 90_000, 40_000],
  ] as const
) {
  test(`a stream's deadline is total, whatever it sends, when it is ${name}`, async () => {
    const { state } = pausing();
    const builder = toolMs === undefined ? t : t.timeout(toolMs);
    const tool = builder.handle(async function* () {
      for (;;) {
        await new Promise<void>((resolve) => (state.go = resolve));
        yield state.yielded++;
      }
    });
    const bench = new Bench([tool]);
    const call = bench.call("t", {}, {
      sink: new KeptSink(),
      ...(callerMs !== undefined && { meta: { deadlineMs: callerMs } }),
    });
    let isOver = false;
    void Promise.resolve(call).then(() => (isOver = true));
    for (let round = 0; round < 3; round++) {
      await settle();
      bench.clock.tick(13_333);
      state.go();
    }
    await settle();
    strictEqual(isOver, false);
    bench.clock.tick(1);
    assertRefused(await call, "deadline_exceeded");
  });
}

test("partials are lossless: a full sink holds the generator", async () => {
  const made: number[] = [];
  const sink = new KeptSink();
  const bench = new Bench([t.handle(async function* () {
    for (let n = 0; n < 5; n++) {
      made.push(n);
      yield n;
    }
  })]);
  sink.fill();
  const call = bench.call("t", {}, sink === undefined ? {} : { sink });
  for (let held = 0; held < 4; held++) {
    await settle();
    deepStrictEqual([made.length, sink.partials.length], [held + 1, held + 1]);
    sink.drain(true);
  }
  await settle();
  sink.drain();
  strictEqual((await call).kind, "answer");
  deepStrictEqual(sink.partials, [0, 1, 2, 3, 4]);
});

test("progress is coalesced: while the sink is full only the latest is kept", async () => {
  const gate = Promise.withResolvers<void>();
  const sink = new KeptSink();
  sink.fill();
  const bench = new Bench([t.handle(async (_, ctx) => {
    for (let done = 0; done < 1_000; done++) ctx.progress(done, 1_000);
    await gate.promise;
    ctx.progress(1_000, 1_000, "done");
    return 1;
  })]);
  const call = bench.call("t", {}, sink === undefined ? {} : { sink });
  await settle();
  deepStrictEqual(sink.progress, [0]);
  sink.drain();
  await settle();
  deepStrictEqual(sink.progress, [0, 999]);
  gate.resolve();
  await call;
  deepStrictEqual(sink.events.at(-1), { kind: "progress", progress: { done: 1_000, total: 1_000, message: "done" } });
});

test("progress keeps its place among partials, and has only the members it was given", async () => {
  const sink = new KeptSink();
  const bench = new Bench([t.handle(async function* (_, ctx) {
    ctx.progress(0);
    yield "a";
    ctx.progress(1, 2);
    yield "b";
    ctx.progress(2, 2, "all");
  })]);
  await bench.call("t", {}, sink === undefined ? {} : { sink });
  deepStrictEqual(sink.events, [
    { kind: "progress", progress: { done: 0 } },
    { kind: "partial", value: "a" },
    { kind: "progress", progress: { done: 1, total: 2 } },
    { kind: "partial", value: "b" },
    { kind: "progress", progress: { done: 2, total: 2, message: "all" } },
  ]);
});

test("progress without a sink goes nowhere", async () => {
  const bench = new Bench([t.handle((_, ctx) => ctx.progress(1))]);
  deepStrictEqual(await bench.call("t"), { kind: "answer", value: undefined, meta: undefined });
});

for (
  const [name, push] of [
    ["throws", () => {
      throw new Error("sink");
    }],
    ["rejects", () => Promise.reject(new Error("sink"))],
  ] as const
) {
  test(`a sink that ${name} breaks no call: progress is a courtesy`, async () => {
    const bench = new Bench([t.handle(async (_, ctx) => {
      ctx.progress(1);
      await Promise.resolve();
      ctx.progress(2);
      return 1;
    })]);
    deepStrictEqual(await bench.call("t", {}, { sink: { push } }), { kind: "answer", value: 1, meta: undefined });
  });

  test(`a sink that ${name} ends a stream in one refusal, and its generator`, async () => {
    let isCleanedUp = false;
    const bench = new Bench([t.handle(async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        isCleanedUp = true;
      }
    })]);
    strictEqual((await bench.call("t", {}, { sink: { push } })).kind, "error");
    await settle();
    strictEqual(isCleanedUp, true);
  });
}
