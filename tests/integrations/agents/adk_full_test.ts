/** What Google's Agent Development Kit has beside answers: operations that run long, sessions, and agents in one request. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { adkTools, type AgentSource, type ApprovalOptions } from "../../../src/entries/agents.ts";
import { loadExample, loadModule, type Script, skip, type StartModel } from "./frameworks.ts";
import { GEMINI, type JsonRecord } from "./model_views/apis.ts";
import { PNG } from "./model_views/tools.ts";

interface AdkEvent {
  readonly longRunningToolIds?: readonly string[];
  readonly content?: { readonly parts?: readonly { readonly functionResponse?: JsonRecord }[] };
}

interface AdkPackage {
  readonly FunctionTool: new (options: object) => object;
  readonly Gemini: new (options: object) => object;
  readonly LlmAgent: new (options: object) => object;
  readonly InMemoryRunner: new (options: object) => {
    readonly sessionService: { createSession(of: object): Promise<{ readonly id: string }> };
    runAsync(turn: object): AsyncIterable<AdkEvent>;
  };
  readonly LogLevel: { readonly ERROR: number };
  readonly setLogLevel: (level: number) => void;
}

/** Opens a session with an agent: a function that sends the parts of a message, and returns the events. */
async function openSession(source: AgentSource, script: Script, options: ApprovalOptions = {}) {
  const adk = await loadModule("@google/adk/dist/esm/index.js") as unknown as AdkPackage;
  const startGoogle = await loadExample("scripted/google.ts", "startGoogle") as StartModel;
  const model = await loadExample("scripted/google.ts", "MODEL");
  const requestsOf = await loadExample("scripted/loopback.ts", "requestsOf") as (of: Script) => readonly JsonRecord[];
  adk.setLogLevel(adk.LogLevel.ERROR);
  const service = await startGoogle(script);
  class ScriptedGemini extends adk.Gemini {
    getHttpOptions() {
      return { baseUrl: service.url };
    }
  }
  const agent = new adk.LlmAgent({
    name: "baker",
    model: new ScriptedGemini({ model, apiKey: "none" }),
    tools: (await adkTools(source, options)).map((tool) => new adk.FunctionTool(tool)),
  });
  const runner = new adk.InMemoryRunner({ agent, appName: "bakery" });
  const { id: sessionId } = await runner.sessionService.createSession({ appName: "bakery", userId: "ada" });
  return {
    async send(...parts: object[]): Promise<AdkEvent[]> {
      const events: AdkEvent[] = [];
      for await (
        const event of runner.runAsync({ userId: "ada", sessionId, newMessage: { role: "user", parts } })
      ) events.push(event);
      return events;
    },
    requests: () => requestsOf(script),
    close: () => service.close(),
  };
}

const bake = defineTool("bake").describe("Bake a cake").promise({ budgetMs: 1, retries: 0 }).handle(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return "a cake";
});

test("a promised call is an operation that runs long, whose result comes later", { skip }, async () => {
  const server = createServer({ tools: [bake] });
  const session = await openSession(server, [[{ name: "bake", args: {} }]], { promises: "shown" });
  const events = await session.send({ text: "Bake a cake" });
  deepStrictEqual(events.flatMap(({ longRunningToolIds = [] }) => longRunningToolIds), ["call_0_0"]);
  const [pending] = events.flatMap(({ content }) =>
    content?.parts?.flatMap(({ functionResponse }) => functionResponse === undefined ? [] : [functionResponse]) ?? []
  );
  const { status, promise } = pending?.["response"] as JsonRecord;
  strictEqual(status, "pending");
  const result = await createClient(memoryTransport(server)).$.redeem(String(promise)).result();
  await session.send({ functionResponse: { id: "call_0_0", name: "bake", response: { result } } });
  strictEqual(GEMINI.result(session.requests().at(-1) ?? {})?.text, "a cake");
  await session.close();
  await server.close();
});

test("without promises: shown, the call is awaited and does not run long", { skip }, async () => {
  const server = createServer({ tools: [bake] });
  const session = await openSession(server, [[{ name: "bake", args: {} }]]);
  const events = await session.send({ text: "Bake a cake" });
  deepStrictEqual(events.flatMap(({ longRunningToolIds = [] }) => longRunningToolIds), []);
  strictEqual(GEMINI.result(session.requests().at(-1) ?? {})?.text, "a cake");
  await session.close();
  await server.close();
});

test("files of two calls at once, and of an earlier turn, are in each request once", { skip }, async () => {
  const photo = (name: string) =>
    defineTool(name).describe("Take a photo").handle(() => [{ type: "image", data: PNG, mimeType: "image/png" }]);
  const server = createServer({ tools: [photo("front"), photo("back")] });
  const call = (name: string) => ({ name, args: {} });
  const session = await openSession(server, [[call("front"), call("back")], [call("front")]]);
  await session.send({ text: "Take photos" });
  await session.send({ text: "Thank you" });
  const contents = session.requests().at(-1)?.["contents"] as readonly { readonly parts: readonly JsonRecord[] }[];
  const shown = contents.flatMap(({ parts }) => parts).filter(({ inlineData }) => inlineData !== undefined);
  deepStrictEqual(shown, Array(3).fill({ inlineData: { mimeType: "image/png", data: PNG } }));
  const texts = contents.flatMap(({ parts }) => parts).flatMap(({ text }) => text === undefined ? [] : [String(text)]);
  deepStrictEqual(
    texts.filter((text) => text.startsWith("Files")).map((text) => /of (\w+):$/.exec(text)?.[1]),
    ["front", "back", "front"],
  );
  ok(!texts.join("").includes(PNG));
  match(JSON.stringify(contents), /image\/png, \d+ bytes/);
  await session.close();
  await server.close();
});
