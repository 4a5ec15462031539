/** Deferred tools with OpenAI's Agents SDK: its tool search with Responses, `call_tool` with Chat Completions, and approvals after a restart. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { type AgentSource, type OpenAiAgentsOptions, openaiAgentsTools } from "../../../src/entries/agents.ts";
import { loadExample, loadModule, type Script, skip, type StartModel } from "./frameworks.ts";
import { CHAT, type JsonRecord } from "./model_views/apis.ts";

interface RunState {
  toString(): string;
  approve(interruption: object): void;
}

interface RunResult {
  readonly finalOutput?: string;
  readonly interruptions: readonly object[];
  readonly state: RunState;
}

interface AgentsPackage {
  readonly Agent: new (options: object) => object;
  readonly Runner: new (options: object) => { run(agent: object, input: string | RunState): Promise<RunResult> };
  readonly RunState: { fromString(agent: object, text: string): Promise<RunState> };
  readonly OpenAIResponsesModel: new (client: object, model: string) => object;
  readonly OpenAIChatCompletionsModel: new (client: object, model: string) => object;
  readonly tool: (options: object) => object;
  readonly toolSearchTool: (options: object) => object;
}

/** Starts a scripted model, and returns what makes agents with it. */
async function open(script: Script, isChat = false) {
  const sdk = await loadModule("@openai/agents/dist/index.mjs") as unknown as AgentsPackage;
  const { default: OpenAI } = await loadModule("openai/index.mjs") as { readonly default: new (of: object) => object };
  const startOpenAi = await loadExample("scripted/openai.ts", "startOpenAi") as StartModel;
  const requestsOf = await loadExample("scripted/loopback.ts", "requestsOf") as (of: Script) => readonly JsonRecord[];
  const service = await startOpenAi(script);
  const client = new OpenAI({ baseURL: service.url, apiKey: "none", maxRetries: 0 });
  const Model = isChat ? sdk.OpenAIChatCompletionsModel : sdk.OpenAIResponsesModel;
  return {
    sdk,
    runner: new sdk.Runner({ tracingDisabled: true }),
    requests: () => requestsOf(script),
    close: () => service.close(),
    async createAgent(source: AgentSource, options: OpenAiAgentsOptions) {
      const tools = await openaiAgentsTools(source, options);
      return new sdk.Agent({
        name: "Agent",
        model: new Model(client, "scripted"),
        tools: [...tools.map((one) => sdk.tool(one)), ...tools.search.map((one) => sdk.toolSearchTool(one))],
      });
    },
  };
}

function createLabels() {
  const dropped: string[] = [];
  const set = defineTool("set_label").describe("Set the label of a shelf").handle(() => "set");
  const drop = defineTool("drop_label").describe("Drop the label of a shelf").annotate({ destructiveHint: true })
    .handle(() => {
      dropped.push("label");
      return "dropped";
    });
  return { server: createServer({ tools: [set, drop], logger: false }), dropped };
}

test("with toolSearch no definition is sent before it is found, and then the whole of it", { skip }, async () => {
  const { server } = createLabels();
  const script = [[{ name: "search_tools", args: { query: "set label" } }], [{ name: "set_label", args: {} }]];
  const { sdk, runner, createAgent, requests, close } = await open(script);
  const agent = await createAgent(server, { defer: "all", toolSearch: sdk.tool });
  strictEqual((await runner.run(agent, "Set it")).finalOutput?.split("\n").at(-1), "set");
  const [first, second] = requests();
  deepStrictEqual((first?.["tools"] as JsonRecord[]).map(({ type, execution }) => [type, execution]), [
    ["tool_search", "client"],
  ]);
  const found = (second?.["input"] as JsonRecord[]).find(({ type }) => type === "tool_search_output");
  const [definition] = found?.["tools"] as JsonRecord[];
  const { name, description, defer_loading: deferred } = definition ?? {};
  deepStrictEqual([name, description, deferred], ["set_label", "Set the label of a shelf", true]);
  await close();
  await server.close();
});

test("a found tool waits for its approval, also in another process", { skip }, async () => {
  const { server, dropped } = createLabels();
  const script = [[{ name: "search_tools", args: { query: "drop label" } }], [{ name: "drop_label", args: {} }]];
  const { sdk, runner, createAgent, close } = await open(script);
  const options: OpenAiAgentsOptions = { defer: "all", toolSearch: sdk.tool };
  const { interruptions, state } = await runner.run(await createAgent(server, options), "Drop it");
  deepStrictEqual([interruptions.length, dropped], [1, []]);
  const agent = await createAgent(server, options);
  const restored = await sdk.RunState.fromString(agent, state.toString());
  const again = await runner.run(agent, restored);
  deepStrictEqual([again.interruptions.length, dropped], [1, []]);
  const [interruption] = again.interruptions;
  ok(interruption !== undefined);
  again.state.approve(interruption);
  match(String((await runner.run(agent, again.state)).finalOutput), /dropped$/);
  deepStrictEqual(dropped, ["label"]);
  await close();
  await server.close();
});

test("Chat Completions has no tool search: call_tool calls what was found", { skip }, async () => {
  const { server } = createLabels();
  const call = { name: "call_tool", args: { name: "set_label", arguments: {} } };
  const script = [[{ name: "search_tools", args: { query: "set label" } }], [call]];
  const { runner, createAgent, requests, close } = await open(script, true);
  await runner.run(await createAgent(server, { defer: "all" }), "Set it");
  strictEqual(CHAT.result(requests().at(-1) ?? {})?.text, "set");
  strictEqual(CHAT.loaded(requests()[0] ?? {}).length, 2);
  await close();
  await server.close();
});

test("without deferred tools there is no search", async () => {
  const { server } = createLabels();
  deepStrictEqual((await openaiAgentsTools(server, { toolSearch: (one) => one })).search, []);
  await server.close();
});
