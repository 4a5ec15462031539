/** Questions to callers: the same handlers in every era. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { mcpSessions } from "../../../../src/entries/mcp.ts";
import { runtime } from "../../../runtime/runtime.ts";
import {
  callModern,
  initialize,
  type Json,
  legacy,
  type Message,
  modern,
  post,
  StreamReader,
  textOf,
} from "./client.ts";
import { createFixture } from "./fixture.ts";

const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const server = createFixture();

/** Answers everything that is asked, by key. */
const REPLIES: Readonly<Record<string, Json>> = {
  name: { action: "accept", content: { name: "Ada" } },
  color: { action: "accept", content: { color: "red" } },
  "resource/credits": { action: "accept", content: { granted: true } },
};

test("2026-07-28: one handler elicits twice and requires a resource", async () => {
  let more: Json = {};
  const asked: unknown[] = [];
  const states = new Set<unknown>();
  for (let round = 0; round < 5; round++) {
    const result = await callModern(server, "conversation", {}, { capabilities: ALL, more });
    if (result["resultType"] !== "input_required") {
      strictEqual(textOf(result), "Ada likes red");
      break;
    }
    const requests = result["inputRequests"] as Readonly<Record<string, Json>>;
    asked.push(requests);
    states.add(result["requestState"]);
    const inputResponses = Object.fromEntries(Object.keys(requests).map((key) => [key, REPLIES[key]]));
    more = { inputResponses, requestState: result["requestState"] };
  }
  strictEqual(states.size, 3);
  deepStrictEqual(asked[0], {
    name: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Who are you?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
    },
  });
  const [resource] = Object.values(asked[2] as Readonly<Record<string, Json>>);
  deepStrictEqual((resource?.["params"] as Json)["message"], "a color costs 5 credits");
});

test("2026-07-28: refusals are values, and a resource that is refused ends the call", async () => {
  const ask = async (more: Json = {}) => await callModern(server, "conversation", {}, { capabilities: ALL, more });
  const answer = (result: Json, inputResponses: Json) => ask({ requestState: result["requestState"], inputResponses });
  strictEqual(textOf(await answer(await ask(), { name: { action: "cancel" } })), "no name: cancel");
  for (const refusal of [{ action: "decline" }, { action: "accept", content: { granted: false } }]) {
    const second = await answer(await ask(), { name: REPLIES["name"] });
    const third = await answer(second, { color: { action: "decline" } });
    const changed = await answer(second, { color: REPLIES["color"] });
    strictEqual((changed["_meta"] as Json)["toolwire/code"], "conflict");
    const denied = await answer(third, { "resource/credits": refusal });
    strictEqual((denied["_meta"] as Json)["toolwire/code"], "resource_denied");
  }
});

test("2026-07-28: what is no answer is asked for again, what was not asked is passed over", async () => {
  const first = await callModern(server, "conversation", {}, { capabilities: ALL });
  const requestState = first["requestState"];
  const bad: Json[] = [
    {},
    { other: { action: "accept", content: {} } },
    { name: { action: "accept", content: { name: 5 } } },
    { name: { action: "maybe" } },
    { name: "Ada" },
    { name: { content: { name: "Ada" } } },
  ];
  for (const inputResponses of bad) {
    const again = await callModern(server, "conversation", {}, {
      capabilities: ALL,
      more: { requestState, inputResponses },
    });
    deepStrictEqual(Object.keys(again["inputRequests"] as Json), ["name"], JSON.stringify(inputResponses));
  }
});

test("2026-07-28: the reason why a question is asked again is in _meta and in the message, not in a parameter", async () => {
  const ask = (name: string, more: Json = {}) => callModern(server, name, {}, { capabilities: ALL, more });
  const questionsOf = (result: Json) => result["inputRequests"] as Readonly<Record<string, { params: Json }>>;
  const grant = async () => {
    let result = await ask("conversation");
    for (const key of ["name", "color"]) {
      const inputResponses = { [key]: REPLIES[key] };
      result = await ask("conversation", { requestState: result["requestState"], inputResponses });
    }
    return result;
  };
  const cases: readonly (readonly [tool: string, key: string, first: Json])[] = [
    ["conversation", "name", await ask("conversation")],
    ["conversation", "resource/credits", await grant()],
    ["page", "login", await ask("page")],
    ["sampling", "model", await ask("sampling")],
    ["rooted", "roots", await ask("rooted")],
  ];
  for (const [tool, key, first] of cases) {
    const again = await ask(tool, { requestState: first["requestState"], inputResponses: { [key]: 7 } });
    const { params: { _meta: before, message: question, ...asked } } = questionsOf(first)[key] ?? { params: {} };
    const { params: { _meta: meta, message, ...rest } } = questionsOf(again)[key] ?? { params: {} };
    const refused = `the answer to "${key.replace("resource/", "")}" is refused: ` +
      "An answer is { action: accept, decline or cancel, content }";
    deepStrictEqual(rest, asked, key);
    deepStrictEqual(meta, { ...before as Json | undefined, refused }, key);
    strictEqual(message, question && `${question} (${refused})`, key);
  }
});

