/** What LangChain and LangGraph have beside answers: features of vendors in `extras`, the vendors' tool search, and interrupts. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { type AgentSource, type LangChainOptions, langchainTools } from "../../../src/entries/agents.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import * as v from "../../../src/entries/schema.ts";
import { loadExample, loadModule, type Script, skip, type StartModel } from "./frameworks.ts";
import { GEMINI, type JsonRecord, MESSAGES } from "./model_views/apis.ts";
import { runLangChainGoogle } from "./model_views/langchain_models.ts";
import { requestsOf } from "./model_views/viewed_adapter.ts";

type Make = new (options: object) => object;

interface Agent {
  invoke(input: object, config?: object): Promise<{ readonly __interrupt__?: readonly { readonly value: unknown }[] }>;
}

interface Packages {
  readonly createAgent: (of: object) => Agent;
  readonly humanInTheLoopMiddleware: (of: object) => object;
  readonly providerToolSearchMiddleware: () => object;
  readonly Command: Make;
  readonly MemorySaver: new () => object;
}

async function load(): Promise<Packages> {
  const langchain = await loadModule("langchain/dist/index.js");
  const langgraph = await loadModule("@langchain/langgraph/dist/index.js");
  return { ...langchain, ...langgraph } as unknown as Packages;
}

async function toolsOf(source: AgentSource, options: LangChainOptions): Promise<object[]> {
  const { DynamicStructuredTool } = await loadModule("@langchain/core/dist/tools/index.js") as {
    readonly DynamicStructuredTool: Make;
  };
  return (await langchainTools(source, options)).map((tool) => new DynamicStructuredTool(tool));
}

async function openAnthropic(script: Script) {
  const startAnthropic = await loadExample("scripted/anthropic.ts", "startAnthropic") as StartModel;
  const { ChatAnthropic } = await loadModule("@langchain/anthropic/dist/index.js") as { readonly ChatAnthropic: Make };
  const service = await startAnthropic(script);
  const model = new ChatAnthropic({ model: "scripted", apiKey: "none", anthropicApiUrl: service.url, maxRetries: 0 });
  return { model, close: () => service.close() };
}

async function openResponses(script: Script) {
  const startOpenAi = await loadExample("scripted/openai.ts", "startOpenAi") as StartModel;
  const { ChatOpenAI } = await loadModule("@langchain/openai/dist/index.js") as { readonly ChatOpenAI: Make };
  const service = await startOpenAi(script);
  const configuration = { baseURL: service.url };
  const options = { model: "scripted", apiKey: "none", configuration, maxRetries: 0, useResponsesApi: true };
  return { model: new ChatOpenAI(options), close: () => service.close() };
}

const messages = [{ role: "user", content: "Do it" }];

const label = defineTool("label").describe("Set the label of a shelf")
  .input(v.object({ label: v.string() })).examples([{ input: { label: "history" } }]).handle(({ label }) =>
    `label ${label}`
  );
const move = defineTool("move").describe("Move a shelf").handle(() => "moved");
const shelves = () => createServer({ tools: [label, move], logger: false });

describe("vendor: anthropic", { skip }, () => {
  test("examples and strict mode are in the vendor's fields, and not in the schema", async () => {
    const server = shelves();
    const script: Script = [[{ name: "label", args: { label: "art" } }]];
    const { model, close } = await openAnthropic(script);
    const { createAgent } = await load();
    const tools = await toolsOf(server, { vendor: "anthropic", strict: true });
    await createAgent({ model, tools }).invoke({ messages });
    const [first, last] = await requestsOf(script);
    const [sent] = first?.["tools"] as JsonRecord[];
    const { input_examples, strict, input_schema } = sent ?? {};
    deepStrictEqual([input_examples, strict], [[{ label: "history" }], true]);
    strictEqual(JSON.stringify(input_schema).includes("history"), false);
    strictEqual(MESSAGES.result(last ?? {})?.text, "label art");
    await close();
    await server.close();
  });

  test("without it other vendors get the examples in the schema", async () => {
    const server = shelves();
    const [tool] = await langchainTools(server);
    deepStrictEqual([tool?.extras, tool?.schema["examples"]], [undefined, [{ label: "history" }]]);
    await server.close();
  });
});

describe("toolSearch", { skip }, () => {
  const script = (): Script => [[{ name: "label", args: { label: "art" } }]];

  test("Anthropic's search finds the deferred tools, which are called by their names", async () => {
    const server = shelves();
    const calls = script();
    const { model, close } = await openAnthropic(calls);
    const { createAgent, providerToolSearchMiddleware } = await load();
    const tools = await toolsOf(server, { defer: "all", toolSearch: true, alwaysLoad: ["move"], vendor: "anthropic" });
    await createAgent({ model, tools, middleware: [providerToolSearchMiddleware()] }).invoke({ messages });
    const [first, last] = await requestsOf(calls);
    const sent = (first?.["tools"] as JsonRecord[]).map(({ name, defer_loading }) => [name, defer_loading]);
    deepStrictEqual(sent, [["move", undefined], ["label", true], ["tool_search_tool_bm25", undefined]]);
    strictEqual(MESSAGES.result(last ?? {})?.text, "label art");
    await close();
    await server.close();
  });

  test("so does OpenAI's, with Responses", async () => {
    const server = shelves();
    const calls = script();
    const { model, close } = await openResponses(calls);
    const { createAgent, providerToolSearchMiddleware } = await load();
    const tools = await toolsOf(server, { defer: "all", toolSearch: true });
    await createAgent({ model, tools, middleware: [providerToolSearchMiddleware()] }).invoke({ messages });
    const [first] = await requestsOf(calls);
    const sent = (first?.["tools"] as JsonRecord[]).map(({ type, name, defer_loading }) => [type, name, defer_loading]);
    deepStrictEqual(sent, [["function", "label", true], ["function", "move", true], [
      "tool_search",
      undefined,
      undefined,
    ]]);
    await close();
    await server.close();
  });
});

describe("definitions in schemas", { skip }, () => {
  const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
  const serve = (input: Record<string, unknown>) => {
    const draw = defineTool("draw").describe("Draw a line").input(jsonSchema<{ from: { x: number } }>(input))
      .handle(({ from }) => `drawn from ${from.x}`);
    return createServer({ tools: [draw], logger: false });
  };

  test("are put in place, as the package of Google throws for references", async () => {
    const reference = { $ref: "#/$defs/point" };
    const server = serve({
      type: "object",
      properties: { from: { ...reference, description: "Start" }, to: reference },
      required: ["from"],
      $defs: { point },
    });
    const script: Script = [[{ name: "draw", args: { from: { x: 1 } } }]];
    const bodies = await runLangChainGoogle(server, script, {});
    strictEqual(GEMINI.result(bodies.at(-1) ?? {})?.text, "drawn from 1");
    ok(GEMINI.loaded(bodies[0] ?? {}).join("").includes('"description":"Start"'));
    const [tool] = await langchainTools(server);
    deepStrictEqual(tool?.schema["properties"], { from: { ...point, description: "Start" }, to: point });
    strictEqual(tool.schema["$defs"], undefined);
    await server.close();
  });

  test("that contain themselves stay", async () => {
    const node = { type: "object", properties: { x: { type: "number" }, next: { $ref: "#/$defs/node" } } };
    const server = serve({ type: "object", properties: { from: { $ref: "#/$defs/node" } }, $defs: { node } });
    const [tool] = await langchainTools(server);
    deepStrictEqual(tool?.schema["$defs"], { node });
    await server.close();
  });
});

describe("interrupts of LangGraph", { skip }, () => {
  for (const [title, options] of [["", {}], [" that is one of many", { defer: "all" }]] as const) {
    test(`a destructive tool${title} interrupts the graph, and is called once after the approval`, async () => {
      const dropped: unknown[] = [];
      const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true })
        .input(v.object({ table: v.string() })).handle(({ table }) => {
          dropped.push(table);
          return `dropped ${table}`;
        });
      const server = createServer({ tools: [drop, move], logger: false });
      const script: Script = [[{ name: "drop", args: { table: "users" } }]];
      const { model, close } = await openAnthropic(script);
      const { createAgent, humanInTheLoopMiddleware, Command, MemorySaver } = await load();
      const agent = createAgent({
        model,
        tools: await toolsOf(server, { ...options, approve: "never" }),
        middleware: [humanInTheLoopMiddleware({ interruptOn: { drop: true } })],
        checkpointer: new MemorySaver(),
      });
      const config = { configurable: { thread_id: "1" } };
      const { __interrupt__: interrupts = [] } = await agent.invoke({ messages }, config);
      match(JSON.stringify(interrupts[0]?.value), /"drop".*"users"/);
      deepStrictEqual(dropped, []);
      await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
      deepStrictEqual(dropped, ["users"]);
      const last = MESSAGES.result((await requestsOf(script)).at(-1) ?? {});
      strictEqual(last?.text, "dropped users");
      await close();
      await server.close();
    });
  }

  test("call_tool does not pass them: the tool is called by its name alone", async () => {
    const dropped: unknown[] = [];
    const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => {
      dropped.push(1);
      return "dropped";
    });
    const server = createServer({ tools: [drop, move], logger: false });
    const script: Script = [[{ name: "call_tool", args: { name: "drop", arguments: {} } }]];
    const { model, close } = await openAnthropic(script);
    const { createAgent } = await load();
    await createAgent({ model, tools: await toolsOf(server, { defer: "all", approve: "never" }) }).invoke({ messages });
    deepStrictEqual(dropped, []);
    ok(MESSAGES.result((await requestsOf(script)).at(-1) ?? {})?.text.includes("tool_not_found"));
    await close();
    await server.close();
  });
});
