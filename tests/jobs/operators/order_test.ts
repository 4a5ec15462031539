/** What an operator needs for one order: to find it, to see why it failed, to answer for an absent person, and to see it after its end. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { jobsOf, jobTools } from "../../../src/entries/jobs.ts";
import * as v from "../../../src/entries/schema.ts";
import { eventually } from "../../eventually.ts";

const order = defineTool("order").describe("Order something that a manager approves")
  .input(v.object({ order: v.number(), note: v.optional(v.string(), "") }))
  .promise({ tags: ["order"], durable: "start", keepFailed: true, retries: { attempts: 2, minMs: 1 } })
  .handle(async ({ note }, ctx) => {
    await ctx.step("charge", () => "charged");
    const size = await ctx.elicit("size", { message: "How many?", schema: v.object({ count: v.number() }) });
    const approval = await ctx.waitFor("approval", v.object({ ok: v.boolean() }));
    if (note === "broken") throw new Error(`No warehouse for ${note} notes`);
    return await ctx.step("ship", () => `${size.action} ${approval.action}`);
  });

/** A server with the tool, its operator, and a caller. */
async function open(use: (parts: ReturnType<typeof partsOf>) => Promise<void>): Promise<void> {
  const server = createServer({ tools: [order, ...jobTools()], logger: false });
  try {
    await use(partsOf(server));
  } finally {
    await server.close(0);
  }
}

function partsOf(server: ReturnType<typeof createServer<readonly [typeof order, ...ReturnType<typeof jobTools>]>>) {
  const as = (id: string, ...scopes: string[]) =>
    createClient<typeof server>(memoryTransport(server, { principal: { id, scopes } }));
  const jobs = jobsOf(server);
  const inState = async (id: string, state: string) => {
    await eventually(async () => (await jobs.inspect(id)).state === state);
  };
  return { jobs, inState, caller: as("ada"), operator: as("ops", "jobs") };
}

test("an order is found by its number, asked, approved by key, and seen as a whole after its end", async () => {
  await open(async ({ jobs, inState, caller }) => {
    for (const number of [4710, 4711, 4712]) await caller.order.start({ order: number });
    const [found, ...others] = (await jobs.list({ tags: { order: "4711" } })).jobs;
    ok(found !== undefined && others.length === 0);
    deepStrictEqual(found.tags, { order: "4711" });
    const { id } = found;
    await inState(id, "asking");
    await jobs.answer(id, { size: { action: "accept", content: { count: 2 } } });
    await inState(id, "waiting");
    await rejects(jobs.resolve(id, "approvel", { ok: true }), {
      code: "invalid_request",
      message: `Cannot resolve "approvel" of job ${id}: it is waiting, and waits for "approval"`,
    });
    await rejects(jobs.resolve(id, "approval", { ok: "yes" }), {
      code: "invalid_request",
      message: /"?value\.ok"? .*does not fit/,
    });
    await jobs.resolve(id, "approval", { ok: true });
    await inState(id, "done");
    await rejects(jobs.resolve(id, "approval", { ok: true }), { message: /it is done, and waits for no value/ });
    const ended = await jobs.inspect(id, { values: true });
    deepStrictEqual(ended.steps.map(({ key, value }) => [key, value]), [["charge", "charged"], [
      "ship",
      "accept accept",
    ]]);
    deepStrictEqual(ended.answers, [{ key: "size", action: "accept" }]);
    deepStrictEqual(ended.waits.map(({ kind, key, done }) => [kind, key, done]), [["value", "approval", "accept"]]);
    deepStrictEqual([ended.tags, ended.failures, "args" in ended], [{ order: "4711" }, [], false]);
    strictEqual((await jobs.list({ tags: { order: "4711" } })).jobs[0]?.id, id, "it is still found");
    deepStrictEqual((await jobs.list({ tags: { order: "4799" } })).jobs, []);
    await rejects(jobs.list({ tags: { order: 4711 } as never }), { code: "invalid_request", message: /tags/ });
  });
});

test("the tools of an operator do the same, and decline", async () => {
  await open(async ({ inState, caller, operator }) => {
    const work = await caller.order.start({ order: 1 });
    const [job] = (await operator.list_jobs({ tags: { order: "1" } })).jobs;
    const { id } = job!;
    await inState(id, "asking");
    await operator.answer_job({ id, answers: { size: { action: "decline" } } });
    await inState(id, "waiting");
    await operator.resolve_job({ id, key: "approval", decline: true, reason: "too dear" });
    strictEqual(await work.result(), "decline decline");
    await rejects(operator.rerun_job({ id }), { code: "invalid_request" });
    await caller.order.start({ order: 2 });
    const [next] = (await operator.list_jobs({ tags: { order: "2" } })).jobs;
    const again = await operator.rerun_job({ id: next!.id });
    deepStrictEqual([again.tags, again.id === next!.id], [{ order: "2" }, false]);
  });
});

test("why each attempt failed is shown to operators, with the message that callers do not see", async () => {
  await open(async ({ jobs, inState, caller }) => {
    const work = await caller.order.start({ order: 4, note: "broken" });
    const { id } = (await jobs.list()).jobs[0]!;
    await inState(id, "asking");
    await jobs.answer(id, { size: { action: "decline" } });
    await inState(id, "waiting");
    await jobs.resolve(id, "approval", { ok: true });
    await inState(id, "done");
    const message = await work.result().then(
      () => "none",
      (error: Error) => `${error.message} ${JSON.stringify(error)}`,
    );
    ok(!message.includes("warehouse"), message);
    const { failures } = await jobs.inspect(id);
    deepStrictEqual(failures.map(({ attempt, message }) => [attempt, message]), [
      [1, "No warehouse for broken notes"],
      [2, "No warehouse for broken notes"],
    ]);
    ok(failures.every(({ atMs }) => Math.abs(atMs - Date.now()) < 3_600_000));
  });
});