test("2026-07-28: states are of one call, and cannot be changed", async () => {
  const first = await callModern(server, "conversation", {}, { capabilities: ALL });
  const state = String(first["requestState"]);
  const cases: readonly (readonly [name: string, args: Json, requestState: unknown])[] = [
    ["conversation", {}, `${state.slice(0, -4)}AAAA`],
    ["conversation", { x: 1 }, state],
    ["sampling", {}, state],
    ["conversation", {}, "cont_"],
    ["conversation", {}, 5],
  ];
  for (const [name, args, requestState] of cases) {
    const params = { name, arguments: args, requestState, inputResponses: {} };
    const { status, last } = await modern(server, "tools/call", params, { capabilities: ALL });
    deepStrictEqual([status, last.error?.code], [200, -32602], name);
  }
});

test("2026-07-28: models, folders and pages are asked for", async () => {
  const sampled = await callModern(server, "sampling", {}, { capabilities: ALL });
  const requests = sampled["inputRequests"] as Readonly<Record<string, Json>>;
  deepStrictEqual(requests["model"], {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 },
  });
  const stated = { role: "assistant", content: { type: "text", text: "Ho" }, model: "m-1", stopReason: "endTurn" };
  const after = await callModern(server, "sampling", {}, {
    capabilities: ALL,
    more: { requestState: sampled["requestState"], inputResponses: { model: stated } },
  });
  strictEqual(textOf(after), "m-1 said something");

  const rooted = await callModern(server, "rooted", {}, { capabilities: ALL });
  deepStrictEqual(rooted["inputRequests"], { roots: { method: "roots/list", params: {} } });
  const folders = await callModern(server, "rooted", {}, {
    capabilities: ALL,
    more: { requestState: rooted["requestState"], inputResponses: { roots: { roots: [{ uri: "file:///a" }] } } },
  });
  deepStrictEqual(folders["structuredContent"], ["file:///a"]);

  const page = await callModern(server, "page", {}, { capabilities: ALL });
  deepStrictEqual(page["inputRequests"], {
    login: {
      method: "elicitation/create",
      params: { mode: "url", message: "Log in", url: "https://example.com/login" },
    },
  });
});

