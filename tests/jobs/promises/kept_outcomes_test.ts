/** Outcomes of steps that are hard to keep: the engine fails, the run is over, or the value is not what a ledger has. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool, ToolError } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asFailure,
  asPromise,
  cancel,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
} from "./promised.ts";

type PromiseOptions = NonNullable<Parameters<ReturnType<typeof defineTool<"t">>["promise"]>[0]>;

/** A job that has begun, on an engine with what a test has it do instead. */
async function begun(
  handler: (input: Record<string, unknown>, ctx: Ctx) => unknown,
  options: PromiseOptions = {},
  instead: (engine: Engine) => Partial<Engine> = () => ({}),
) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(changed(engine, { processId: undefined, ...instead(engine) }));
  const tool = defineTool("t").describe("T").promise(options).handle(handler);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  return { bench, clock, jobs, token, engine, result: () => redeem(bench, token) };
}

test("a step that has succeeded does not look failed because the engine does not answer once", async () => {
  const log: string[] = [];
  let failures = 2;
  const { clock, result } = await begun(
    async (_, ctx) => {
      await ctx.step("charge", () => log.push("charge")).catch(() => ctx.step("note", () => log.push("not charged")));
      return "done";
    },
    {},
    (engine) => ({
      appendLedger: (...args) => {
        if (failures-- > 0) throw new Error("ECONNRESET");
        return engine.appendLedger(...args);
      },
    }),
  );
  for (let n = 0; n < 4; n++) await pass({ clock }, 200);
  strictEqual(asAnswer(await result()), "done");
  deepStrictEqual(log, ["charge"]);
});

test("a run that has come to its time limit begins no further step, also in catch", async () => {
  const log: string[] = [];
  const gates = new Gates();
  const { clock, result } = await begun(async (_, ctx) => {
    const { attempt } = ctx;
    await ctx.step("a", () => attempt === 1 ? gates.wait() : undefined);
    await ctx.step("ship", () => log.push(`ship ${attempt}`)).catch(() => ctx.step("undo", () => log.push("undo")));
    return "done";
  }, { jobTimeoutMs: 5_000 });
  await pass({ clock }, 5_000);
  await gates.end(null);
  deepStrictEqual(log, []);
  await pass({ clock }, 1_000);
  strictEqual(asAnswer(await result()), "done");
  deepStrictEqual(log, ["ship 2"]);
});

test("a run that another one has replaced begins no further step", async () => {
  const log: string[] = [];
  const gates = new Gates();
  const { jobs, engine } = await begun(async (_, ctx) => {
    await ctx.step("a", () => gates.wait());
    await ctx.step("ship", () => log.push("ship")).catch(() => ctx.step("undo", () => log.push("undo")));
  });
  const job = (await jobs.get())!;
  await engine.replace({ ...job, epoch: job.epoch + 1, version: job.version + 1 }, job.version);
  await gates.end(null);
  deepStrictEqual(log, []);
});

test("a handler undoes with steps what it did before its work was cancelled", async () => {
  const log: string[] = [];
  const gates = new Gates();
  const { bench, token } = await begun(async (_, ctx) => {
    await ctx.step("charge", () => gates.wait());
    if (ctx.signal.aborted) await ctx.step("refund", () => log.push("refund"));
  });
  strictEqual(await cancel(bench, token), true);
  await gates.end(null);
  deepStrictEqual(log, ["refund"]);
});

test("a step whose next try would come after the end of the promise fails at once, with and without a job", async () => {
  for (const isPromiseWanted of [true, false]) {
    const { clock, engine } = standstill();
    const tool = defineTool("t").describe("T").promise({ ttlMs: 60_000 }).handle((_, ctx) =>
      ctx.step("a", () => {
        throw new ToolError("rate_limited", "Later", { retryAfterMs: 600_000 });
      }).catch((error: Error) => error.message)
    );
    const bench = new Bench([tool], { keys: KEYS, clock, engine });
    const call = watch(bench.call("t", {}, { meta: { isPromiseWanted } }));
    await pass({ clock }, 0);
    const first = settledOf(call);
    strictEqual(asAnswer(isPromiseWanted ? await redeem(bench, asPromise(first).token) : first), "Later");
  }
});

test("the first long delay of a step is stored when it begins, with its number of tries", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const saved: unknown[] = [];
  const noting = changed(jobs.engine, {
    replace: (job, version) => {
      if (job.state === "running") saved.push(job.memo.waits?.["retry a"]?.tries);
      return engine.replace(job, version);
    },
  });
  const tool = defineTool("t").describe("T").promise().handle((_, ctx) =>
    ctx.step("a", () => {
      throw new ToolError("unavailable", "Later", { retryAfterMs: 60_000 });
    })
  );
  const bench = new Bench([tool], { keys: KEYS, clock, engine: noting });
  void bench.call("t");
  await pass({ clock }, 0);
  deepStrictEqual(saved, [1]);
});

test("an attempt that would begin after the end of the promise is not made, and the job is kept for an operator", async () => {
  const runs: number[] = [];
  const { bench, clock, jobs, result } = await begun(
    (_, ctx) => {
      runs.push(ctx.attempt);
      throw new ToolError("unavailable", "Later", { retryAfterMs: 90_000 });
    },
    { ttlMs: 60_000, keepFailed: true },
  );
  await pass({ clock }, 50_000);
  deepStrictEqual(asFailure(await result(), "attempts_exhausted"), { attempts: 1, reason: "Later" });
  ok((await jobsOf(bench.server).inspect(jobs.ids[0]!)).canRetry);
  await pass({ clock }, 50_000);
  deepStrictEqual(runs, [1]);
});

for (const [title, message] of [["undefined", undefined], ["null", null], ["a number", 7]] as const) {
  test(`a step fails with an error whose message is ${title}, and is kept as failed`, async () => {
    const { jobs, engine, result } = await begun(async (_, ctx) => {
      const caught = await ctx.step("a", () => {
        throw Object.assign(new Error("x"), { message });
      }, { retries: 0 }).catch((error: Error) => error.message);
      return await ctx.step("b", () => caught);
    });
    strictEqual(asAnswer(await result()), `${message}`);
    const entries = await engine.readLedger(jobs.ids[0]!, 0, 9);
    deepStrictEqual(entries.map(({ name, failure }) => [name, failure?.message]), [
      ["step a", `${message}`],
      ["step b", undefined],
    ]);
  });
}

test("of an error of a step, texts and numbers are stored, and not its request", async () => {
  const { jobs, engine } = await begun(async (_, ctx) => {
    const members = { code: "E401", status: 401, config: { headers: { authorization: "s3cr3t" } } };
    await ctx.step("a", () => {
      throw Object.assign(new Error("no"), members);
    }, { retries: 0 }).catch(() => {});
  });
  const [entry] = await engine.readLedger(jobs.ids[0]!, 0, 9);
  deepStrictEqual(entry?.failure?.data, { code: "E401", status: 401 });
});
