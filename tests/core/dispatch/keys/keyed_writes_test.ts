/** Keyed calls on slow engines: the record of a key is written before any caller gets its result. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../harness.ts";
import {
  asAnswer,
  changed,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
} from "../../../jobs/promises/promised.ts";
import type { CallMeta, MaybePromise } from "../../../../src/entries/wire.ts";
import type { Engine } from "../../../../src/entries/engines.ts";

const t = defineTool("t").describe("T");
const meta: CallMeta = { idempotencyKey: "a" };

/** A tool whose runs wait to be ended, on an engine whose one method waits to be let on as long as `isSlow` says. */
function onSlow(method: "insert" | "replace") {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const gates = new Gates();
  const writes = new Gates<void>();
  const slow = { isSlow: true };
  const wait = async () => {
    if (slow.isSlow) await writes.wait();
  };
  const instead: Partial<Engine> = method === "insert"
    ? {
      async insert(job, dueInMs) {
        await wait();
        return await jobs.engine.insert(job, dueInMs);
      },
    }
    : {
      async replace(job, version) {
        await wait();
        return await engine.replace(job, version);
      },
    };
  const tool = t.timeout(10_000).handle(() => gates.wait());
  const bench = new Bench([tool], { keys: KEYS, clock, engine: changed(jobs.engine, instead) });
  return { bench, clock, gates, writes, jobs, slow };
}

for (const isStreamed of [false, true]) {
  const how = isStreamed ? " (streamed)" : "";

  test(`a keyed call whose caller leaves while it is written runs once, for whoever repeats it${how}`, async () => {
    const { bench, clock, gates, writes, slow } = onSlow("insert");
    const left = new AbortController();
    const sink = isStreamed ? { sink: new KeptSink() } : {};
    const first = watch(bench.call("t", {}, { meta, signal: left.signal, ...sink }));
    await pass({ clock }, 0);
    left.abort();
    await pass({ clock }, 0);
    strictEqual(first.settled, undefined, "nobody can say yet whether it runs");
    slow.isSlow = false;
    await writes.end(undefined);
    const second = watch(bench.call("t", {}, { meta }));
    await pass({ clock }, 0);
    await gates.end("done");
    strictEqual(asAnswer(second.settled), "done");
    strictEqual(asAnswer(await bench.call("t", {}, { meta })), "done");
    strictEqual(gates.begun, 1);
  });
}

test("a keyed call whose deadline comes while it is written never runs, and its key is free", async () => {
  const { bench, clock, gates, writes, jobs, slow } = onSlow("insert");
  const first = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 10_000);
  assertRefused(settledOf(first), "deadline_exceeded");
  slow.isSlow = false;
  await writes.end(undefined);
  strictEqual(gates.begun, 0);
  strictEqual(await jobs.get(), undefined);
  await pass({ clock }, 600_000);
  strictEqual(gates.begun, 0, "nobody runs it later");
  const second = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  await gates.end("done");
  strictEqual(asAnswer(second.settled), "done");
});

test("a keyed call whose deadline expires while it is written leaves the key to the next call", async () => {
  const { bench, clock, gates, writes, slow } = onSlow("insert");
  void bench.call("t", {}, { meta: { ...meta, deadlineMs: 1_000 } });
  await pass({ clock }, 1_000);
  slow.isSlow = false;
  await writes.end(undefined);
  const second = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  await gates.end("done");
  strictEqual(asAnswer(second.settled), "done");
  strictEqual(gates.begun, 1);
});

test("the answer of a keyed call is given when it is written, and not before", async () => {
  const { bench, clock, gates, writes, jobs } = onSlow("replace");
  const call = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  await gates.end("done");
  await pass({ clock }, 1_000);
  strictEqual(call.settled, undefined);
  strictEqual((await jobs.get())?.state, "running");
  await writes.end(undefined);
  strictEqual(asAnswer(call.settled), "done");
  strictEqual((await jobs.get())?.state, "done");
});

test("the answer of a keyed call that cannot be written is given all the same, and is written when it can be", async () => {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  let isDown = false;
  const failing = changed(jobs.engine, {
    replace(job, version) {
      if (isDown) throw new Error("the disk is full");
      return engine.replace(job, version);
    },
  });
  const gates = new Gates();
  const bench = new Bench([t.handle(() => gates.wait())], { keys: KEYS, clock, engine: failing });
  const call = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 0);
  isDown = true;
  await gates.end("done");
  strictEqual(asAnswer(call.settled), "done");
  strictEqual((await jobs.get())?.state, "running");
  isDown = false;
  for (let n = 0; n < 5; n++) await pass({ clock }, 2_000);
  strictEqual((await jobs.get())?.state, "done");
  strictEqual(asAnswer(await bench.call("t", {}, { meta })), "done");
  strictEqual(gates.begun, 1);
});

