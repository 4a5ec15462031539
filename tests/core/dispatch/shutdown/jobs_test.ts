/** Deferred work at a shutdown: runs end, or are handed over to a process that shares the engine. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type Ctx, defineTool, type ToolError } from "../../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../harness.ts";
import {
  asAnswer,
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
} from "../../../jobs/promises/promised.ts";

const t = defineTool("t").describe("T");

/** Two servers that share an engine, which outlives both. */
function replicas() {
  const { clock, engine } = standstill();
  const jobs = watchJobs(changed(withoutInstance(engine), { close: () => {} }));
  const gates = new Gates();
  const contexts: Ctx[] = [];
  const attempts: number[] = [];
  const tool = t.promise({ budgetMs: 1_000, retries: 0 }).handle((_, ctx) => {
    contexts.push(ctx);
    attempts.push(ctx.attempt);
    return gates.wait();
  });
  const make = () => new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  return { a: make(), make, clock, gates, contexts, attempts, jobs };
}

/** A promise of a run that is under way at `a`. */
async function begun(how: "adopted" | "queued") {
  const all = replicas();
  const { a, clock } = all;
  const call = watch(a.call("t", {}, how === "queued" ? { meta: { isPromiseWanted: true } } : {}));
  await pass({ clock }, how === "queued" ? 0 : 1_000);
  return { ...all, token: asPromise(call.settled).token };
}

for (const how of ["adopted", "queued"] as const) {
  test(`close() hands a run over that is under way when the grace is over (${how})`, async () => {
    const { a, make, clock, gates, contexts, attempts, jobs, token } = await begun(how);
    const closed = a.server.close(2_000);
    await pass({ clock }, 1_999);
    strictEqual(contexts[0]?.signal.aborted, false);
    await pass({ clock }, 1);
    await closed;
    strictEqual(contexts[0].signal.aborted, true);
    strictEqual((contexts[0].signal.reason as ToolError).code, "unavailable");
    const job = await jobs.get();
    strictEqual(job?.state, "queued");
    strictEqual(job.attempt, 0, "no attempt is spent");

    const b = make();
    asPromise(await redeem(b, token));
    await pass({ clock }, 0);
    strictEqual(gates.begun, 2);
    await gates.end("the first's", 0);
    asPromise(await redeem(b, token));
    await gates.end("the second's", 1);
    strictEqual(asAnswer(await redeem(b, token)), "the second's");
    strictEqual(attempts[1], 1);
  });

  test(`close() lets a run end that does so within the grace (${how})`, async () => {
    const { a, make, clock, gates, token } = await begun(how);
    const closed = a.server.close(2_000);
    await pass({ clock }, 1_000);
    await gates.end("done");
    await closed;
    strictEqual(asAnswer(await redeem(make(), token)), "done");
    strictEqual(gates.begun, 1);
  });
}

test("close() begins no more jobs: those that wait are left to others", async () => {
  const { a, make, clock, gates, jobs } = replicas();
  const meta = { isPromiseWanted: true };
  const closing = a.server.close(1_000);
  await closing;
  assertRefused(await a.call("t", {}, { meta }), "unavailable");
  const b = make();
  asPromise(await b.call("t", {}, { meta }));
  await pass({ clock }, 0);
  strictEqual(gates.begun, 1);
  strictEqual((await jobs.get())?.state, "running");
});

for (const isStreamed of [false, true]) {
  const how = isStreamed ? " (streamed)" : "";
  test(`close() ends a call of a promising tool that has not yet promised, when the grace is over${how}`, async () => {
    const bench = new Bench([t.promise({ budgetMs: 1_000 }).handle(() => new Promise(() => {}))], { keys: KEYS });
    const call = watch(bench.call("t", {}, isStreamed ? { sink: new KeptSink() } : {}));
    let isClosed = false;
    void bench.server.close(200).then(() => (isClosed = true));
    await pass(bench, 200);
    // Refused as any other call, or promised and handed over.
    ok(call.settled !== undefined, "the caller has heard nothing");
    await pass(bench, 60_000);
    strictEqual(isClosed, true, "close() hangs until the promise has expired");
  });
}

test("a call under way whose budget ends while the server closes is promised, and handed over", async () => {
  const { a, make, clock, gates, token } = await (async () => {
    const all = replicas();
    const call = watch(all.a.call("t"));
    await pass({ clock: all.clock }, 500);
    const closed = all.a.server.close(2_000);
    await pass({ clock: all.clock }, 500);
    const { token } = asPromise(call.settled);
    await pass({ clock: all.clock }, 1_500);
    await closed;
    return { ...all, token };
  })();
  ok(a.server.isClosed);
  const b = make();
  asPromise(await redeem(b, token));
  await pass({ clock }, 0);
  strictEqual(gates.begun, 2);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(b, token)), "done");
});

test("a keyed call that is not promised is ended by close(), and its key is free", async () => {
  const { clock, engine } = standstill();
  const shared = changed(withoutInstance(engine), { close: () => {} });
  const gates = new Gates();
  const tool = t.handle(() => gates.wait());
  const make = () => new Bench([tool], { keys: KEYS, clock, engine: shared });
  const a = make();
  const meta = { idempotencyKey: "a" };
  const first = watch(a.call("t", {}, { meta }));
  await pass({ clock }, 0);
  const closed = a.server.close(100);
  await pass({ clock }, 100);
  await closed;
  assertRefused(first.settled ?? { kind: "answer", value: undefined }, "unavailable");
  const second = watch(make().call("t", {}, { meta }));
  await pass({ clock }, 0);
  await gates.end("done");
  strictEqual(asAnswer(second.settled), "done");
});

test("server.work().stop() waits for its jobs, and takes no more", async () => {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const bench = new Bench([t.promise().handle(() => gates.wait())], { keys: KEYS, clock, engine, work: false });
  const worker = bench.server.work({ concurrency: 1 });
  const meta = { isPromiseWanted: true };
  for (let n = 0; n < 2; n++) asPromise(await bench.call("t", { n }, { meta }));
  await pass({ clock }, 0);
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  await pass({ clock }, 0);
  strictEqual(isStopped, false);
  await gates.end("done");
  await stopped;
  strictEqual(gates.begun, 1);
});

test("after server.work().stop() a promise that is wanted later is run all the same", async () => {
  const gates = new Gates();
  const bench = new Bench([t.promise().handle(() => gates.wait())], { keys: KEYS });
  await bench.server.work().stop();
  const { token } = asPromise(await bench.call("t", {}, { meta: { isPromiseWanted: true } }));
  await pass(bench, 0);
  await gates.end("done");
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});
