/** Questions to clients over MCP: a response with the id of another client's question is ignored. */
import { deepStrictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Server } from "../../../../mod.ts";
import { bearer } from "../../../../src/entries/auth.ts";
import * as v from "../../../../src/entries/schema.ts";
import { mcp, mcpDuplex, mcpSessions } from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { MemoryConnection } from "../../memory_connection.ts";
import { initialize, type Json, type Message, post, StreamReader } from "./client.ts";
import { KEYS } from "./fixture.ts";

const skip = runtime === "workerd" && "a request's stream is not another request's to write to";

const pay = defineTool("pay").describe("Pay if the caller agrees").handle(async (_, ctx) => {
  const answer = await ctx.elicit("who", { message: "Who agrees?", schema: v.object({ who: v.string() }) });
  return answer.action === "accept" ? answer.content.who : answer.action;
});

const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: {} },
  clientInfo: { name: "test", version: "1" },
};
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: {} } };

function answerOf(id: unknown, who: string): Json {
  return { jsonrpc: "2.0", id, result: { action: "accept", content: { who } } };
}

function textOf({ result }: Json): unknown {
  return (result as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;
}

test("connections: another connection cannot answer a question by its id", async () => {
  const { "~server": { host } } = createServer({ tools: [pay], keys: KEYS, logger: false });
  const mounted = mcpDuplex().mount(host);
  const open = () => {
    const received: Json[] = [];
    const waiting: ((message: Json) => void)[] = [];
    const connection = new MemoryConnection({ name: "mcp", mount: () => mounted }, host, (text) => {
      const message: Json = JSON.parse(text);
      const next = waiting.shift();
      if (next === undefined) received.push(message);
      else next(message);
    });
    const send = (message: Json) => connection.receive(JSON.stringify(message));
    const next = () => {
      const message = received.shift();
      return message === undefined ? new Promise<Json>((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    };
    return { send, next, end: () => connection.end() };
  };
  const [ada, eve] = [open(), open()];
  for (const one of [ada, eve]) {
    one.send({ jsonrpc: "2.0", id: 0, method: "initialize", params: HANDSHAKE });
    await one.next();
  }
  ada.send(CALL);
  const { id } = await ada.next();
  eve.send(answerOf(id, "eve"));
  ada.send(answerOf(id, "ada"));
  deepStrictEqual(textOf(await ada.next()), "ada");
  await Promise.all([ada.end(), eve.end()]);
});

/** The first message of a stream that has one of these members. */
async function messageWith(events: StreamReader, member: "method" | "result"): Promise<Message> {
  for (let event = await events.next(); event !== undefined; event = await events.next()) {
    if (event.message?.[member] !== undefined) return event.message;
  }
  throw new Error(`The stream has ended without ${member}`);
}

/** Calls the tool over HTTP as a stream, and waits for its question. */
async function ask(server: Server, headers: Record<string, string | undefined>) {
  const events = new StreamReader(await post(server, CALL, headers));
  const { id } = await messageWith(events, "method");
  return { id, events };
}

async function lastOf(events: StreamReader): Promise<unknown> {
  const { result = {} } = await messageWith(events, "result");
  return textOf({ result });
}

test("sessions: another session cannot answer a question by its id", { skip }, async () => {
  const server = createServer({ tools: [pay], keys: KEYS, wires: [mcp({ sessions: mcpSessions() })], logger: false });
  const open = async () => {
    const { session } = await initialize(server, "2025-11-25", { elicitation: {} });
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    return { headers, ...await ask(server, headers) };
  };
  // Both have a question open, so that both receive the responses of their sessions.
  const [ada, eve] = [await open(), await open()];
  await post(server, answerOf(ada.id, "eve"), eve.headers);
  await post(server, answerOf(ada.id, "ada"), ada.headers);
  await post(server, answerOf(eve.id, "eve"), eve.headers);
  deepStrictEqual([await lastOf(ada.events), await lastOf(eve.events)], ["ada", "eve"]);
  await server.close(0);
});

test("without sessions: another principal cannot answer a question by its id", { skip }, async () => {
  const server = createServer({
    tools: [pay],
    keys: KEYS,
    wires: [mcp()],
    logger: false,
    auth: bearer((token) => ({ id: token })),
  });
  const headersOf = (who: string) => ({ authorization: `Bearer ${who}`, "mcp-protocol-version": "2025-11-25" });
  const { id, events } = await ask(server, headersOf("ada"));
  await post(server, answerOf(id, "eve"), headersOf("eve"));
  await post(server, answerOf(id, "ada"), headersOf("ada"));
  deepStrictEqual(await lastOf(events), "ada");
  await server.close(0);
});
