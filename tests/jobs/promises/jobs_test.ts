/** How jobs are run: attempts, backoff, time, death, revisions, results. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { type Ctx, defineTool, ToolError, type ToolErrorCode } from "../../../mod.ts";
import { assertRefused, Bench, settle } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asFailure,
  asPromise,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  standstill,
  watch,
  watchJobs,
  withoutInstance,
} from "./promised.ts";
import type { Engine } from "../../../src/entries/engines.ts";

const t = defineTool("t").describe("T");
const meta = { isPromiseWanted: true };

/** Starts the job of a tool whose runs wait to be ended. */
async function started(options: Parameters<typeof t.promise>[0] = {}) {
  const gates = new Gates();
  const contexts: Ctx[] = [];
  const tool = t.promise(options).handle((_, ctx) => {
    contexts.push(ctx);
    return gates.wait();
  });
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  return { bench, clock, gates, contexts, token, jobs };
}

test("a job that breaks is begun again, after 1 s, 2 s, 4 s, …, up to a minute", async () => {
  const { bench, clock, gates, contexts, token } = await started({ retries: 8 });
  for (const [index, waitMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
    strictEqual(gates.begun, index + 1);
    strictEqual(contexts[index]?.attempt, index + 1);
    await gates.fail(new Error("no luck"));
    await pass({ clock }, waitMs - 1);
    strictEqual(gates.begun, index + 1, `before ${waitMs} ms`);
    asPromise(await redeem(bench, token));
    await pass({ clock }, 1);
  }
  strictEqual(gates.begun, 9);
  strictEqual(new Set(contexts.map(({ callId }) => callId)).size, 1, "one callId for all");
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

for (const retries of [0, 2]) {
  test(`a job that breaks ${retries + 1} times ends as attempts_exhausted (retries: ${retries})`, async () => {
    const { bench, clock, gates, token } = await started({ retries });
    for (let attempt = 0; attempt <= retries; attempt++) {
      await gates.fail(new Error("secret"));
      await pass({ clock }, 60_000);
    }
    strictEqual(gates.begun, retries + 1);
    const data = asFailure(await redeem(bench, token), "attempts_exhausted") as { attempts: number; reason: string };
    strictEqual(data.attempts, retries + 1);
    match(data.reason, /^Internal error, correlation id/);
    strictEqual(bench.log.lines.length, retries + 1);
    await pass({ clock }, 600_000);
    strictEqual(gates.begun, retries + 1, "not begun again");
  });
}

for (const code of ["internal", "unavailable", "deadline_exceeded"] as const) {
  test(`a job that ends as ${code} is begun again`, async () => {
    const { bench, clock, gates, token } = await started({ retries: 1 });
    await gates.fail(new ToolError(code, "Not now"));
    await pass({ clock }, 1_000);
    strictEqual(gates.begun, 2);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, token)), "done");
  });
}

for (
  const code of [
    "permission_denied",
    "invalid_input",
    "rate_limited",
    "result_too_large",
  ] as const satisfies readonly ToolErrorCode[]
) {
  test(`a job that ends as ${code} has ended`, async () => {
    const { bench, clock, gates, token } = await started({ retries: 1 });
    await gates.fail(new ToolError(code, "No", { details: { why: "not" } }));
    await pass({ clock }, 60_000);
    strictEqual(gates.begun, 1);
    deepStrictEqual(assertRefused(await redeem(bench, token), code).data, { why: "not" });
  });
}

test("a job that fails has ended: failures are the tool's own word", async () => {
  const gates = new Gates();
  const tool = t.errors({ no: null }).promise().handle(async (_, ctx) => {
    await gates.wait();
    throw ctx.fail("no", "No");
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await gates.end(undefined);
  await pass(bench, 60_000);
  asFailure(await redeem(bench, token), "no");
  strictEqual(gates.begun, 1);
});

test("jobTimeoutMs ends an attempt: its signal aborts, and the next one begins", async () => {
  const { bench, clock, gates, contexts, token } = await started({ jobTimeoutMs: 5_000, retries: 1 });
  const { signal } = contexts[0] ?? {};
  await pass({ clock }, 4_999);
  strictEqual(signal?.aborted, false);
  await pass({ clock }, 1);
  strictEqual(signal.aborted, true);
  strictEqual((signal.reason as ToolError).code, "deadline_exceeded");
  await pass({ clock }, 1_000);
  strictEqual(gates.begun, 2);
  await gates.end("too late", 0);
  asPromise(await redeem(bench, token));
  await pass({ clock }, 5_000);
  const data = asFailure(await redeem(bench, token), "attempts_exhausted");
  deepStrictEqual(data, { attempts: 2, reason: "The call took longer than its deadline" });
});

test("jobTimeoutMs counts for a run that was adopted, from its adoption", async () => {
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000, jobTimeoutMs: 5_000, retries: 0 }).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const { token } = asPromise(call.settled);
  await pass(bench, 4_999);
  asPromise(await redeem(bench, token));
  await pass(bench, 1);
  asFailure(await redeem(bench, token), "attempts_exhausted");
});

