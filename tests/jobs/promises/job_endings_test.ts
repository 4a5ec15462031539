/** What is left of a job after its end, and handlers that still report after their run was ended. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool, ToolError } from "../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../../core/dispatch/harness.ts";
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

const t = defineTool("t").describe("T");

/** A promised run that has taken a step, and waits to be ended. */
async function promised() {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 1_000, retries: 0 }).handle(async (_, ctx) => {
    await ctx.step("s", () => "kept");
    return await gates.wait();
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const meta = { isPromiseWanted: true };
  const { token } = asPromise(await bench.call("t", { secret: "hush" }, { meta }));
  await pass({ clock }, 0);
  deepStrictEqual(await kept(jobs), [{ secret: "hush" }, ["step s"]], "a run needs both");
  return { bench, clock, gates, jobs, token };
}

/** What a job keeps: the arguments, which its runs need, and what its steps ended with, for operators. */
async function kept({ get, engine }: ReturnType<typeof watchJobs>): Promise<unknown[]> {
  const { id = "", args } = await get() ?? {};
  return [args, (await engine.readLedger(id, 0, 100)).map(({ name }) => name)];
}

test("a job that is done keeps its steps and its answer, and no arguments", async () => {
  const { bench, gates, jobs, token } = await promised();
  await gates.end("done");
  deepStrictEqual(await kept(jobs), [null, ["step s"]]);
  strictEqual(asAnswer(await redeem(bench, token)), "done");
});

test("a job that gave up keeps its steps, and no arguments", async () => {
  const { bench, gates, jobs, token } = await promised();
  await gates.fail(new Error("no luck"));
  deepStrictEqual(await kept(jobs), [null, ["step s"]]);
  asFailure(await redeem(bench, token), "attempts_exhausted");
});

test("a job that was cancelled keeps its steps, and its arguments until its handler has ended, whatever that does", async () => {
  const { bench, gates, jobs, token } = await promised();
  const before = await kept(jobs);
  strictEqual(await cancel(bench, token), true);
  deepStrictEqual(await kept(jobs), before);
  await gates.end("done");
  deepStrictEqual(await kept(jobs), [null, ["step s"]]);
  asFailure(await redeem(bench, token), "cancelled");
});

test("a keyed call that is over keeps the digest of its arguments alone", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const bench = new Bench([t.handle(() => "done")], { keys: KEYS, clock, engine: jobs.engine });
  const meta = { idempotencyKey: "a" };
  strictEqual(asAnswer(await bench.call("t", { secret: "hush" }, { meta })), "done");
  ok(!JSON.stringify(await jobs.get()).includes("hush"));
  strictEqual(asAnswer(await bench.call("t", { secret: "hush" }, { meta })), "done");
  assertRefused(await bench.call("t", { secret: "other" }, { meta }), "conflict");
});

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

for (const [name, details] of [["a BigInt", { id: 1n }], ["a cycle", cyclic]] as const) {
  test(`a job that is refused with details that are no JSON ends (${name})`, async () => {
    const { clock, engine } = standstill();
    const gates = new Gates();
    const tool = t.promise({ budgetMs: 1_000, retries: 0 }).handle(() => gates.wait());
    const bench = new Bench([tool], { keys: KEYS, clock, engine });
    const call = watch(bench.call("t"));
    await pass({ clock }, 1_000);
    const { token } = asPromise(call.settled);
    await gates.fail(new ToolError("conflict", "Taken", { details }));
    const settled = await redeem(bench, token);
    ok(settled.kind !== "promise", "it has ended");
    JSON.stringify(settled);
    await pass({ clock }, 600_000);
    strictEqual(gates.begun, 1);
    strictEqual(bench.log.lines.length, 1);
    deepStrictEqual(await redeem(bench, token), settled);
  });

  test(`a keyed call that is refused with details that are no JSON ends, and its key is free (${name})`, async () => {
    const gates = new Gates();
    const bench = new Bench([t.handle(() => gates.wait())], { keys: KEYS });
    const meta = { idempotencyKey: "a" };
    const first = watch(bench.call("t", {}, { meta }));
    await pass(bench, 0);
    const joined = watch(bench.call("t", {}, { meta }));
    await pass(bench, 0);
    await gates.fail(new ToolError("conflict", "Taken", { details }));
    strictEqual(settledOf(first).kind, "error");
    strictEqual(settledOf(joined).kind, "error");
    const second = watch(bench.call("t", {}, { meta }));
    await pass(bench, 0);
    await gates.end("done");
    strictEqual(asAnswer(second.settled), "done");
  });
}

test("a keyed call that broke is never seen as cancelled by who joined it, however slowly it is removed", async () => {
  const { clock, engine } = standstill();
  const removal = Promise.withResolvers<void>();
  const slow = changed(engine, {
    async remove(id) {
      await removal.promise;
      await engine.remove(id);
    },
  });
  const gates = new Gates();
  const bench = new Bench([t.handle(() => gates.wait())], { keys: KEYS, clock, engine: slow });
  const meta = { idempotencyKey: "a" };
  const first = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  const joined = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  await gates.fail(new ToolError("conflict", "Taken"));
  assertRefused(settledOf(joined), "unavailable");
  removal.resolve();
  await pass({ clock }, 0);
  assertRefused(settledOf(first), "conflict");
});

/** Runs that wait for the error to throw: of a tool that promises, and of one that does not. */
function throwing(timeoutMs: number) {
  const { clock, engine } = standstill();
  const gates = new Gates();
  const tool = t.timeout(timeoutMs).promise({ budgetMs: 1_000, retries: 0, jobTimeoutMs: 5_000 }).handle(() =>
    gates.wait()
  );
  const plain = defineTool("plain").describe("P").timeout(timeoutMs).handle(() => gates.wait());
  return { bench: new Bench([tool, plain], { keys: KEYS, clock, engine }), clock, gates };
}

for (
  const [name, end] of [
    ["cancelled", async ({ bench }, token) => void await cancel(bench, token)],
    ["past its time", async ({ clock }) => await pass({ clock }, 5_000)],
  ] as readonly (readonly [string, (made: ReturnType<typeof throwing>, token: string) => Promise<void>])[]
) {
  for (const how of ["adopted", "queued"] as const) {
    test(`what a handler throws whose job was ${name} is not logged as broken (${how})`, async () => {
      const made = throwing(30_000);
      const { bench, clock, gates } = made;
      const call = watch(bench.call("t", {}, how === "queued" ? { meta: { isPromiseWanted: true } } : {}));
      await pass({ clock }, how === "queued" ? 0 : 1_000);
      const { token } = asPromise(call.settled);
      await end(made, token);
      await gates.fail(new Error("aborted"));
      deepStrictEqual(bench.log.lines, []);
    });
  }
}

for (const isStreamed of [false, true]) {
  const how = isStreamed ? " (streamed)" : "";
  test(`what a handler throws whose call was ended is not logged as broken${how}`, async () => {
    for (const why of ["deadline", "left"]) {
      const { bench, clock, gates } = throwing(500);
      const left = new AbortController();
      const sink = isStreamed ? { sink: new KeptSink() } : {};
      const call = watch(bench.call("plain", {}, { signal: left.signal, ...sink }));
      await pass({ clock }, 0);
      if (why === "left") left.abort();
      await pass({ clock }, 500);
      strictEqual(settledOf(call).kind, "error");
      await gates.fail(new Error("aborted"));
      deepStrictEqual(bench.log.lines, []);
    }
  });
}
