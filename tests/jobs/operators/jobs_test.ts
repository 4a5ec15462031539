/** The operators' functions over the jobs of a server, and the same as tools. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { after, test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool, memoryEngine, memoryTransport, type Server } from "../../../mod.ts";
import { createServer as createCoreServer } from "../../../src/entries/core.ts";
import type { AskAnswer, Engine } from "../../../src/entries/engines.ts";
import { jobsOf, jobTools, type ListJobsOptions, type PurgeJobsOptions } from "../../../src/entries/jobs.ts";
import { Gates } from "../promises/promised.ts";
import { eventually } from "../../eventually.ts";

const SECRET = "sk-live-51H8xJ2eZvKYlo2C0aBcDeFgHiJkLmNoPq";

/** Servers that have timers until they are closed. */
const servers: Pick<Server, "close">[] = [];
after(() => Promise.all(servers.map((server) => server.close(0))));

/** A server with a tool whose runs wait, one that asks, and one that breaks until it is mended. */
function open() {
  const gates = new Gates();
  const state = { isMended: false, steps: 0 };
  const wait = defineTool("wait").describe("Wait").promise().handle(() => gates.wait());
  const ask = defineTool("ask").describe("Ask").promise().handle(async (_, ctx) => {
    const said = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ password: v.string() }) });
    return said.action;
  });
  const breaks = defineTool("breaks").describe("Break")
    .input(v.object({ password: v.string(), note: v.string() }))
    .promise({ retries: 0, keepFailed: true })
    .handle(async (_, ctx) => {
      await ctx.step("charge", () => ({ apiKey: SECRET, count: ++state.steps }));
      if (!state.isMended) throw new Error("no luck");
      return { token: SECRET, isMended: true };
    });
  const server = createServer({ tools: [wait, ask, breaks, ...jobTools()], logger: false });
  servers.push(server);
  const as = (id: string, ...scopes: string[]) => {
    return createClient<typeof server>(memoryTransport(server, { principal: { id, scopes } }));
  };
  return { gates, state, server, as, jobs: jobsOf(server) };
}

/** A server over an engine with other functions, with a tool that ends and one whose attempts are used up at once. */
function over(functionsOf: (engine: Engine) => Partial<Engine>) {
  const state = { runs: 0, isPurging: false, isBroken: false, later: undefined as (() => unknown) | undefined };
  const quick = defineTool("quick").describe("End").promise().handle(() => "done");
  const fails = defineTool("fails").describe("Fail").promise({ retries: 0, keepFailed: true }).handle(() => {
    state.runs++;
    throw new Error("no luck");
  });
  const memory = memoryEngine();
  const engine = { ...memory, processId: "1", ...functionsOf(memory) };
  const server = createServer({ tools: [quick, fails], engine, logger: false });
  servers.push(server);
  return { state, server, jobs: jobsOf(server) };
}

test("list() filters by state, tool, principal and age, and has pages", async () => {
  const { gates, as, jobs } = open();
  await as("ada").wait.start({});
  await as("bob").wait.start({});
  await as("ada").ask.start({});
  await eventually(async () => (await jobs.list({ state: ["asking", "running"] })).jobs.length === 3);
  await eventually(async () => (await jobs.list({ state: "asking" })).jobs.length === 1);
  const all = (await jobs.list()).jobs;
  deepStrictEqual(all.map(({ tool, principal }) => [tool, principal]).sort(), [
    ["ask", "ada"],
    ["wait", "ada"],
    ["wait", "bob"],
  ]);
  const count = async (options: Parameters<typeof jobs.list>[0]) => (await jobs.list(options)).jobs.length;
  strictEqual(await count({ state: "running" }), 2);
  strictEqual(await count({ state: ["asking", "done"] }), 1);
  strictEqual(await count({ tool: "wait", principal: "ada" }), 1);
  strictEqual(await count({ principal: "" }), 0);
  strictEqual(await count({ minAgeMs: 3_600_000 }), 0);
  strictEqual(await count({ maxAgeMs: 3_600_000 }), 3);
  const first = await jobs.list({ limit: 2 });
  strictEqual(first.jobs.length, 2);
  const second = await jobs.list({ limit: 2, cursor: first.cursor });
  deepStrictEqual([...first.jobs, ...second.jobs].map(({ id }) => id), all.map(({ id }) => id));
  await gates.end("done");
});