test("an adopted run that breaks is begun again as its second attempt, with the same callId", async () => {
  const gates = new Gates();
  const seen: [number, string][] = [];
  const tool = t.promise({ budgetMs: 1_000 }).handle((_, ctx) => {
    seen.push([ctx.attempt, ctx.callId]);
    return gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS });
  const call = watch(bench.call("t"));
  await pass(bench, 1_000);
  const { token } = asPromise(call.settled);
  await gates.fail(new Error("no luck"));
  await pass(bench, 1_000);
  deepStrictEqual(seen.map(([attempt]) => attempt), [1, 2]);
  strictEqual(seen[0]?.[1], seen[1]?.[1]);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a job's handler knows the arguments, the principal and no more of who called", async () => {
  const seen: unknown[] = [];
  const tool = t.input(v.object({ n: v.optional(v.number(), 7) })).promise().handle(({ n }, ctx) => {
    seen.push(n, ctx.principal, ctx.metadata.get("authorization"), ctx.requestId, ctx.client.name);
  });
  const bench = new Bench([tool], { keys: KEYS });
  const principal = { id: "ada", scopes: ["read"], claims: { team: "a" } };
  const peer = { principal, metadata: { get: () => "secret" }, requestId: 5, client: { name: "c" } };
  asPromise(await bench.call("t", {}, { meta, peer }));
  await pass(bench, 0);
  deepStrictEqual(seen, [7, principal, null, undefined, undefined]);
});

test("an older run's words are ignored, once another has begun", async () => {
  const { bench, clock, gates, contexts, token, jobs } = await started({ retries: 3 });
  // As if the first run's process had been taken for dead.
  const job = await jobs.get();
  ok(job !== undefined);
  const engine = jobs.engine;
  await engine.replace({ ...job, version: job.version + 1, epoch: job.epoch + 1, attempt: 2 }, job.version);
  await pass({ clock }, 0);
  strictEqual(contexts[0]?.signal.aborted, true, "and it is told");
  contexts[0]?.progress(9, 10);
  await gates.end("the older's word", 0);
  const { progress } = asPromise(await redeem(bench, token));
  strictEqual(progress, undefined);
  strictEqual((await jobs.get())?.state, "running");
});

/** An engine whose process dies: runs begin, and never report again. */
function dying(engine: Engine): Engine {
  return changed(engine, {
    work: (run, options) =>
      engine.work(async (id) => {
        void run(id);
        // The lease lapses.
        await engine.schedule(id, 10_000);
      }, options),
  });
}

test("a poisoned job, whose process dies each time, ends as a failure after its attempts", async () => {
  const { clock, engine } = standstill();
  const begun: number[] = [];
  const tool = t.promise({ retries: 2 }).handle((_, ctx) => {
    begun.push(ctx.attempt);
    return new Promise(() => {});
  });
  const poisoned = new Bench([tool], { keys: KEYS, clock, engine: dying(engine) });
  const { token } = asPromise(await poisoned.call("t", {}, { meta }));
  for (let n = 0; n < 6; n++) await pass({ clock }, 10_000);
  deepStrictEqual(begun, [1, 2, 3]);
  deepStrictEqual(asFailure(await redeem(poisoned, token), "attempts_exhausted"), { attempts: 3 });
});

/** Two servers of one engine, as before and after a deployment. */
function deployed(before: string | undefined, after: string | undefined) {
  const gates = new Gates();
  const revised = (revision: string | undefined) => {
    const tool = t.promise({ budgetMs: 1_000 });
    return (revision === undefined ? tool : tool.revision(revision)).handle(() => gates.wait());
  };
  const { clock, engine } = standstill();
  const options = { keys: KEYS, engine: withoutInstance(engine), clock };
  const old = new Bench([revised(before)], { ...options, work: false });
  return { gates, clock, old, next: new Bench([revised(after)], options) };
}

for (
  const [before, after] of [["1", "2"], ["1", undefined], [undefined, "1"]] as const
) {
  test(`a job of revision ${before} is blocked as revision_changed where the tool is at ${after}`, async () => {
    const { gates, old, next, clock } = deployed(before, after);
    const { token } = asPromise(await old.call("t", {}, { meta }));
    next.server.work();
    await pass({ clock }, 0);
    for (const bench of [next, old]) {
      match(asPromise(await redeem(bench, token)).progress?.message ?? "", /^Blocked: The tool t has changed/);
    }
    strictEqual(gates.begun, 0);
  });
}

