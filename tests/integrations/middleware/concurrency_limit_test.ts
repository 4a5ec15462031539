import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../../../mod.ts";
import { concurrencyLimit, type ConcurrencyLimitOptions } from "../../../src/entries/middleware.ts";
import { assertRefused, Bench, settle } from "../../core/dispatch/harness.ts";
import {
  asAnswer,
  asPromise,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
} from "../../jobs/promises/promised.ts";

const t = defineTool("t").describe("T");

function limited(options: ConcurrencyLimitOptions): { readonly bench: Bench; readonly gates: Gates } {
  const gates = new Gates();
  const bench = new Bench([t.handle(() => gates.wait())], { middleware: [concurrencyLimit(options)] });
  return { bench, gates };
}

test("concurrencyLimit() sheds what finds no room, and says when to try again", async () => {
  const { bench, gates } = limited({ max: 2, retryAfterMs: 250 });
  const [one, two] = [watch(bench.call("t")), watch(bench.call("t"))];
  const refused = assertRefused(await bench.call("t"), "unavailable");
  deepStrictEqual(refused.data, { retry_after_ms: 250 });
  await gates.end(1, 0);
  strictEqual(asAnswer(settledOf(one)), 1);
  const three = watch(bench.call("t"));
  await gates.end(2, 1);
  await gates.end(3, 2);
  deepStrictEqual([asAnswer(settledOf(two)), asAnswer(settledOf(three))], [2, 3]);
});

test("concurrencyLimit() has calls wait in the order in which they came", async () => {
  const { bench, gates } = limited({ max: 1, queue: 2 });
  const calls = [0, 1, 2].map(() => watch(bench.call("t")));
  await settle();
  assertRefused(await bench.call("t"), "unavailable");
  strictEqual(gates.begun, 1);
  for (const index of [0, 1, 2]) {
    await gates.end(index, index);
    strictEqual(asAnswer(settledOf(calls[index] ?? { settled: undefined })), index);
  }
});

test("concurrencyLimit() frees the place of a call that waits and leaves, or comes to its deadline", async () => {
  const { bench, gates } = limited({ max: 1, queue: 1 });
  const first = watch(bench.call("t", {}, { meta: { deadlineMs: 20_000 } }));
  const leaving = new AbortController();
  const gone = watch(bench.call("t", {}, { signal: leaving.signal }));
  await settle();
  leaving.abort();
  await settle();
  assertRefused(settledOf(gone), "cancelled");
  const late = watch(bench.call("t", {}, { meta: { deadlineMs: 1_000 } }));
  await settle();
  bench.clock.tick(1_000);
  await settle();
  assertRefused(settledOf(late), "deadline_exceeded");
  const next = watch(bench.call("t"));
  await gates.end(1, 0);
  strictEqual(asAnswer(settledOf(first)), 1);
  strictEqual(gates.begun, 2, "those who left never ran");
  await gates.end(2, 1);
  strictEqual(asAnswer(settledOf(next)), 2);
});

test("concurrencyLimit() frees a place however the call ends", async () => {
  const { bench, gates } = limited({ max: 1 });
  for (const index of [0, 1, 2]) {
    const call = watch(bench.call("t"));
    await gates.fail(new Error("broken"), index);
    assertRefused(settledOf(call), "internal");
  }
  const sync = new Bench([t.use(concurrencyLimit({ max: 1 })).handle(() => 1)]);
  for (let n = 0; n < 3; n++) strictEqual(asAnswer(await sync.call("t")), 1);
});

test("concurrencyLimit() keeps keys apart", async () => {
  const { bench } = limited({ max: 1, key: ({ principal }) => principal?.id });
  const call = (id?: string) => watch(bench.call("t", {}, id === undefined ? {} : { peer: { principal: { id } } }));
  const calls = [call("ada"), call("bob"), call("ada"), call(), call()];
  await settle();
  deepStrictEqual(calls.map(({ settled }) => settled?.kind), [undefined, undefined, "error", undefined, undefined]);
});

test("concurrencyLimit() counts work on a tool until it has ended, and on the server until there is a promise", async () => {
  for (const place of ["tool", "server"] as const) {
    const { clock, engine } = standstill();
    const limit = concurrencyLimit({ max: 1 });
    const gates = new Gates();
    const base = t.promise({ budgetMs: 1_000 });
    const tool = (place === "tool" ? base.use(limit) : base).handle(() => gates.wait());
    const bench = new Bench([tool], { keys: KEYS, clock, engine, middleware: place === "server" ? [limit] : [] });
    const first = watch(bench.call("t"));
    await pass({ clock }, 1_000);
    const { token } = asPromise(settledOf(first));
    const second = watch(bench.call("t"));
    await pass({ clock }, 0);
    if (place === "tool") assertRefused(settledOf(second), "unavailable");
    else ok(second.settled === undefined);
    await gates.end("done", 0);
    if (place === "tool") strictEqual(asAnswer(await redeem(bench, token)), "done");
  }
});

test("concurrencyLimit() refuses limits that are none", () => {
  for (const options of [{ max: 0 }, { max: 1.5 }, { max: 1, queue: -1 }, { max: 1, retryAfterMs: 0 }]) {
    throws(() => concurrencyLimit(options), RangeError);
  }
});
