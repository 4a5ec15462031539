/** Jobs whose code does not fit them, as after a bad deployment: they keep what they have, until code that fits is there again. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type AnyTool, type Ctx, defineTool } from "../../../mod.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import type { CallMeta } from "../../../src/entries/wire.ts";
import { Bench, KeptSink } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asFailure,
  asPromise,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
} from "./promised.ts";

const HOUR = 3_600_000;
const t = defineTool("t").describe("T").promise({ ttlMs: 100 * HOUR, retries: 1 });

/** A call that sleeps, on servers of one engine that have one definition of the tool after the other. */
async function deployments(first: AnyTool, args: Record<string, unknown> = {}, meta: CallMeta = {}) {
  const { clock, engine } = standstill();
  const jobs = watchJobs({ ...engine, processId: undefined, close: () => {} });
  let bench = new Bench([first], { keys: KEYS, clock, engine: jobs.engine });
  const call = watch(bench.call("t", args, { meta }));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  const deploy = async (tool: AnyTool) => {
    await bench.server.close(0);
    bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
    bench.server.work();
    await pass({ clock }, 0);
    return bench;
  };
  return { clock, jobs, deploy, token, result: () => redeem(bench, token) };
}

const log: string[] = [];

/** Charges under a key, sleeps for an hour, and ships. */
const order = (key: string) => async (_: unknown, ctx: Ctx) => {
  await ctx.step(key, () => log.push(key));
  await ctx.sleep("s", HOUR);
  await ctx.step("ship", () => log.push("ship"));
  return "shipped";
};

for (
  const [title, first, bad, code] of [
    ["a step is renamed", t.handle(order("charge")), t.handle(order("pay")), "replay_diverged"],
    [
      "the revision is another one",
      t.handle(order("charge")),
      t.revision("2").handle(order("charge")),
      "revision_changed",
    ],
    [
      "the input is stricter",
      t.input(v.object({ n: v.number() })).handle(order("charge")),
      t.input(v.object({ n: v.string() })).handle(order("charge")),
      "invalid_input",
    ],
    [
      "the result is too large",
      t.promise({ ttlMs: 100 * HOUR, keepFailed: true }).handle(order("charge")),
      t.promise({ ttlMs: 100 * HOUR, keepFailed: true }).handle(async (input, ctx) =>
        (await order("charge")(input, ctx)).repeat(2_000_000)
      ),
      "result_too_large",
    ],
  ] as const
) {
  test(`a job is blocked after a bad deployment, and continues after the next: ${title}`, async () => {
    log.length = 0;
    const { clock, jobs, deploy, result } = await deployments(first, { n: 1 });
    const bench = await deploy(bad);
    await pass({ clock }, HOUR);
    const [id = ""] = jobs.ids;
    const blocked = await jobsOf(bench.server).inspect(id);
    deepStrictEqual([blocked.state, blocked.outcome?.code], ["blocked", code]);
    deepStrictEqual(blocked.steps[0]?.key, "charge");
    match(asPromise(await result()).progress?.message ?? "", /^Blocked: /);
    const repaired = await deploy(first);
    // Its handler had ended, so that it waits for an operator.
    if (code === "result_too_large") await jobsOf(repaired.server).retry(id);
    await pass({ clock }, 30_000);
    strictEqual(asAnswer(await result()), "shipped");
    deepStrictEqual(log, ["charge", "ship"]);
  });
}

test("a blocked job takes values for its waits, and an operator retries or cancels it", async () => {
  const waits = (key: string) =>
    t.handle(async (_, ctx) => {
      const { token } = await ctx.resolver("yes");
      await ctx.step(key, () => log.push(token));
      return await ctx.waitFor("yes", v.object({ ok: v.boolean() }));
    });
  for (const isCancelled of [false, true]) {
    log.length = 0;
    const { clock, jobs, deploy, result } = await deployments(waits("mail"));
    const bad = await deploy(waits("post"));
    ok((await bad.server.resolve(log[0]!, { ok: true })).resolved);
    await pass({ clock }, 0);
    const [id = ""] = jobs.ids;
    strictEqual((await jobs.get())?.state, "blocked");
    ok((await jobsOf(bad.server).inspect(id)).canRetry);
    if (isCancelled) {
      await jobsOf(bad.server).cancel(id);
      asFailure(await result(), "cancelled");
    } else {
      const good = await deploy(waits("mail"));
      await jobsOf(good.server).retry(id);
      await pass({ clock }, 0);
      deepStrictEqual(asAnswer(await result()), { action: "accept", content: { ok: true } });
    }
  }
});

test("a blocked job is tried again ever less often, and its caller gets the failure shortly before the promise ends", async () => {
  const short = defineTool("t").describe("T").promise({ ttlMs: 4 * HOUR });
  const { clock, jobs, deploy, result } = await deployments(short.handle(order("charge")));
  await deploy(short.handle(order("pay")));
  await pass({ clock }, HOUR);
  const runs: number[] = [];
  for (let minutes = 0; minutes < 170; minutes += 10) {
    for (let n = 0; n < 10; n++) await pass({ clock }, 60_000);
    runs.push((await jobs.get())?.epoch ?? 0);
  }
  strictEqual((await jobs.get())?.state, "blocked");
  ok(runs.at(-1)! - runs[3]! <= 14, `one run in ten minutes: ${runs}`);
  for (let n = 0; n < 9; n++) await pass({ clock }, 60_000);
  strictEqual((await jobs.get())?.state, "done");
  asFailure(await result(), "replay_diverged");
});

test("a stream that joins a blocked job gets its promise at the budget, and the end of the job", async () => {
  const meta = { idempotencyKey: "k", deadlineMs: 60_000 };
  const { clock, jobs, deploy } = await deployments(t.handle(order("charge")), {}, meta);
  const bench = await deploy(t.handle(order("pay")));
  await pass({ clock }, HOUR);
  strictEqual((await jobs.get())?.state, "blocked");
  const sink = new KeptSink();
  const call = watch(bench.call("t", {}, { sink, meta }));
  for (let second = 0; second < 20; second++) await pass({ clock }, 1_000);
  deepStrictEqual(sink.events.filter(({ kind }) => kind !== "progress").map(({ kind }) => kind), ["deferred"]);
  for (let second = 0; second < 40; second++) await pass({ clock }, 1_000);
  asPromise(settledOf(call));
});

test("a job that an operator has begun again is blocked as if for the first time", async () => {
  const { clock, jobs, deploy } = await deployments(t.handle(order("charge")));
  const bench = await deploy(t.handle(order("pay")));
  for (let hour = 0; hour < 3; hour++) await pass({ clock }, HOUR);
  strictEqual((await jobs.get())?.wakeAtMs, clock.now() + 600_000);
  await jobsOf(bench.server).retry(jobs.ids[0]!);
  await pass({ clock }, 0);
  const { state, wakeAtMs } = (await jobs.get())!;
  deepStrictEqual([state, wakeAtMs], ["blocked", clock.now() + 30_000]);
});