for (const revision of ["1", undefined]) {
  test(`a job of revision ${revision} is run where the tool is at the same`, async () => {
    const { gates, old, next, clock } = deployed(revision, revision);
    const { token } = asPromise(await old.call("t", {}, { meta }));
    next.server.work();
    await pass({ clock }, 0);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(old, token)), "done");
  });
}

test("a job of a tool that a server does not have is left to one that has it", async () => {
  const { clock, engine } = standstill();
  const options = { keys: KEYS, engine: withoutInstance(engine), clock };
  const tool = t.promise().handle(() => 1);
  const before = new Bench([tool], { ...options, work: false });
  const after = new Bench([defineTool("other").describe("O").promise().handle(() => 1)], options);
  const { token } = asPromise(await before.call("t", {}, { meta }));
  const worker = after.server.work();
  await pass({ clock }, 0);
  asPromise(await redeem(before, token));
  assertRefused(await redeem(after, token), "invalid_promise");
  match(after.log.lines[0]?.message ?? "", /left to other servers/);
  await worker.stop();
  before.server.work();
  await pass({ clock }, 2_000);
  strictEqual(asAnswer(await redeem(before, token)), 1);
});

test("a result that is too large is result_too_large, and is not kept", async () => {
  const gates = new Gates<string>();
  const tool = t.promise({ budgetMs: 1_000 }).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, limits: { resultChars: 100 } });
  for (const [value, isKept] of [["x".repeat(50), true], ["x".repeat(100), false]] as const) {
    const { token } = asPromise(await bench.call("t", {}, { meta }));
    await pass(bench, 0);
    await gates.end(value);
    const settled = await redeem(bench, token);
    if (isKept) strictEqual(asAnswer(settled), value);
    else match(assertRefused(settled, "result_too_large").message, /1\d\d characters; at most 100 /);
  }
  strictEqual(gates.begun, 2, "nor is the work done again for it");
});

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
for (
  const [name, value] of [["a BigInt", 1n], ["a circle", cyclic], ["a getter that throws", {
    get secret() {
      throw new Error("secret");
    },
  }]] as readonly (readonly [string, unknown])[]
) {
  test(`a result that is no JSON is masked, and its job begun again: ${name}`, async () => {
    const { bench, clock, gates, token } = await started({ retries: 1 });
    await gates.end(value);
    // The code that finds what JSON cannot express is loaded with the first such value.
    for (let turn = 0; turn < 10_000 && bench.log.lines.length === 0; turn++) await settle();
    strictEqual(bench.log.lines.length, 1);
    await pass({ clock }, 1_000);
    strictEqual(gates.begun, 2);
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, token)), "done");
  });
}

test("a promise gives what JSON writes: nothing, or the text of a date", async () => {
  for (const [value, want] of [[undefined, undefined], [new Date(0), "1970-01-01T00:00:00.000Z"]] as const) {
    const { bench, gates, token } = await started();
    await gates.end(value);
    deepStrictEqual(asAnswer(await redeem(bench, token)), want);
  }
});

test("a job's answer keeps what ctx.meta() added", async () => {
  const gates = new Gates();
  const tool = t.promise().handle(async (_, ctx) => {
    ctx.meta({ model: "m" });
    return await gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass(bench, 0);
  await gates.end("done");
  const settled = await redeem(bench, token);
  ok(settled.kind === "answer");
  deepStrictEqual(settled.meta, { model: "m" });
});

test("work({ concurrency }) is how many jobs run at once", async () => {
  const gates = new Gates();
  const tool = t.promise().handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, work: { concurrency: 2 } });
  const tokens: string[] = [];
  for (let n = 0; n < 5; n++) tokens.push(asPromise(await bench.call("t", { n }, { meta })).token);
  await pass(bench, 0);
  strictEqual(gates.begun, 2);
  await gates.end(0, 0);
  strictEqual(gates.begun, 3);
});

test("work: false runs no jobs here, and server.work() does", async () => {
  const gates = new Gates();
  const bench = new Bench([t.promise().handle(() => gates.wait())], { keys: KEYS, work: false });
  const { token } = asPromise(await bench.call("t", {}, { meta }));
  await pass(bench, 0);
  strictEqual(gates.begun, 0);
  const worker = bench.server.work({ concurrency: 1 });
  await pass(bench, 0);
  strictEqual(gates.begun, 1);
  await gates.end("done");
  await worker.stop();
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a job that began where the clock is a minute behind lasts as long as its promise", async () => {
  const { clock, engine } = standstill();
  const tool = t.promise({ ttlMs: 30_000 }).handle(() => "done");
  const behind = { now: () => clock.now() - 60_000, elapsed: () => clock.elapsed(), after: clock.after.bind(clock) };
  const bench = new Bench([tool], { keys: KEYS, clock: behind, engine });
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass({ clock }, 0);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});
