/** The API of the console for jobs. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../src/entries/schema.ts";
import { createClient, createServer, defineTool, memoryTransport, type Server } from "../../mod.ts";
import { createServer as createCoreServer } from "../../src/entries/core.ts";
import { consolePage } from "../../src/entries/console.ts";
import { PAGE_KEY } from "./page_server.ts";
import { eventually } from "../eventually.ts";

const flaky = defineTool("flaky").describe("Break").promise({ retries: 0, keepFailed: true }).handle(() => {
  throw new Error("the disk is full");
});

function open(bodies = true) {
  return createServer({ tools: [flaky], wires: [consolePage({ key: PAGE_KEY, bodies })], logger: false });
}

async function ask(server: Pick<Server, "fetch">, path: string, input: unknown, key: string = PAGE_KEY) {
  const headers = { "content-type": "application/json", "x-toolwire-console": "1", "x-toolwire-console-key": key };
  const init = { method: "POST", headers, body: JSON.stringify(input) };
  const response = await server.fetch(new Request(`http://localhost/console/api/${path}`, init));
  return { status: response.status, body: await response.json() };
}

async function fail(server: ReturnType<typeof open>): Promise<string> {
  const client = createClient<typeof server>(memoryTransport(server, { principal: { id: "ada", scopes: [] } }));
  await rejects((await client.flaky.start({ note: "n", password: "hunter2hunter2" })).result());
  const { body } = await ask(server, "jobs", { states: ["done"] });
  strictEqual(body.jobs.length, 1);
  return body.jobs[0].id;
}

test("the console lists, shows and changes jobs, without secrets", async () => {
  const server = open();
  const id = await fail(server);
  const { status, body } = await ask(server, "jobs/inspect", { id });
  strictEqual(status, 200);
  deepStrictEqual([body.args.note, body.principal, body.canRetry], ["n", "ada", true]);
  strictEqual(body.id, id);
  ok(!JSON.stringify(body).includes("hunter2"));
  strictEqual((await ask(server, "jobs", { tool: "other" })).body.jobs.length, 0);
  strictEqual((await ask(server, "jobs/retry", { id })).body.state, "queued");
  strictEqual((await ask(server, "jobs/cancel", { id })).status, 200);
  const wrong = await ask(server, "jobs/inspect", { id: "nope" });
  deepStrictEqual([wrong.status, wrong.body.error.code], [400, "invalid_request"]);
  match(wrong.body.error.message, /There is no job "nope"/);
  strictEqual((await ask(server, "jobs/answer", { id, answers: { a: { action: "decline" } } })).status, 400);
  await server.close();
});

test("the console refuses an answer of an unknown action", async () => {
  const asks = defineTool("asks").describe("Ask").promise().handle(async (_, ctx) => {
    return (await ctx.elicit("sure", { message: "Sure?", schema: v.object({ ok: v.boolean() }) })).action;
  });
  const server = createServer({ tools: [asks], wires: [consolePage({ key: PAGE_KEY })], logger: false });
  const work = await createClient<typeof server>(server).asks.start();
  const [job] = await asking(server);
  const answer = (action: unknown) => ask(server, "jobs/answer", { id: job?.id, answers: { sure: { action } } });
  const { status, body } = await answer("acept");
  deepStrictEqual([status, body.error.code], [400, "invalid_request"]);
  match(body.error.message, /action of "sure" must be accept, decline or cancel, not "acept"/);
  strictEqual((await ask(server, "jobs/answer", { id: job?.id, answers: { sure: null } })).status, 400);
  strictEqual((await answer("decline")).status, 200);
  strictEqual(await work.result(), "decline");
  await server.close();
});

/** The jobs that ask, once there is one. */
async function asking(server: Pick<Server, "fetch">): Promise<readonly { readonly id: string }[]> {
  let asking: readonly { readonly id: string }[] = [];
  await eventually(async () => {
    asking = (await ask(server, "jobs", { states: ["asking"] })).body.jobs;
    return asking.length > 0;
  }, "a job asks");
  return asking;
}

test("with bodies: false jobs have no messages of progress, and of questions only their kinds", async () => {
  const asks = defineTool("asks").describe("Ask").promise().handle(async (_, ctx) => {
    await ctx.progress(1, 2, "at SECRET-PLACE");
    const first = await ctx.elicit("first", { message: "SECRET-FIRST", schema: v.object({ secret: v.string() }) });
    const last = await ctx.ask({
      last: { message: "SECRET-LAST", schema: v.object({ secret: v.string() }) },
      page: { message: "SECRET-PAGE", url: "https://secret.example/" },
    });
    return [first, last].length;
  });
  const server = createServer({
    tools: [asks],
    wires: [consolePage({ key: PAGE_KEY, bodies: false })],
    logger: false,
  });
  await createClient<typeof server>(server).asks.start();
  const [{ id } = { id: "" }] = await asking(server);
  const first = { first: { action: "accept", content: { secret: "SECRET-ANSWER" } } };
  const answered = await ask(server, "jobs/answer", { id, answers: first });
  await asking(server);
  const listed = await ask(server, "jobs", {});
  const shown = await ask(server, "jobs/inspect", { id });
  for (const { status, body } of [answered, listed, shown]) {
    strictEqual(status, 200);
    ok(!/secret/i.test(JSON.stringify(body)), JSON.stringify(body));
  }
  deepStrictEqual(listed.body.jobs[0].progress, { done: 1, total: 2 });
  deepStrictEqual(shown.body.questions, { last: { kind: "elicitation" }, page: { kind: "elicitation" } });
  deepStrictEqual(shown.body.answers, [{ key: "first", action: "accept" }]);
  ok(!/secret/i.test(JSON.stringify((await ask(server, "jobs/cancel", { id })).body)));
  strictEqual((await ask(server, "hello", {})).body.hasBodies, false);
  await server.close();
});

test("the console shows no values with bodies: false, and no jobs without its key", async () => {
  const server = open(false);
  const id = await fail(server);
  strictEqual("args" in (await ask(server, "jobs/inspect", { id })).body, false);
  for (const path of ["jobs", "jobs/inspect", "jobs/cancel"]) {
    strictEqual((await ask(server, path, { id }, "wrong")).status, 403, path);
  }
  await server.close();
});

test("the console of a server without an engine says so", async () => {
  const server = createCoreServer({ tools: [], wires: [consolePage({ key: PAGE_KEY })] });
  const { status, body } = await ask(server, "jobs", {});
  strictEqual(status, 404);
  match(body.error.message, /the server has no engine/);
});
