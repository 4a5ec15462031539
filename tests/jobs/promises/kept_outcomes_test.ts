/** Outcomes of steps that are hard to keep: the engine fails, the run is over, or the value is not what a ledger has. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import { asAnswer, asPromise, cancel, changed, Gates, KEYS, pass, redeem, standstill, watchJobs } from "./promised.ts";

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