test("inspect() shows steps, attempts and owner; values on request, and never a secret", async () => {
  const { jobs, as } = open();
  const work = await as("ada").breaks.start({ password: "hunter2hunter2", note: "for ada" });
  await rejects(work.result(), { code: "attempts_exhausted" });
  const [summary] = (await jobs.list()).jobs;
  ok(summary);
  const plain = await jobs.inspect(summary.id);
  deepStrictEqual(plain.steps.map(({ key }) => key), ["charge"]);
  deepStrictEqual([plain.attempt, plain.maxAttempts, plain.principal, plain.canRetry], [1, 1, "ada", true]);
  match(String(plain.owner), /^[0-9a-f-]{36}$/);
  strictEqual("args" in plain, false);
  strictEqual("value" in plain.steps[0]!, false);
  const full = await jobs.inspect(summary.id, { values: true });
  strictEqual(Object(full.args).note, "for ada");
  strictEqual(Object(full.steps[0]?.value).count, 1);
  for (const text of [JSON.stringify(full), JSON.stringify(await jobs.list())]) {
    ok(!text.includes("hunter2") && !text.includes(SECRET), text);
  }
});

test("retry() begins a job again whose attempts are used up, with its steps", async () => {
  const { jobs, state, as } = open();
  const work = await as("ada").breaks.start({ password: "p", note: "n" });
  await rejects(work.result(), { code: "attempts_exhausted" });
  state.isMended = true;
  const { id } = (await jobs.list()).jobs[0]!;
  deepStrictEqual((({ state, attempt }) => ({ state, attempt }))(await jobs.retry(id)), {
    state: "queued",
    attempt: 0,
  });
  strictEqual(Object(await work.result()).isMended, true, "the same promise has a result");
  strictEqual(state.steps, 1, "the step is not repeated");
  const done = await jobs.inspect(id, { values: true });
  deepStrictEqual([done.state, done.canRetry, done.outcome?.kind, "args" in done], ["done", false, "answer", false]);
  ok(!JSON.stringify(done).includes(SECRET));
  await rejects(jobs.retry(id), {
    code: "invalid_request",
    message: /it is done with an answer; only a job whose attempts/,
  });
});

test("rerun() creates a new job with the same arguments, for the same caller", async () => {
  const { jobs, state, as } = open();
  await rejects((await as("ada").breaks.start({ password: "p", note: "n" })).result(), { code: "attempts_exhausted" });
  state.isMended = true;
  const { id } = (await jobs.list()).jobs[0]!;
  const again = await jobs.rerun(id);
  deepStrictEqual([again.id === id, again.principal, again.state], [false, "ada", "queued"]);
  await eventually(async () => (await jobs.inspect(again.id)).state === "done");
  strictEqual((await jobs.inspect(again.id)).outcome?.kind, "answer");
  await rejects(jobs.rerun(again.id), { code: "invalid_request", message: /its arguments are no longer kept/ });
});

test("answer() answers in place of the caller, and cancel() ends a job", async () => {
  const { jobs, as, gates } = open();
  const asking = await as("ada").ask.start({});
  await eventually(async () => (await jobs.list({ state: "asking" })).jobs.length === 1);
  const { id } = (await jobs.list({ state: "asking" })).jobs[0]!;
  const { questions } = await jobs.inspect(id);
  ok(Object(questions?.["sure"]?.schema).properties.password, "the form is complete");
  const accept = { action: "accept", content: { password: "p" } } as const;
  await rejects(jobs.answer(id, { other: accept }), { message: /does not ask under the key "other", but under sure/ });
  for (const action of ["acept", "malformed", "toString", undefined, 1]) {
    await rejects(jobs.answer(id, { sure: { ...accept, action } as AskAnswer }), {
      code: "invalid_request",
      message: /action of "sure" must be accept, decline or cancel, not /,
    });
  }
  await rejects(jobs.answer(id, { sure: null as unknown as AskAnswer }), { code: "invalid_request" });
  for (
    const [content, problem] of [
      [{ password: 5 }, /content\.password of "sure" does not fit: Expected string/],
      [{ pasword: "p" }, /content\.password of "sure" does not fit: "password" is required/],
      [undefined, /content of "sure" does not fit: Expected object/],
    ] as const
  ) {
    await rejects(jobs.answer(id, { sure: { action: "accept", content } as AskAnswer }), {
      code: "invalid_request",
      message: problem,
    });
  }
  strictEqual((await jobs.inspect(id)).state, "asking", "a refused answer changes nothing");
  await jobs.answer(id, { sure: accept });
  strictEqual(await asking.result(), "accept");
  await rejects(jobs.answer(id, { sure: accept }), { message: /it is done, and asks nothing/ });
  const waiting = await as("ada").wait.start({});
  await eventually(async () => (await jobs.list({ state: "running" })).jobs.length === 1);
  const running = (await jobs.list({ state: "running" })).jobs[0]!;
  strictEqual((await jobs.cancel(running.id)).state, "cancelled");
  await rejects(waiting.result(), { code: "cancelled" });
  strictEqual((await jobs.cancel(id)).state, "done", "one that has ended remains");
  await gates.end("done");
});