test("a keyed call whose result is too large keeps its key: it has run", async () => {
  let runs = 0;
  const tool = t.handle(() => {
    runs++;
    return "x".repeat(200);
  });
  const bench = new Bench([tool], { keys: KEYS, limits: { resultChars: 100 } });
  const seen: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    seen.push((await bench.call("t", {}, { meta })).kind);
    await pass(bench, 0);
  }
  // Who called first has the whole: it was there to be given.
  strictEqual(runs, 1);
  assertRefused(await bench.call("t", {}, { meta }), "result_too_large");
  ok(seen.slice(1).every((kind) => kind === "error"), `${seen}`);
});

/** A server whose engine is remote: each request takes 5 ms to arrive, and each response as long. */
function onDistant(hasPromise: boolean) {
  const { clock, engine } = standstill();
  const after = (delayMs: number) => new Promise<void>((resolve) => void clock.after(delayMs, resolve));
  const distant =
    <Said extends unknown[], Heard>(say: (...reply: Said) => MaybePromise<Heard>) => async (...reply: Said) => {
      await after(5);
      const received = await say(...reply);
      await after(5);
      return received;
    };
  const { insert, get, replace, remove, schedule, lease: hold } = engine;
  const instead: Partial<Engine> = {
    insert: distant(insert),
    get: distant(get),
    replace: distant(replace),
    remove: distant(remove),
    schedule: distant(schedule),
    lease: distant(hold),
  };
  let runs = 0;
  const tool = (hasPromise ? t.promise({ budgetMs: 5_000, retries: { attempts: 2, minMs: 50 } }) : t).handle(
    async () => {
      const run = ++runs;
      await after(20);
      if (run === 1) throw new Error("no luck");
      return `run ${run}`;
    },
  );
  const bench = new Bench([tool], { keys: KEYS, clock, engine: changed(engine, instead) });
  /** Lets a call come to its end, however long that takes. */
  const ended = async (call: ReturnType<Bench["call"]>) => {
    const watched = watch(call);
    for (let n = 0; n < 5_000 && watched.settled === undefined; n += 5) await pass({ clock }, 5);
    return settledOf(watched);
  };
  return { bench, clock, ended, runs: () => runs };
}

test("a keyed call that breaks takes nothing from who uses its key next", async () => {
  for (let delayMs = 0; delayMs <= 80; delayMs++) {
    const { bench, clock, ended, runs } = onDistant(false);
    const first = bench.call("t", {}, { meta });
    for (let n = 0; n < delayMs; n++) await pass({ clock }, 1);
    const second = await ended(bench.call("t", {}, { meta }));
    assertRefused(await ended(first), "internal");
    // The call that joined the first one receives its failure.
    if (second.kind === "error") assertRefused(second, "unavailable");
    else strictEqual(asAnswer(second), "run 2", `${delayMs} ms later`);
    strictEqual(asAnswer(await ended(bench.call("t", {}, { meta }))), "run 2", `${delayMs} ms later`);
    strictEqual(runs(), 2, `${delayMs} ms later`);
  }
});

for (const isPromiseWanted of [false, true]) {
  test(`all calls of a key get the result of the one job that is tried again${isPromiseWanted ? " (promised)" : ""}`, async () => {
    for (let delayMs = 0; delayMs <= 80; delayMs++) {
      const { bench, clock, ended, runs } = onDistant(true);
      const resultOf = async (call: ReturnType<Bench["call"]>) => {
        let result = await ended(call);
        for (let n = 0; n < 10 && result.kind === "promise"; n++) {
          result = await ended(redeem(bench, result.token, 1_000));
        }
        return asAnswer(result);
      };
      const first = bench.call("t", {}, { meta });
      for (let n = 0; n < delayMs; n++) await pass({ clock }, 1);
      strictEqual(
        await resultOf(bench.call("t", {}, { meta: { ...meta, isPromiseWanted } })),
        "run 2",
        `${delayMs} ms`,
      );
      strictEqual(await resultOf(first), "run 2", `${delayMs} ms later`);
      strictEqual(runs(), 2, `${delayMs} ms later`);
    }
  });
}

test("a keyed call whose key is released without a reply of the engine does not change the next call with it", async () => {
  const { clock, engine } = standstill();
  let isHeard = false;
  const losing = changed(engine, {
    async replace(job, version) {
      const isReplaced = await engine.replace(job, version);
      if (isHeard) return isReplaced;
      isHeard = true;
      throw new Error("the connection is lost");
    },
  });
  const gates = new Gates();
  const bench = new Bench([t.handle(() => gates.wait())], { keys: KEYS, clock, engine: losing });
  const first = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 1);
  await gates.fail(new Error("no luck"));
  assertRefused(settledOf(first), "internal");
  const second = watch(bench.call("t", {}, { meta }));
  await pass({ clock }, 10_000 - 2);
  strictEqual(gates.begun, 2);
  await gates.end("done");
  strictEqual(asAnswer(settledOf(second)), "done");
});
