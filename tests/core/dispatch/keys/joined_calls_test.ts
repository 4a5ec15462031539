/** Calls that join another by its key: what they receive, however the joined call ends. */
import { strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../../src/entries/schema.ts";
import { defineTool, Failure, ToolError } from "../../../../mod.ts";
import { assertRefused, Bench, KeptSink } from "../harness.ts";
import {
  accept,
  asAnswer,
  asFailure,
  asPromise,
  asQuestion,
  Gates,
  KEYS,
  pass,
  redeem,
  settledOf,
  standstill,
  watch,
  watchJobs,
  withoutInstance,
} from "../../../jobs/promises/promised.ts";
import type { CallMeta } from "../../../../src/entries/wire.ts";

const t = defineTool("t").describe("T");
const key = (more: CallMeta = {}): { readonly meta: CallMeta } => ({ meta: { idempotencyKey: "a", ...more } });

for (const isStreamed of [false, true]) {
  const how = isStreamed ? " (streamed)" : "";
  const sink = () => (isStreamed ? { sink: new KeptSink() } : {});

  test(`who joins a tool that does not promise is refused at its own deadline${how}`, async () => {
    const gates = new Gates();
    const bench = new Bench([t.handle(() => gates.wait())], { keys: KEYS });
    const first = watch(bench.call("t", {}, key()));
    await pass(bench, 500);
    const joined = watch(bench.call("t", {}, { ...key({ deadlineMs: 1_000 }), ...sink() }));
    await pass(bench, 999);
    strictEqual(joined.settled, undefined, "not at a share of it: there is nothing to promise");
    await pass(bench, 1);
    assertRefused(settledOf(joined), "deadline_exceeded");
    await gates.end("done");
    strictEqual(asAnswer(first.settled), "done");
  });

  test(`who joins a stream that goes on beyond its own time is refused, never promised${how}`, async () => {
    const gates = new Gates<string | undefined>();
    const tool = t.partial(v.string()).handle(async function* () {
      for (let piece = await gates.wait(); piece !== undefined; piece = await gates.wait()) yield piece;
    });
    const bench = new Bench([tool], { keys: KEYS, timeoutMs: 1_000 });
    const first = watch(bench.call("t", {}, { ...key(), sink: new KeptSink() }));
    await pass(bench, 1);
    const joined = watch(bench.call("t", {}, { ...key(), ...sink() }));
    for (let n = 0; n < 8; n++) {
      await gates.end("piece");
      await pass(bench, 250);
    }
    assertRefused(settledOf(joined), "deadline_exceeded");
    await gates.end(undefined);
    strictEqual(asAnswer(await bench.call("t", {}, key())), "piece".repeat(8));
    asAnswer(first.settled);
  });

  test(`who joins a tool that does not promise is sent away when the server closes${how}`, async () => {
    const gates = new Gates();
    const bench = new Bench([t.handle(() => gates.wait())], { keys: KEYS });
    const first = watch(bench.call("t", {}, key()));
    await pass(bench, 0);
    const joined = watch(bench.call("t", {}, { ...key(), ...sink() }));
    await pass(bench, 0);
    const closed = bench.server.close(1_000);
    await pass(bench, 0);
    assertRefused(settledOf(joined), "unavailable");
    await gates.end("done");
    strictEqual(asAnswer(first.settled), "done");
    await closed;
  });
}

/** A promising call under way, and the promise of one that has joined it before that one's budget. */
async function joinedEarly(how: CallMeta) {
  const { clock, engine } = standstill();
  const jobs = watchJobs(engine);
  const gates = new Gates();
  const tool = t.promise({ budgetMs: 5_000, retries: 1 }).handle(async (_, ctx) => {
    const reported = await gates.wait();
    return reported === "ask" ? (await ctx.elicit("k", { message: "Sure?", schema: v.object({}) })).action : reported;
  });
  const bench = new Bench([tool], { keys: KEYS, clock, engine: jobs.engine });
  const first = watch(bench.call("t", {}, key()));
  await pass({ clock }, 0);
  const joined = watch(bench.call("t", {}, key(how)));
  await pass({ clock }, 0);
  await pass({ clock }, 800);
  strictEqual(first.settled, undefined);
  return { bench, clock, gates, jobs, first, token: asPromise(joined.settled).token };
}

for (
  const [name, how] of [
    ["a caller that wants it at once", { isPromiseWanted: true }],
    ["a caller with less time", { deadlineMs: 1_000 }],
  ] as const
) {
  test(`a promise outlives the call that it was joined to, and breaks: ${name}`, async () => {
    const { bench, clock, gates, first, token } = await joinedEarly(how);
    await gates.fail(new Error("no luck"));
    strictEqual(asPromise(settledOf(first)).token, token);
    asPromise(await redeem(bench, token));
    await pass({ clock }, 1_000);
    strictEqual(gates.begun, 2, "it is begun again");
    await gates.end("done");
    strictEqual(asAnswer(await redeem(bench, token)), "done");
    strictEqual(asAnswer(await bench.call("t", {}, key())), "done");
  });

  test(`a promise of a call that breaks as often as it may ends as a failure: ${name}`, async () => {
    const { bench, clock, gates, token } = await joinedEarly(how);
    await gates.fail(new Error("no luck"));
    await pass({ clock }, 1_000);
    await gates.fail(new Error("no luck"));
    asFailure(await redeem(bench, token), "attempts_exhausted");
  });

  test(`a promise of a call that is refused gives the same refusal: ${name}`, async () => {
    const { bench, gates, first, token } = await joinedEarly(how);
    await gates.fail(new ToolError("permission_denied", "No"));
    assertRefused(settledOf(first), "permission_denied");
    assertRefused(await redeem(bench, token), "permission_denied");
    strictEqual(gates.begun, 1);
  });

  test(`a promise of a call that fails gives the same failure: ${name}`, async () => {
    const { bench, gates, first, token } = await joinedEarly(how);
    await gates.fail(new Failure("sold_out", "No"));
    asFailure(first.settled, "sold_out");
    asFailure(await redeem(bench, token), "sold_out");
  });

  test(`a promise of a call that asks asks, too: ${name}`, async () => {
    const { bench, clock, gates, first, token } = await joinedEarly(how);
    await gates.end("ask");
    asQuestion(first.settled);
    strictEqual(asQuestion(await redeem(bench, token)).continuation, token);
    const meta = { continuation: token, responses: { k: accept({}) } };
    await bench.call("redeem", { promise: token }, { meta });
    await pass({ clock }, 0);
    await gates.end("ask");
    strictEqual(asAnswer(await redeem(bench, token)), "accept");
  });
}

test("the question of a keyed call whose process died reaches the caller that repeats it, whose answer counts", async () => {
  const { clock, engine } = standstill();
  const shared = withoutInstance(engine);
  const tool = t.handle(async (_, ctx) => (await ctx.elicit("k", { message: "?", schema: v.object({}) })).action);
  const gates = new Gates();
  const dying = new Bench([t.handle(() => gates.wait())], {
    keys: KEYS,
    clock,
    engine: { ...shared, processId: undefined, lease: () => () => {} },
    work: false,
  });
  void dying.call("t", {}, { meta: { idempotencyKey: "a" } });
  await pass({ clock }, 0);
  // The job is delivered to another process, since no process holds it.
  const bench = new Bench([tool], { keys: KEYS, clock, engine: shared });
  bench.server.work();
  await pass({ clock }, 10_000);
  const { continuation } = asQuestion(await bench.call("t", {}, { meta: { idempotencyKey: "a" } }));
  const responses = { k: { action: "decline" } };
  const answered = watch(bench.call("t", {}, { meta: { idempotencyKey: "a", continuation, responses } }));
  await pass({ clock }, 0);
  strictEqual(asAnswer(answered.settled), "decline");
});
