/** MCP servers that send more than anyone asked for: pings, questions, changes. What a client or a gateway does for them is bounded. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer } from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { type Asked, INITIALIZED, legacy, OpenStream, text, TOOL } from "../../wires/mcp/client/scripted.ts";
import { runtime } from "../../runtime/runtime.ts";
import { keepingLogger } from "../../server/compose/scripted.ts";
import { eventually } from "../../eventually.ts";

const FLOOD = 5_000;
/** Above what a client has on its way at once, far below a flood. */
const FEW = 1_100;

/** A server of 2025-11-25 whose calls are answered by `stream`, and that takes answers to its requests only when `taken` resolves. */
function flooding(stream: OpenStream, taken: Promise<void>) {
  return legacy({
    "tools/call": () => stream.response,
    POST: () => taken,
  });
}

/** A server that announces changes. */
const CHANGING = { ...INITIALIZED, capabilities: { tools: { listChanged: true } } };

const answersOf = (asked: readonly Asked[]) => asked.filter(({ verb, method }) => verb === "POST" && method === "POST");

test("a flood of pings, or of questions that a handler answers, has few answers on their way at once", async () => {
  for (const method of ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "unknown/method"]) {
    const stream = new OpenStream();
    const taken = Promise.withResolvers<void>();
    const server = flooding(stream, taken.promise);
    const logger = keepingLogger();
    const transport = server.transport({ logger });
    transport.onRoots(() => []);
    transport.onElicitation(() => ({ action: "decline" }));
    const { $ } = createClient(transport, { retry: { attempts: 0 } });
    try {
      const call = $.call("t");
      await eventually(() => server.by("tools/call").length === 1);
      for (let id = 1; id <= FLOOD; id++) stream.send({ id: `q${id}`, method, params: {} });
      await eventually(() => answersOf(server.asked).length > 0);
      const [asked] = server.by("tools/call");
      stream.send({ id: asked?.id, result: text("done") });
      strictEqual(await call, "done");
      ok(answersOf(server.asked).length < FEW, `${method}: ${answersOf(server.asked).length} answers`);
      strictEqual(logger.lines.filter((line) => line.includes("not answered")).length, 1, logger.lines.join("\n"));
    } finally {
      taken.resolve();
      $.close();
    }
  }
});

test("after a flood, requests of the server are answered again", async () => {
  const stream = new OpenStream();
  const taken = Promise.withResolvers<void>();
  const server = flooding(stream, taken.promise);
  const client = server.client({ logger: keepingLogger() });
  try {
    const call = client.$.call("t");
    await eventually(() => server.by("tools/call").length === 1);
    for (let id = 1; id <= FLOOD; id++) stream.send({ id: `q${id}`, method: "ping", params: {} });
    await eventually(() => answersOf(server.asked).length > 0);
    taken.resolve();
    const isAnswered = (id: string) => answersOf(server.asked).some((asked) => asked.id === id as unknown);
    for (let tries = 0; !isAnswered(`later${tries - 1}`); tries++) {
      ok(tries < 500, "A later ping was not answered");
      stream.send({ id: `later${tries}`, method: "ping", params: {} });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    stream.send({ id: server.by("tools/call")[0]?.id, result: text("done") });
    await call;
  } finally {
    client.$.close();
  }
});

test("a call is asked a bounded number of questions at once; the others are refused", async () => {
  const stream = new OpenStream();
  const server = legacy({ "tools/call": () => stream.response });
  const client = server.client({ logger: keepingLogger() });
  try {
    const outcome = client.$.outcome("t");
    await eventually(() => server.by("tools/call").length === 1);
    for (let id = 1; id <= FLOOD; id++) {
      stream.send({ id: `q${id}`, method: "elicitation/create", params: { message: `${id}`, requestedSchema: {} } });
    }
    const asked = await outcome;
    ok(asked.kind === "elicitation" && Object.keys(asked.requests).length <= FEW);
    await eventually(() => answersOf(server.asked).length > 0);
    const meta = { continuation: asked.continuation, responses: {} };
    const again = await client.$.outcome("t", {}, { meta });
    ok(again.kind === "elicitation" && Object.keys(again.requests).length <= FEW, JSON.stringify(again).slice(0, 200));
  } finally {
    client.$.close();
  }
});

const skip = runtime === "workerd" && "a timer ends with its request, so that no change waits for one";

test(
  "a flood of changed lists is listed a bounded number of times a second, and its end is not missed",
  { skip },
  async () => {
    const stream = new OpenStream();
    let listed = 0;
    const announce = () => stream.send({ method: "notifications/tools/list_changed" });
    const server = legacy({
      initialize: ({ id }) =>
        new Response(JSON.stringify({ jsonrpc: "2.0", id, result: CHANGING }), {
          headers: { "content-type": "application/json", "mcp-session-id": "s" },
        }),
      GET: () => stream.response,
      // Each list differs from the last one, and another change is announced before it is read.
      "tools/list": () => {
        if (++listed > 1 && listed < FLOOD) announce();
        return { tools: [{ ...TOOL, name: `t${listed}` }] };
      },
    });
    const logger = keepingLogger();
    const far = await gateway("evil", server.transport({ logger }), { logger });
    const app = createServer({ tools: [], parts: [mount(far)], logger });
    try {
      const startMs = performance.now();
      announce();
      // More than in two seconds: the first list, and 10 for each second that has begun.
      await eventually(() => listed > 21);
      const seconds = Math.ceil((performance.now() - startMs) / 1_000);
      ok(listed <= 11 + 10 * seconds, `${listed} lists in ${seconds} s`);
      listed = FLOOD;
      announce();
      await eventually(() => app.tools[0]?.name === `t${FLOOD + 1}`);
      strictEqual(app.tools.length, 1);
    } finally {
      await app.close(0);
    }
  },
);
