/** `.external(temporal(…))` with a stand-in for Temporal: what callers get for each state and error of a workflow. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, ToolError } from "../../../mod.ts";
import { temporal, type TemporalClient, type TemporalOptions } from "../../../src/entries/temporal.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { failedBy, StandIn, temporalError } from "./stand_in.ts";

const KEYS = "k1:a secret that all of the replicas know";
const frames = v.object({ frames: v.number() });
const gone = v.object({ left: v.number() });

/** Two replicas that share nothing but their keys and Temporal. */
function fixture(options: Partial<TemporalOptions<{ frames: number }>> = {}) {
  const client = new StandIn();
  const lines: unknown[] = [];
  const write = (message: string, fields: unknown) => void lines.push([message, fields]);
  const render = defineTool("render").describe("Render a film").input(frames).output(v.string())
    .errors({ sold_out: gone, busy: null })
    .external(temporal({ client, workflow: "render", taskQueue: "media", retryAfterMs: 10, ...options }));
  const logger = { debug() {}, info() {}, warn: write, error: write };
  const servers = [1, 2].map(() => createServer({ tools: [render], keys: KEYS, logger }));
  const [here, there] = servers as [typeof servers[0] & object, typeof servers[0] & object];
  return { client, here, there, lines };
}

async function started(options?: Partial<TemporalOptions<{ frames: number }>>) {
  const { here, there, ...rest } = fixture(options);
  const { token } = await testClient(here).render.start({ frames: 3 });
  return { ...rest, here, there, token, redeemed: testClient(there).$.redeem<string>(token) };
}

test("a call starts a workflow, and another replica redeems its result", async () => {
  const { client, redeemed } = await started({ startOptions: { memo: { by: "toolwire" } } });
  const { type, options } = client.only;
  strictEqual(type, "render");
  match(options.workflowId, /^toolwire-[0-9a-f-]{36}$/);
  deepStrictEqual({ ...options, workflowId: "" }, {
    memo: { by: "toolwire" },
    taskQueue: "media",
    workflowId: "",
    args: [{ frames: 3 }],
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    workflowIdConflictPolicy: "USE_EXISTING",
  });
  strictEqual((await redeemed.status()).kind, "promise");
  client.end("COMPLETED", () => "film.mp4");
  strictEqual(await redeemed.result(), "film.mp4");
  strictEqual(await redeemed.result(), "film.mp4", "as often as it is redeemed");
});

test("a repeated call shares the workflow, while it runs and after it has ended", async () => {
  const { client, here, there } = fixture({ workflowId: ({ frames }) => `film-${frames}` });
  const first = await testClient(here).render.start({ frames: 3 });
  const second = await testClient(there).render.start({ frames: 3 });
  client.end("COMPLETED", () => "film.mp4");
  const third = await testClient(there).render.start({ frames: 3 });
  for (const work of [first, second, third]) strictEqual(await work.result(), "film.mp4");
  strictEqual(client.only.options.workflowId, "film-3");
});

test("an idempotency key makes one workflow, whichever replica takes the call", async () => {
  const { client, here, there } = fixture();
  for (const server of [here, there]) {
    const outcome = await testClient(server).render.outcome({ frames: 3 }, { idempotencyKey: "order 7" });
    strictEqual(outcome.kind, "promise");
  }
  ok(client.only);
});

test("the state of the workflow is the progress of the promise; without a worker the progress is absent", async () => {
  const { client, redeemed } = await started();
  const progress = { done: 1, total: 3, message: "rendering" };
  client.only.state = () => ({ progress });
  const status = await redeemed.status();
  deepStrictEqual(status.kind === "promise" && status.progress, progress);
  for (
    const state of [
      () => Promise.reject(temporalError("QueryNotRegisteredError")),
      () => null,
      () => [7],
      () => "x",
    ]
  ) {
    client.only.state = state;
    const { progress: none } = await redeemed.status() as { progress?: unknown };
    strictEqual(none, undefined);
  }
});

