/** docs/runs-twice.md: a test proves each row of its table; rows that no other test has are proved here. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryEngine, memoryTransport } from "../../mod.ts";
import * as core from "../../src/entries/core.ts";
import { jobsOf } from "../../src/entries/jobs.ts";
import { keyRing } from "../../src/entries/keys.ts";
import { every } from "../../src/entries/schedules.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import { checkProofs, type Proofs } from "./proofs.ts";

const skip = !existsSync(new URL("../../docs/runs-twice.md", import.meta.url));
const KEYS = "k1:a secret of at least thirty-two bytes";

const PROOFS: Proofs = {
  "a call": [
    ["tests/client/retry_test.ts", "a call is made again when its tool says"],
    ["tests/client/retry_test.ts", "a call is not made again when its tool says"],
  ],
  "a handler that asks": [
    ["tests/core/dispatch/questions/questions_test.ts", "ctx.step() is taken once, and gives the same in each run"],
  ],
  "the answer to a question": [
    ["tests/docs/runs_twice_test.ts", "without an engine the same continuation, sent again, runs the handler again"],
    [
      "tests/core/dispatch/questions/continuations_test.ts",
      "a continuation is an idempotency key: sent again at once and later",
    ],
  ],
  "a handler of [promised](promises.md) work": [
    ["tests/jobs/promises/jobs_test.ts", "an older run's words are ignored"],
    ["tests/jobs/promises/jobs_test.ts", "a job that fails has ended"],
  ],
  "a plain call of a promised tool, before its [budget](promises.md#at-least-once) is over": [
    [
      "tests/docs/runs_twice_test.ts",
      "a plain call has no job within its budget; with start() or a key it has one from its first moment",
    ],
    [
      "tests/jobs/promises/durable_start_test.ts",
      "whose process dies within its budget loses no step",
    ],
  ],
  "`ctx.step`": [
    ["tests/jobs/engines/protocol_model_test.ts", "a step that was repeated"],
    [
      "tests/core/dispatch/questions/job_questions_test.ts",
      "a step is kept when it ends: neither an ask nor a broken run takes it again",
    ],
  ],
  "a call with an [idempotency key](promises.md#idempotency-keys)": [
    ["tests/core/dispatch/keys/keyed_calls_test.ts", "not kept: the key is free again"],
    ["tests/jobs/promises/durable_start_test.ts", "two calls with one key never do a step twice under one id"],
    [
      "tests/core/dispatch/keys/joined_calls_test.ts",
      "the question of a keyed call whose process died reaches the caller that repeats it",
    ],
    ["tests/core/dispatch/keys/keyed_calls_test.ts", "a key expires after an hour"],
    [
      "tests/core/dispatch/keys/keyed_calls_test.ts",
      "a repeat of a key joins the call while it runs, and gets its answer after",
    ],
  ],
  "`start` of `.external()`": [
    ["tests/docs/runs_twice_test.ts", "start of an external tool runs at each call, and once for an idempotency key"],
  ],
  "`check` of `.external()`": [
    [
      "tests/jobs/promises/external_test.ts",
      "redeem looks again, at the pace of the work, as long as it may wait",
    ],
  ],
  "`redeem`": [
    [
      "tests/jobs/promises/redeem_test.ts",
      "redeem gives the same promise until the end, then the answer, as often as it is asked",
    ],
  ],
  "a [value from outside](durable.md#values-from-others)": [
    [
      "tests/server/pages/resolver_test.ts",
      "50 duplicates at once over three replicas: one 202, 49 x 200, and one run continues",
    ],
  ],
  "a [webhook](durable.md#webhooks-when-work-ends) that is sent": [
    [
      "tests/integrations/webhooks/webhooks_test.ts",
      "a process that dies after it has stored the end, and before the webhook, loses none",
    ],
    [
      "tests/integrations/webhooks/webhooks_test.ts",
      "tries come after 5 s, 1 min, 10 min, 1 h, 6 h and 24 h, with one id",
    ],
  ],
  "a call of a [schedule](durable.md#schedules)": [
    ["tests/docs/runs_twice_test.ts", "a schedule of two replicas without a common engine makes two calls"],
    ["tests/jobs/schedules/schedules_test.ts", "every() calls a tool at each time, once over three replicas"],
  ],
  "pieces of a promised stream": [
    [
      "tests/jobs/promises/kept_pieces_test.ts",
      "a second attempt yields its pieces again, and they are kept once",
    ],
  ],
  "messages of an [MCP session](mcp.md)": [
    [
      "tests/wires/mcp/server/sessions_test.ts",
      "a stream that broke off is resumed at its last event, and its call continues meanwhile",
    ],
  ],
  "middleware": [
    ["tests/core/dispatch/calls/middleware_test.ts", "middleware is around every call of every tool"],
  ],
};

test("each row of docs/runs-twice.md has a test, which is there", { skip }, () => {
  checkProofs("docs/runs-twice.md", "| what | runs again | does not run again |", PROOFS);
});

test("without an engine the same continuation, sent again, runs the handler again", async () => {
  const runs: string[] = [];
  const tool = core.defineTool("pay").describe("Pay").handle(async (_, ctx) => {
    await ctx.step("before", () => void runs.push("before"));
    await ctx.requestMore("credits");
    await ctx.step("after", () => void runs.push("after"));
    return "paid";
  });
  const server = core.createServer({ tools: [tool], keys: keyRing(KEYS) });
  const client = core.createClient<typeof server>(core.memoryTransport(server));
  const asked = await client.pay.outcome();
  ok("continuation" in asked, asked.kind);
  const meta = { continuation: asked.continuation, responses: { credits: { action: "accept" } } };
  for (let times = 0; times < 2; times++) strictEqual(await client.pay({}, { meta }), "paid");
  deepStrictEqual(runs, ["before", "after", "after"]);
});

test("start of an external tool runs at each call, and once for an idempotency key", async () => {
  let starts = 0;
  const tool = defineTool("render").describe("Render").external({
    start: () => ({ job: ++starts }),
    check: ({ job }) => job,
  });
  const server = createServer({ tools: [tool], keys: KEYS });
  try {
    const client = createClient<typeof server>(memoryTransport(server));
    await client.render.outcome();
    await client.render.outcome();
    strictEqual(starts, 2);
    const key = { idempotencyKey: "a" };
    const [first, repeat] = [await client.render.outcome({}, key), await client.render.outcome({}, key)];
    ok(first.kind === "promise" && repeat.kind === "promise");
    strictEqual(starts, 3);
    strictEqual(repeat.token, first.token);
  } finally {
    await server.close();
  }
});

test("a plain call has no job within its budget; with start() or a key it has one from its first moment", async () => {
  const clock = new FakeClock(); // the budget is never over
  const begun: (() => void)[] = [];
  const end = Promise.withResolvers<string>();
  const tool = defineTool("report").describe("Report").promise().handle(() => {
    begun.shift()?.();
    return end.promise;
  });
  const server = createServer({ tools: [tool], keys: KEYS, clock, engine: memoryEngine({ clock }) });
  try {
    const client = createClient<typeof server>(memoryTransport(server));
    /** Makes a call, and returns the number of jobs when its handler has begun. */
    const jobsOfCall = async (call: () => Promise<unknown>) => {
      const handler = new Promise<void>((resolve) => begun.push(resolve));
      calls.push(call());
      await handler;
      return (await jobsOf(server).list()).jobs.length;
    };
    const calls: Promise<unknown>[] = [];
    // Whatever another process would run again if this one were killed now.
    strictEqual(await jobsOfCall(() => client.report()), 0);
    strictEqual(await jobsOfCall(() => client.report({}, { idempotencyKey: "a" })), 1);
    strictEqual(await jobsOfCall(() => client.report.start()), 2);
    end.resolve("done");
    await Promise.all(calls);
  } finally {
    await server.close(0);
  }
});

test("a schedule of two replicas without a common engine makes two calls", async () => {
  const clock = new FakeClock();
  let calls = 0;
  const tool = defineTool("report").describe("Report").promise().handle(() => void calls++);
  const replica = () => createServer({ tools: [tool], keys: KEYS, clock, schedules: [every("1h", tool)] });
  const servers = [replica(), replica()];
  try {
    for (const server of servers) server.work();
    await clock.advance(3_600_000);
    strictEqual(calls, 2);
  } finally {
    for (const server of servers) await server.close(0);
  }
});