test("2026-07-28: a client is not asked for what it has not declared", async () => {
  const cases: readonly (readonly [name: string, capabilities: Json, missing: Json])[] = [
    ["conversation", {}, { elicitation: { form: {} } }],
    ["conversation", { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ["page", { elicitation: {} }, { elicitation: { url: {} } }],
    ["sampling", { elicitation: {} }, { sampling: {} }],
    ["rooted", { elicitation: {} }, { roots: {} }],
  ];
  for (const [name, capabilities, requiredCapabilities] of cases) {
    const { status, last } = await modern(server, "tools/call", { name }, { capabilities });
    deepStrictEqual([status, last.error?.code], [400, -32021], name);
    deepStrictEqual(last.error?.data, { requiredCapabilities });
    const [[capability, features]] = Object.entries(requiredCapabilities) as [[string, Json]];
    const named = [capability, ...Object.keys(features).map((feature) => `(${feature})`)].join(" ");
    ok(
      last.error?.message.includes(`has not declared the capability ${named}: declare it in _meta`),
      last.error?.message,
    );
  }
  strictEqual(
    (await callModern(server, "conversation", {}, { capabilities: { elicitation: {} } }))["resultType"],
    "input_required",
  );
});

test("2026-07-28: a question that is no form is the server's fault", async () => {
  const { last } = await modern(server, "tools/call", { name: "nested_form" }, { capabilities: ALL });
  match(String(last.error?.message), /^Internal error/);
});

test("2026-07-28: prompts ask, too", async () => {
  const params = { name: "asking" };
  const { last } = await modern(server, "prompts/get", params, { capabilities: ALL });
  strictEqual(last.result?.["resultType"], "input_required");
  const inputResponses = { topic: { action: "accept", content: { topic: "whales" } } };
  const more = { ...params, requestState: last.result?.["requestState"], inputResponses };
  const { last: given } = await modern(server, "prompts/get", more, { capabilities: ALL });
  deepStrictEqual(given.result?.["messages"], [{ role: "user", content: { type: "text", text: "whales" } }]);
});

/** Calls a tool over a stream, and answers what the server asks there. */
async function converse(
  asked: ReturnType<typeof createFixture>,
  name: string,
  session: string | undefined,
  replies: (message: Message) => Json | undefined,
): Promise<{ readonly last: Message; readonly questions: Message[] }> {
  const headers = {
    "mcp-protocol-version": "2025-11-25",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const body = { jsonrpc: "2.0", id: "call", method: "tools/call", params: { name } };
  const reader = new StreamReader(await post(asked, body, headers));
  const questions: Message[] = [];
  for (let count = 0; count < 20; count++) {
    const message = await reader.nextMessage();
    if (message.id === "call" && message.method === undefined) return { last: message, questions };
    questions.push(message);
    const reply = replies(message);
    if (reply === undefined) continue;
    const response = await post(asked, { jsonrpc: "2.0", id: message.id, ...reply }, headers);
    strictEqual(response.status, 202);
    await response.text();
  }
  throw new Error("Asked too often");
}

/** Answers questions by what they say. */
function reply({ params }: Message): Json {
  const message = String(params?.["message"]);
  const key = message.startsWith("Who") ? "name" : message.startsWith("Which") ? "color" : "resource/credits";
  return { result: REPLIES[key] };
}

for (const hasSessions of [true, false]) {
  const skip = runtime === "workerd" && "a request's stream is not another request's to write to";
  const words = hasSessions ? "in a session" : "without a session";

  test(`2025-11-25, ${words}: the same handler is asked over the open stream`, { skip }, async () => {
    const asked = createFixture(hasSessions ? { sessions: mcpSessions() } : {});
    const { session } = await initialize(asked, "2025-11-25", ALL);
    strictEqual(session !== undefined, hasSessions);
    const { last, questions } = await converse(asked, "conversation", session, reply);
    deepStrictEqual(questions.map(({ method }) => method), Array(3).fill("elicitation/create"));
    deepStrictEqual(textOf(last.result), "Ada likes red");
  });

  test(
    `2025-11-25, ${words}: a client that cannot answer says so, and the call goes on or ends`,
    { skip },
    async () => {
      const asked = createFixture(hasSessions ? { sessions: mcpSessions() } : {});
      const { session } = await initialize(asked, "2025-11-25", ALL);
      const refused = await converse(asked, "sampling", session, () => ({ error: { code: -1, message: "no" } }));
      deepStrictEqual(textOf(refused.last.result), "decline");
      const failed = await converse(asked, "sampling", session, () => ({ error: { code: -32601, message: "what?" } }));
      strictEqual(failed.last.result?.["isError"], true);
      const [problem = "", advice] = textOf(failed.last.result).split("what?");
      match(problem, /could not answer sampling\/createMessage: $/);
      // In a session it is known that the client has declared the capability.
      if (hasSessions) strictEqual(advice, "");
      else {match(
          advice ?? "",
          /^\. It has to declare the capability sampling in initialize, .*; use a client that does$/,
        );}
    },
  );

  test(`2025-11-25, ${words}: a page that was gone to is done when the call is`, { skip }, async () => {
    const asked = createFixture(hasSessions ? { sessions: mcpSessions() } : {});
    const { session } = await initialize(asked, "2025-11-25", ALL);
    const goTo = (action: string) =>
      converse(asked, "page", session, ({ method }) => {
        return method === "elicitation/create" ? { result: { action } } : undefined;
      });
    const { last, questions: [question, complete, ...others] } = await goTo("accept");
    const { elicitationId } = question?.params ?? {};
    ok(typeof elicitationId === "string");
    deepStrictEqual([complete?.method, complete?.params], ["notifications/elicitation/complete", { elicitationId }]);
    deepStrictEqual([others, textOf(last.result)], [[], "accept"]);
    strictEqual((await goTo("decline")).questions.length, 1);
  });

  test(`2025-11-25, ${words}: a client that is silent is not waited for forever`, { skip }, async () => {
    const asked = createFixture({ askTimeoutMs: 20, ...(hasSessions && { sessions: mcpSessions() }) });
    const { session } = await initialize(asked, "2025-11-25", ALL);
    const { last } = await converse(asked, "sampling", session, () => undefined);
    strictEqual((last.result?.["_meta"] as Json)["toolwire/code"], "deadline_exceeded");
  });
}

test("2025-11-25: who is asked as the server closes is not waited for", {
  skip: runtime === "workerd" && "a request's stream is not another request's to write to",
}, async () => {
  const asked = createFixture({ sessions: mcpSessions() });
  const { session } = await initialize(asked, "2025-11-25", ALL);
  let closing: Promise<void> | undefined;
  const { last, questions } = await converse(asked, "sampling", session, () => {
    closing = asked.close();
    return undefined;
  });
  strictEqual(questions.length, 1);
  strictEqual(last.result?.["isError"], true);
  await closing;
});

test("2025-11-25: a client that has not declared it, or reads no stream, gets the error at once", async () => {
  const asked = createFixture({ sessions: mcpSessions() });
  const { session } = await initialize(asked, "2025-11-25", {});
  const { last } = await legacy(asked, "tools/call", { name: "sampling" }, { session });
  strictEqual(last.result?.["isError"], true);
  match(
    textOf(last.result),
    /cannot be asked\. It has to declare the capability sampling in initialize, .*; use a client/,
  );
  const able = await initialize(asked, "2025-11-25", ALL);
  const headers = { accept: "application/json" };
  const mute = await legacy(asked, "tools/call", { name: "sampling" }, { session: able.session, headers });
  match(textOf(mute.last.result), /accepts no stream: send Accept: application\/json, text\/event-stream$/);
  const alone = await legacy(server, "tools/call", { name: "sampling" }, { headers });
  ok(alone.last.result?.["isError"]);
});