test("questions of the workflow are asked through the promise, and answers are signals", async () => {
  const { client, here, token } = await started();
  const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
  const questions = { approval: { message: "Render?", schema }, size: { message: "Which size?", schema } };
  client.only.state = () => {
    const answered = client.only.signals.map(([, argument]) => (argument as { key: string }).key);
    return { questions: Object.fromEntries(Object.entries(questions).filter(([key]) => !answered.includes(key))) };
  };
  const asked: string[] = [];
  const answering = testClient(here, {
    onElicitation: ({ key, message, params }) => {
      asked.push(`${key} ${message} ${params?.["refused"] === undefined ? "" : "again"}`);
      if (key === "size") return { action: "decline" };
      return { action: "accept", content: asked.length < 3 ? { ok: "x" } : { ok: true } };
    },
  });
  const result = answering.$.redeem<string>(token).result();
  while (client.only.signals.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  client.end("COMPLETED", () => "film.mp4");
  strictEqual(await result, "film.mp4");
  deepStrictEqual(asked.map((line) => line.trim()), [
    "approval Render?",
    "size Which size?",
    "approval Render? again",
  ]);
  deepStrictEqual(client.only.signals, [
    ["toolwire_reply", { key: "size", action: "decline" }],
    ["toolwire_reply", { key: "approval", action: "accept", content: { ok: true } }],
  ]);
});

const sold = (details: readonly unknown[]) => temporalError("ApplicationFailure", { type: "sold_out", details });
const inner = temporalError("ActivityFailure", { cause: sold([{ left: 0 }]) });

for (
  const [name, status, thrown, code, data] of [
    ["a declared application failure", "FAILED", failedBy(sold([{ left: 0 }])), "sold_out", { left: 0 }],
    ["a declared failure of an activity", "FAILED", failedBy(inner), "sold_out", { left: 0 }],
    ["a cancelled workflow", "CANCELLED", failedBy(temporalError("CancelledFailure")), "cancelled", undefined],
  ] as const
) {
  test(`${name} is the failure ${code}`, async () => {
    const { client, redeemed } = await started();
    client.end(status, () => Promise.reject(thrown));
    await rejects(redeemed.result(), { name: "Failure", code, data });
  });
}

for (
  const [status, name] of [["TERMINATED", "TerminatedFailure"], ["TIMED_OUT", "TimeoutFailure"]] as const
) {
  test(`a workflow that is ${status} is attempts_exhausted`, async () => {
    const { client, redeemed } = await started();
    client.end(status, () => Promise.reject(failedBy(temporalError(name))));
    await rejects(redeemed.result(), { name: "Failure", code: "attempts_exhausted" });
  });
}

for (
  const [name, thrown] of [
    ["an undeclared application failure", failedBy(temporalError("ApplicationFailure", { type: "bug" }))],
    ["data that does not fit", failedBy(sold([{ left: "none" }]))],
    ["another error of Temporal", temporalError("ServiceError", { cause: { code: 7 } })],
  ] as const
) {
  test(`${name} is masked, and logged`, async () => {
    const { client, redeemed, lines } = await started();
    client.end("FAILED", () => Promise.reject(thrown));
    await rejects(redeemed.result(), (error) => {
      ok(error instanceof ToolError && error.code === "internal" && !error.message.includes("secret"));
      return true;
    });
    ok(lines.length > 0);
  });
}

test("a result that does not fit the declared output is masked", async () => {
  const { client, redeemed } = await started();
  client.end("COMPLETED", () => 7);
  await rejects(redeemed.result(), { name: "ToolError", code: "internal" });
});

test("a server that does not answer is unavailable, at the start and later, and the promise stays good", async () => {
  const { client, here, token } = await started();
  const patient = testClient(here, { retry: { attempts: 0 } });
  const redeemed = patient.$.redeem<string>(token);
  for (const code of [1, 4, 8, 10, 14]) {
    client.outage = temporalError("ServiceError", { cause: { code } });
    await rejects(patient.render.start({ frames: 1 }), { name: "ToolError", code: "unavailable" });
    await rejects(redeemed.result(), { name: "ToolError", code: "unavailable" });
    await rejects(redeemed.cancel(), { name: "ToolError", code: "unavailable" });
  }
  client.outage = undefined;
  client.end("COMPLETED", () => "film.mp4");
  strictEqual(await redeemed.result(), "film.mp4");
});

test("a workflow that Temporal no longer knows is promise_lost", async () => {
  const { client, redeemed } = await started();
  client.workflows.clear();
  await rejects(redeemed.result(), { name: "ToolError", code: "promise_lost" });
});

test("cancel requests the cancellation, and is false for a workflow that has ended otherwise", async () => {
  const { client, redeemed } = await started();
  strictEqual(await redeemed.cancel(), true);
  strictEqual(client.only.status, "CANCELLED");
  strictEqual(await redeemed.cancel(), true);
  for (const status of ["COMPLETED", "FAILED", "TERMINATED", "TIMED_OUT"]) {
    client.only.status = status;
    strictEqual(await redeemed.cancel(), false, status);
  }
});

const right = { client: new StandIn(), workflow: "render", taskQueue: "media" };

for (
  const [problem, options, message] of [
    ["no options", undefined, /options/],
    ["no client", { ...right, client: undefined }, /client/],
    ["a WorkflowClient for the client", { ...right, client: right.client.workflow }, /a Client of @temporalio\/client/],
    ["no workflow", { ...right, workflow: "" }, /workflow/],
    ["a function for the workflow", { ...right, workflow: () => 1 }, /workflow/],
    ["no task queue", { ...right, taskQueue: undefined }, /taskQueue/],
    ["an unknown option", { ...right, taskqueue: "x" }, /taskQueue/],
    ["a start option that is set already", { ...right, startOptions: { workflowId: "x" } }, /startOptions\.workflowId/],
    ["a time of 0", { ...right, queryTimeoutMs: 0 }, /queryTimeoutMs/],
  ] as const
) {
  test(`${problem}: the definition throws`, () => {
    throws(() => temporal(options as unknown as TemporalOptions<unknown>), { message });
  });
}

test("a lifetime of 0 is refused by .external()", () => {
  throws(() => defineTool("t").describe("T").external(temporal({ ...right, ttlMs: 0 })), /ttlMs/);
});

test("arguments and result have their types", () => {
  const client: TemporalClient = right.client;
  const tool = defineTool("t").describe("T").input(frames).output(v.string())
    .external(temporal({ ...right, client, args: ({ frames }) => [frames.toFixed(0)] }));
  strictEqual(tool.name, "t");
});