test("purge() deletes ended jobs only", async () => {
  const { jobs, as, gates } = open();
  await rejects((await as("ada").breaks.start({ password: "p", note: "n" })).result(), { code: "attempts_exhausted" });
  await as("bob").wait.start({});
  await rejects(jobs.purge({ state: "running" }), { code: "invalid_request", message: /cancel them first/ });
  deepStrictEqual(await jobs.purge({ principal: "bob" }), { purged: 0, isComplete: true });
  deepStrictEqual(await jobs.purge({ minAgeMs: 3_600_000 }), { purged: 0, isComplete: true });
  deepStrictEqual(await jobs.purge({ all: true }), { purged: 1, isComplete: true });
  deepStrictEqual((await jobs.list()).jobs.map(({ tool }) => tool), ["wait"]);
  await gates.end("done");
});

test("purge() refuses an unknown condition, and deletes all ended jobs only if it is asked to", async () => {
  const { jobs, as } = open();
  await rejects((await as("ada").breaks.start({ password: "p", note: "n" })).result(), { code: "attempts_exhausted" });
  await rejects(jobs.purge({ toolName: "wait" } as PurgeJobsOptions), {
    code: "invalid_request",
    message: 'Cannot purge jobs: there is no option "toolName"; did you mean "tool"?',
  });
  await rejects(jobs.list({ toolName: "wait" } as ListJobsOptions), { code: "invalid_request" });
  for (const none of [{}, { all: false }, { tool: undefined }, { cursor: "1" }]) {
    await rejects(jobs.purge(none), { code: "invalid_request", message: /there is no condition; .*\{ all: true \}/ });
  }
  await rejects(jobs.purge(undefined as unknown as PurgeJobsOptions), { code: "invalid_request" });
  strictEqual((await jobs.list()).jobs.length, 1);
  strictEqual((await jobs.purge({ tool: "breaks" })).purged, 1);
});

test("purge() continues at the cursor of an earlier one, behind any number of other jobs", async () => {
  const { server, jobs } = over((engine) => {
    const list: Engine["list"] = async (filter, limit, cursor) => {
      // As an engine whose latest 150 pages have no job that meets the conditions.
      const page = Number(cursor ?? 0);
      return page < 150 ? { ids: [], cursor: `${page + 1}` } : await engine.list!(filter, limit);
    };
    return { list };
  });
  await (await createClient<typeof server>(server).quick.start()).result();
  const first = await jobs.purge({ all: true });
  deepStrictEqual(first, { purged: 0, isComplete: false, cursor: "100" });
  deepStrictEqual(await jobs.purge({ all: true, cursor: first.cursor }), { purged: 1, isComplete: true });
});

test("purge() neither deletes nor counts a job that has begun again since it was read", async () => {
  const { server, state, jobs } = over((engine) => ({
    async get(id) {
      const job = await engine.get(id);
      if (job?.state !== "done" || !state.isPurging) return job;
      state.isPurging = false;
      await jobs.retry(id);
      return job;
    },
  }));
  const work = await createClient<typeof server>(server).fails.start();
  await rejects(work.result(), { code: "attempts_exhausted" });
  state.isPurging = true;
  deepStrictEqual(await jobs.purge({ all: true }), { purged: 0, isComplete: true });
  await rejects(work.result(), { code: "attempts_exhausted" });
  strictEqual(state.runs, 2);
  deepStrictEqual(await jobs.purge({ all: true }), { purged: 1, isComplete: true });
  await rejects(work.result(), { code: "promise_lost" });
});

