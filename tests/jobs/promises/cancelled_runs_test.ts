/** A cancel wakes the handler once: its waits reject, and steps in `catch` and `finally` undo what was done. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type AnyTool, type Ctx, defineTool, ToolError } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import {
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

const DAY = 86_400_000;
const approval = v.object({ ok: v.boolean() });

/** A job of a tool, at one of two servers with one engine. */
async function begun(handler: (input: unknown, ctx: Ctx) => unknown, options = {}, others: readonly AnyTool[] = []) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const log: string[] = [];
  const tool = defineTool("t").describe("T").promise({ ttlMs: 7 * DAY, retries: 0, ...options }).handle(handler);
  const shared = changed(jobs.engine, { name: "shared", processId: undefined });
  const make = (engine: Engine = shared, work: false | undefined = undefined) =>
    new Bench([tool, ...others], { keys: KEYS, clock, engine, ...(work === false && { work }) });
  const bench = make();
  const call = watch(bench.call("t", { secret: "hush" }, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  const [id = ""] = jobs.ids;
  const ledger = async () => (await engine.readLedger(id, 0, 100)).map(({ name }) => name);
  return { bench, make, clock, engine, jobs, log, token, id, ledger };
}

/** A saga that is stopped at `wait`: what it did, and what its `catch` met. */
function saga(wait: (ctx: Ctx) => unknown) {
  const log: string[] = [];
  const met: unknown[] = [];
  const handler = async (_: unknown, ctx: Ctx) => {
    await ctx.step("charge", () => log.push("charge"));
    try {
      await wait(ctx);
      await ctx.step("ship", () => log.push("ship"));
    } catch (error) {
      met.push([error instanceof ToolError && error.code, ctx.signal.aborted]);
      await ctx.step("refund", ({ signal }) => log.push(`refund${signal.aborted ? " late" : ""}`));
      throw error;
    } finally {
      await ctx.step("note", () => log.push("note"));
    }
  };
  return { log, met, handler };
}

const child = defineTool("child").describe("C").promise({ ttlMs: 2 * DAY })
  .handle(async (_, ctx) => await ctx.sleep("a day", DAY));

const STOPS: Readonly<Record<string, (ctx: Ctx) => unknown>> = {
  "a wait for a value": (ctx) => ctx.waitFor("approval", approval),
  "a sleep": (ctx) => ctx.sleep("night", DAY),
  "a short sleep": (ctx) => ctx.sleep("moment", 900),
  "a question": (ctx) => ctx.elicit("sure", { message: "Sure?", schema: approval }),
  "a job of another tool": (ctx) => ctx.call(child),
  "the delay of a step that is tried again": (ctx) =>
    ctx.step("flaky", () => {
      throw new ToolError("unavailable", "Later", { retryAfterMs: 60_000 });
    }, { retries: 3 }),
  "two waits at once": (ctx) => Promise.all([ctx.sleep("night", DAY), ctx.waitFor("approval", approval)]),
};

for (const [name, wait] of Object.entries(STOPS)) {
  test(`a cancel at ${name} wakes the handler once, whose steps in catch and finally undo what was done`, async () => {
    const { log, met, handler } = saga(wait);
    const { bench, clock, jobs, token, id, ledger } = await begun(handler, {}, [child]);
    deepStrictEqual(log, ["charge"]);
    strictEqual(await cancel(bench, token), true);
    await pass({ clock }, 0);
    deepStrictEqual(log, ["charge", "refund", "note"]);
    deepStrictEqual(met, [["cancelled", true]]);
    asFailure(await redeem(bench, token), "cancelled");
    ok((await ledger()).includes("step refund"), "steps that undo are recorded");
    strictEqual((await jobs.get(id))?.args, null, "nothing is left of the arguments");
    await pass({ clock }, 2 * DAY);
    deepStrictEqual(log, ["charge", "refund", "note"], "once");
    strictEqual(met.length, 1);
  });
}

test("a cancel during a step lets the step end, and the next one does not begin", async () => {
  const gates = new Gates();
  const { log, met, handler } = saga((ctx) => ctx.step("pack", () => gates.wait()));
  const { bench, clock, token, ledger } = await begun(handler);
  strictEqual(await cancel(bench, token), true);
  asFailure(await redeem(bench, token), "cancelled");
  deepStrictEqual(log, ["charge"]);
  await gates.end("packed");
  await pass({ clock }, 0);
  deepStrictEqual(log, ["charge", "refund", "note"]);
  deepStrictEqual(met, [["cancelled", true]]);
  deepStrictEqual(await ledger(), ["step charge", "step pack", "step refund", "step note"]);
});

test("a handler that has not begun, or has recorded nothing, is not woken", async () => {
  const gates = new Gates();
  const { bench, clock, jobs, token, id } = await begun(() => gates.wait(), { retries: 3 });
  await gates.fail(new Error("no luck"));
  strictEqual(await cancel(bench, token), true);
  await pass({ clock }, DAY);
  strictEqual(gates.begun, 1);
  strictEqual((await jobs.get(id))?.args, null);
});

test("the time to undo is that of undoMs, a minute by default; then the rest is dropped, with a line in the log", async () => {
  for (const [options, leftMs] of [[{}, 60_000], [{ undoMs: 5_000 }, 5_000]] as const) {
    const gates = new Gates();
    const log: string[] = [];
    const { bench, clock, jobs, token, id } = await begun(async (_, ctx) => {
      try {
        await ctx.waitFor("approval", approval);
      } finally {
        await ctx.step("slow", ({ signal }) => {
          signal.addEventListener("abort", () => log.push("abort"));
          return gates.wait();
        });
        await ctx.step("late", () => log.push("late"));
      }
    }, options);
    await cancel(bench, token);
    await pass({ clock }, leftMs - 1);
    deepStrictEqual([log, (await jobs.get(id))?.args], [[], { secret: "hush" }]);
    await pass({ clock }, 1);
    deepStrictEqual([log, (await jobs.get(id))?.args], [["abort"], null]);
    await gates.end("at last");
    deepStrictEqual(log, ["abort"]);
    ok(bench.log.lines.some(({ level, message }) => level === "error" && /undo/.test(message)));
  }
});

test("undoMs of 0 wakes no handler", async () => {
  const { log, handler } = saga((ctx) => ctx.waitFor("approval", approval));
  const { bench, clock, jobs, token, id } = await begun(handler, { undoMs: 0 });
  await cancel(bench, token);
  strictEqual((await jobs.get(id))?.args, null);
  await pass({ clock }, DAY);
  deepStrictEqual(log, ["charge"]);
});

test("a handler that undoes may call tools, map lists, and try its steps again", async () => {
  const log: string[] = [];
  const give = defineTool("give").describe("G").handle((_, ctx) =>
    log.push(`give${ctx.signal.aborted ? " late" : ""}`)
  );
  const { bench, clock, token } = await begun(
    async (_, ctx) => {
      await ctx.step("charge", () => log.push("charge"));
      try {
        await ctx.sleep("night", DAY);
      } catch {
        await ctx.call(give);
        await ctx.map("items", ["a", "b"], {}, (item) => log.push(item));
        await ctx.step("flaky", ({ attempt }) => {
          log.push(`try ${attempt}`);
          if (attempt < 3) throw new Error("Again");
        }, { retries: 5, backoff: { minMs: 5_000 } });
      }
    },
    {},
    [give],
  );
  await cancel(bench, token);
  await pass({ clock }, 0);
  for (let n = 0; n < 3; n++) await pass({ clock }, 10_000);
  deepStrictEqual(log, ["charge", "give", "a", "b", "try 1", "try 2", "try 3"]);
});

test("a handler that has read ctx.signal looks at it by itself: its steps do not reject", async () => {
  const gates = new Gates();
  const log: string[] = [];
  const { bench, token } = await begun(async (_, { signal, step }) => {
    await step("charge", () => gates.wait());
    if (signal.aborted) await step("refund", () => log.push("refund"));
  });
  await cancel(bench, token);
  await gates.end(null);
  deepStrictEqual(log, ["refund"]);
});

test("a handler that fails while it undoes is reported", async () => {
  const { bench, clock, token } = await begun(async (_, ctx) => {
    try {
      await ctx.sleep("night", DAY);
    } finally {
      await ctx.step("refund", () => {
        throw new Error("The bank does not answer");
      });
    }
  });
  await cancel(bench, token);
  await pass({ clock }, 0);
  const [line, ...others] = bench.log.lines.filter(({ level }) => level === "error");
  match(String(line?.message), /may not have undone what it did/);
  match(String(line?.fields["error"]), /The bank does not answer/);
  deepStrictEqual(others, []);
});

test("a server that closes while a handler undoes leaves the rest to another one, which repeats no step", async () => {
  const gates = new Gates();
  const log: string[] = [];
  const { bench, make, clock, jobs, token, id } = await begun(async (_, ctx) => {
    await ctx.step("charge", () => log.push("charge"));
    try {
      await ctx.waitFor("approval", approval);
    } catch {
      await ctx.step("refund", () => log.push("refund"));
      await ctx.step("mail", () => gates.begun === 0 ? gates.wait() : log.push("mail"));
    }
  }, { undoMs: 600_000 });
  await cancel(bench, token);
  await pass({ clock }, 0);
  deepStrictEqual([log, gates.begun], [["charge", "refund"], 1]);
  const other = make();
  other.server.work();
  const closed = bench.server.close(1_000);
  await pass({ clock }, 1_000);
  await closed;
  await pass({ clock }, 0);
  deepStrictEqual(log, ["charge", "refund", "mail"]);
  strictEqual((await jobs.get(id))?.args, null);
});

test("an operator sees until when a cancelled job is undone, does not purge it before, and sees what undid it", async () => {
  const gates = new Gates();
  const { bench, clock, token, id } = await begun(async (_, ctx) => {
    try {
      await ctx.waitFor("approval", approval);
    } finally {
      await ctx.step("refund", () => gates.wait());
    }
  });
  await cancel(bench, token);
  await pass({ clock }, 0);
  const jobs = jobsOf(bench.server);
  const { state, undoUntilMs } = await jobs.inspect(id);
  deepStrictEqual([state, undoUntilMs], ["cancelled", clock.now() + 60_000]);
  strictEqual((await jobs.purge({ all: true })).purged, 0);
  await gates.end(null);
  const { steps, undoUntilMs: over } = await jobs.inspect(id);
  deepStrictEqual([over, steps.map(({ key, isUndo }) => [key, isUndo])], [undefined, [["refund", true]]]);
  strictEqual((await jobs.purge({ all: true })).purged, 1);
});
