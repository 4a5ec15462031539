/** Edges of steps: engines that fail at the budget, secrets in errors, options, questions within a step, and what stays in the record. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool, memoryEngine } from "../../../mod.ts";
import type { Engine } from "../../../src/entries/engines.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import type { StepOptions } from "../../../src/entries/types.ts";
import { Bench } from "../../core/dispatch/harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
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

const HOUR = 3_600_000;
const yes = { message: "Sure?", schema: v.object({ yes: v.boolean() }) };

/** A job of a tool. */
async function begun(handler: (input: unknown, ctx: Ctx) => unknown, options = {}) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const tool = defineTool("t").describe("T").promise({ ttlMs: 100 * HOUR, ...options }).handle(handler);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const call = watch(bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  const { token } = asPromise(settledOf(call));
  return { bench, clock, jobs, engine, result: () => redeem(bench, token) };
}

test("a handler whose result is too large is not run again by time, and its job ends with its promise", async () => {
  let runs = 0;
  const { bench, clock, jobs, result } = await begun(() => {
    runs++;
    return "x".repeat(9_000_000);
  }, { retries: 0, keepFailed: true });
  for (let hours = 0; hours < 50; hours++) await pass({ clock }, HOUR);
  strictEqual(runs, 1);
  strictEqual((await jobs.get())?.state, "blocked");
  await jobsOf(bench.server).retry(jobs.ids[0]!);
  await pass({ clock }, 0);
  strictEqual(runs, 2, "an operator begins it again");
  for (let hours = 0; hours < 50; hours++) await pass({ clock }, HOUR);
  strictEqual(runs, 2);
  const job = await jobs.get();
  deepStrictEqual([job?.state, job?.outcome?.kind === "error" && job.outcome.code], ["done", "result_too_large"]);
  ok((await result()).kind === "error");
});

test("a step that ends while its call cannot become a job has ended, and the call continues", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const writing = Promise.withResolvers<boolean>();
  const failing = changed(engine, { insert: () => writing.promise });
  const tool = defineTool("t").describe("T").promise({ budgetMs: 1_000 })
    .handle(async (_, ctx) => await ctx.step("charge", () => gates.wait()));
  const bench = new Bench([tool], { keys: KEYS, clock, engine: failing });
  const call = watch(bench.call("t"));
  await pass({ clock }, 1_000);
  await gates.end("charged");
  writing.reject(new Error("The store is down"));
  await pass({ clock }, 0);
  strictEqual(asAnswer(settledOf(call)), "charged");
});

test("of an error only its code and its status are stored, and no text that may be a secret", async () => {
  const { jobs, engine } = await begun(async (_, ctx) => {
    await ctx.step("a", () => {
      throw Object.assign(new Error("refused"), {
        code: "E402",
        status: 402,
        url: "https://x.test?key=hush",
        key: "hush",
      });
    }, { retries: 0 });
  });
  const ledger = JSON.stringify(await engine.readLedger(jobs.ids[0]!, 0, 10));
  match(ledger, /"code":"E402","status":402/);
  ok(!ledger.includes("hush"));
});

for (
  const [name, options, expected] of [
    ["a misspelt delay", { backoff: { minMS: 5 } }, /no option "minMS"; did you mean "minMs"/],
    ["a jitter over 1", { backoff: { jitter: 9 } }, /jitter must be from 0 to 1, not 9/],
    ["a delay of 0", { backoff: { minMs: 0 } }, /minMs must be a positive number/],
  ] as const
) {
  test(`options of a step are checked before its work: ${name}`, async () => {
    let begunSteps = 0;
    const { result } = await begun((_, ctx) => ctx.step("a", () => begunSteps++, options as unknown as StepOptions));
    const settled = await result();
    match(settled.kind === "failure" ? settled.message : "", expected);
    asFailure(settled, "invalid_handler");
    strictEqual(begunSteps, 0);
  });
}

test("a retryIf may be asynchronous, and one that throws is logged and tries nothing again", async () => {
  for (
    const [retryIf, tries, isLogged] of [
      [() => Promise.resolve(false), 1, false],
      [() => Promise.resolve(true), 3, false],
      [
        () => {
          throw new Error("A fault of retryIf");
        },
        1,
        true,
      ],
    ] as const
  ) {
    let tried = 0;
    const { bench, clock } = await begun((_, ctx) =>
      ctx.step("a", () => {
        tried++;
        throw new Error("no luck");
      }, { retries: 2, retryIf, backoff: { minMs: 10 } })
    );
    for (let n = 0; n < 4; n++) await pass({ clock }, 100);
    strictEqual(tried, tries);
    strictEqual(bench.log.lines.some(({ fields }) => /A fault of retryIf/.test(String(fields["error"]))), isLogged);
  }
});

test("the delays of steps that have ended do not stay in the record of the job", async () => {
  const { clock, jobs } = await begun(async (_, ctx) => {
    for (let n = 0; n < 5; n++) {
      await ctx.step(`s${n}`, ({ attempt }) => {
        if (attempt === 1) throw new Error("no luck");
      }, { retries: 1, backoff: { minMs: 5_000 } });
    }
    await ctx.sleep("end", HOUR);
  });
  for (let n = 0; n < 6; n++) await pass({ clock }, 5_000);
  const job = await jobs.get();
  deepStrictEqual([job?.state, Object.keys(job?.memo.waits ?? {})], ["waiting", ["sleep end"]]);
});

test("a step whose work asks, and catches that the run stops there, is begun again with the answer", async () => {
  const tool = defineTool("t").describe("T").handle(async (_, ctx) =>
    await ctx.step("outer", async () => {
      try {
        return (await ctx.elicit("sure", yes)).action;
      } catch {
        return "fallback";
      }
    })
  );
  const bench = new Bench([tool], { keys: KEYS });
  const { continuation } = asQuestion(await bench.call("t"));
  const meta = { continuation, responses: { sure: accept({ yes: true }) } };
  strictEqual(asAnswer(await bench.call("t", {}, { meta })), "accept");
});

test("a custom engine without a ledger is refused when the server is created", () => {
  const { appendLedger: _, readLedger: __, ...rest } = memoryEngine();
  const tool = defineTool("t").describe("T").promise().handle(() => 1);
  throws(
    () => new Bench([tool], { keys: KEYS, engine: rest as unknown as Engine }),
    /Cannot create server: the engine "memory" has no appendLedger\(\) and no readLedger\(\)/,
  );
});