test("retry() leaves no job without a delivery if the engine fails in between", async () => {
  const { server, state, jobs } = over((engine) => ({
    async schedule(id, delayMs) {
      if (state.isBroken && delayMs === 0) throw new Error("the connection is lost");
      // A later delivery comes as soon as the engine is back.
      state.later = () => engine.schedule(id, 0);
      if (!state.isBroken) await engine.schedule(id, delayMs);
    },
  }));
  const work = await createClient<typeof server>(server).fails.start();
  await rejects(work.result(), { code: "attempts_exhausted" });
  const { id } = (await jobs.list({ state: "done" })).jobs[0]!;
  Object.assign(state, { isBroken: true, later: undefined });
  await rejects(jobs.retry(id), { code: "unavailable" });
  strictEqual((await jobs.inspect(id)).state, "queued");
  state.isBroken = false;
  await state.later?.();
  await eventually(async () => (await jobs.inspect(id)).state === "done");
  strictEqual(state.runs, 2);
});

test("operators get clear errors", async () => {
  const { jobs } = open();
  await rejects(jobs.inspect("nope"), { code: "invalid_request", message: /There is no job "nope": it has expired/ });
  await rejects(jobs.cancel("nope"), { message: /There is no job "nope"/ });
  await rejects(jobs.list({ limit: 0 }), { message: /limit must be a whole number from 1 to 100, not 0/ });
  await rejects(jobs.list({ state: "doing" as "done" }), { message: /there is no state "doing"; there are queued, / });
  await rejects(jobs.list({ maxAgeMs: -1 }), { message: /maxAgeMs must be a number of milliseconds, not -1/ });
  await rejects(jobs.list({ cursor: "x" }), { code: "invalid_request", message: /the cursor is not one of this list/ });
  const { list: _, ...engine } = memoryEngine();
  const unlisted = jobsOf(createServer({ tools: [], engine: { ...engine, name: "mine", processId: "1" } }));
  await rejects(unlisted.list(), {
    code: "invalid_request",
    message: /the engine "mine" has no list\(\); jobs can be/,
  });
  throws(() => jobsOf(createCoreServer({ tools: [] })), /the server has no engine; pass one/);
  throws(() => jobTools({ scope: "" }), TypeError);
});

test("the tools are for callers with the scope, and other callers learn nothing of them", async () => {
  const { server, as } = open();
  const tools = [
    "list_jobs",
    "inspect_job",
    "retry_job",
    "cancel_job",
    "purge_jobs",
    "rerun_job",
    "answer_job",
    "resolve_job",
  ];
  const names = (scopes: string[]) => server.toolsFor({ id: "x", scopes }).map(({ name }) => name);
  deepStrictEqual(names(["jobs"]).filter((name) => tools.includes(name)), tools);
  deepStrictEqual(names(["other"]).filter((name) => tools.includes(name)), []);
  await rejects((await as("bob").breaks.start({ password: SECRET, note: "n" })).result());
  const [ada, operator] = [as("ada"), as("ops", "jobs")];
  await rejects(ada.list_jobs({}), { code: "tool_not_found" });
  const { jobs: [job] } = await operator.list_jobs({ principal: "bob", state: "done" });
  ok(job);
  await rejects(ada.inspect_job({ id: job.id }), { code: "tool_not_found" });
  await rejects(ada.purge_jobs({}), { code: "tool_not_found" });
  const detail = await operator.inspect_job({ id: job.id, values: true });
  strictEqual(Object(detail.args).note, "n");
  ok(!JSON.stringify(detail).includes(SECRET));
  strictEqual((await operator.retry_job({ id: job.id })).state, "queued");
  await rejects(operator.inspect_job({ id: "nope" }), { code: "invalid_request" });
  await rejects(operator.list_jobs({ limit: 1_000 }), { code: "invalid_input" });
  await eventually(async () => (await operator.inspect_job({ id: job.id })).state === "done");
  strictEqual((await operator.cancel_job({ id: job.id })).state, "done");
  await rejects(operator.purge_jobs({ all: true, cursor: "x" }), { message: /the cursor is not one of this list/ });
  deepStrictEqual(await operator.purge_jobs({ tool: "breaks" }), { purged: 1, isComplete: true });
});
