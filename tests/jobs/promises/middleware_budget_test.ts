/** Middleware that takes longer than a tool's budget: nothing is promised, written or run before it has let the call through. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type CallResult, defineTool, type Middleware, ToolError } from "../../../mod.ts";
import { errorResult } from "../../../src/core/call/outcome.ts";
import { assertRefused, Bench, KeptSink } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asPromise,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
  withoutInstance,
} from "./promised.ts";

const BUDGET_MS = 1_000;
const t = defineTool("t").describe("T").promise({ budgetMs: BUDGET_MS });

/** Which middleware it is that takes its time. */
const PLACES = ["server", "tool"] as const;

/** A tool behind middleware of the server, or its own; `runs` counts how often it was run. */
function behind(decide: Middleware, place: (typeof PLACES)[number] = "server") {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const gates = new Gates();
  const tool = (place === "tool" ? t.use(decide) : t).handle(() => gates.wait());
  const middleware = place === "server" ? [decide] : [];
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine, middleware });
  return { bench, gates, jobs, clock };
}

const denied = errorResult("permission_denied", "No");

for (
  const [name, decide] of [
    ["refuses", () => denied],
    ["throws", () => {
      throw new ToolError("permission_denied", "No");
    }],
  ] as readonly (readonly [string, () => CallResult])[]
) {
  for (const isStreamed of [false, true]) {
    test(`what middleware ${name} after the budget is never promised or run${isStreamed ? " (streamed)" : ""}`, async () => {
      const decision = Promise.withResolvers<void>();
      const { bench, gates, jobs, clock } = behind(async () => {
        await decision.promise;
        return decide();
      });
      const sink = new KeptSink();
      const call = watch(bench.call("t", {}, isStreamed ? { sink } : {}));
      await pass({ clock }, 2 * BUDGET_MS);
      strictEqual(call.settled, undefined);
      decision.resolve();
      await pass({ clock }, 0);
      assertRefused(await settledOf(call), "permission_denied");
      await pass({ clock }, 600_000);
      strictEqual(gates.begun, 0);
      deepStrictEqual([jobs.ids, sink.events, bench.log.lines], [[], [], []]);
    });
  }
}

test("a call whose middleware never decides ends at its deadline, and leaves no job", async () => {
  const { bench, gates, jobs, clock } = behind(() => new Promise(() => {}));
  const call = watch(bench.call("t"));
  await pass({ clock }, 29_999);
  strictEqual(call.settled, undefined);
  await pass({ clock }, 1);
  assertRefused(await settledOf(call), "deadline_exceeded");
  await pass({ clock }, 600_000);
  deepStrictEqual([gates.begun, jobs.ids], [0, []]);
});

test("no other replica runs a call whose process dies while middleware decides", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(withoutInstance(engine));
  let runs = 0;
  const tool = t.handle(() => ++runs);
  // The process dies: its leases are released.
  const dying = changed(jobs.engine, { lease: () => () => {} });
  const options = { keys: KEYS, clock };
  const a = new Bench([tool], {
    ...options,
    engine: dying,
    work: false,
    middleware: [() => new Promise(() => {})],
  });
  const b = new Bench([tool], { ...options, engine: jobs.engine, middleware: [() => denied] });
  b.server.work();
  void a.call("t");
  await pass({ clock }, BUDGET_MS);
  await pass({ clock }, 60_000);
  deepStrictEqual([runs, jobs.ids], [0, []]);
});

for (const place of PLACES) {
  for (const idempotencyKey of [undefined, "a"]) {
    const keyed = idempotencyKey === undefined ? "" : ", keyed";
    const meta = idempotencyKey === undefined ? {} : { meta: { idempotencyKey } };

    test(`a call that middleware lets through after the budget is promised then (the ${place}'s${keyed})`, async () => {
      const decision = Promise.withResolvers<void>();
      const { bench, gates, clock } = behind(async (_, next) => {
        await decision.promise;
        return await next();
      }, place);
      const call = watch(bench.call("t", {}, meta));
      await pass({ clock }, 2 * BUDGET_MS);
      deepStrictEqual([call.settled, gates.begun], [undefined, 0]);
      decision.resolve();
      await pass({ clock }, 0);
      const { token, ttlMs } = asPromise(call.settled);
      strictEqual(ttlMs, 3_600_000 - (place === "tool" && idempotencyKey !== undefined ? 2 * BUDGET_MS : 0));
      await gates.end("done");
      strictEqual(asAnswer(await redeem(bench, token)), "done");
      strictEqual(gates.begun, 1);
    });
  }

  test(`a stream that middleware lets through after the budget is told of its promise then (the ${place}'s)`, async () => {
    const decision = Promise.withResolvers<void>();
    const { bench, gates, clock } = behind(async (_, next) => {
      await decision.promise;
      return await next();
    }, place);
    const sink = new KeptSink();
    const call = watch(bench.call("t", {}, { sink }));
    await pass({ clock }, 2 * BUDGET_MS);
    strictEqual(sink.events.length, 0);
    decision.resolve();
    await pass({ clock }, 0);
    const [deferred] = sink.events;
    ok(deferred?.kind === "deferred");
    await pass({ clock }, 21_999);
    strictEqual(call.settled, undefined, "it goes on until 0.8 of its deadline, from its beginning");
    await pass({ clock }, 1);
    strictEqual(asPromise(call.settled).token, deferred.promise.token);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, deferred.promise.token)), "done");
  });
}

test("what a handler answers at once after slow middleware is not lost", async () => {
  const { clock, engine } = standstill();
  const decision = Promise.withResolvers<void>();
  const tool = t.use(async (_, next) => {
    await decision.promise;
    return await next();
  }).handle(() => "done");
  const bench = new Bench([tool], { keys: KEYS, clock, engine });
  const call = watch(bench.call("t"));
  await pass({ clock }, 2 * BUDGET_MS);
  decision.resolve();
  await pass({ clock }, 0);
  const settled = settledOf(call);
  strictEqual(asAnswer(settled.kind === "promise" ? await redeem(bench, settled.token) : settled), "done");
});
