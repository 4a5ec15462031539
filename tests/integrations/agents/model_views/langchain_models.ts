/** LangChain with models of other vendors than in `examples/agents`, and a graph without its agent: what a model gets depends on both. */
import { type AgentSource, langchainTools } from "../../../../src/entries/agents.ts";
import { loadExample, loadModule, type Script, type StartModel } from "../frameworks.ts";
import { requestsOf } from "./viewed_adapter.ts";
import type { JsonRecord } from "./apis.ts";

type Make = new (options: object) => object;
type Run = (source: AgentSource, script: Script, options: object) => Promise<readonly JsonRecord[]>;

/** `createAgent` of LangChain with a model of OpenAI, through one of its interfaces. */
export function runLangChainOpenAi(useResponsesApi: boolean): Run {
  return async (source, script, options) => {
    const { ChatOpenAI } = await loadModule("@langchain/openai/dist/index.js") as { readonly ChatOpenAI: Make };
    const service = await start("openai.ts", "startOpenAi", script);
    const configuration = { baseURL: service.url };
    const model = new ChatOpenAI({ model: "scripted", apiKey: "none", configuration, maxRetries: 0, useResponsesApi });
    return await runLangChain(model, service, source, script, options);
  };
}

/** `createAgent` of LangChain with Gemini. */
export const runLangChainGoogle: Run = async (source, script, options) => {
  const { ChatGoogle } = await loadModule("@langchain/google/dist/index.js") as { readonly ChatGoogle: Make };
  const service = await start("google.ts", "startGoogle", script);
  const name = await loadExample("scripted/google.ts", "MODEL");
  const model = new ChatGoogle({ model: name, apiKey: "none", endpoint: service.url, maxRetries: 0 });
  return await runLangChain(model, service, source, script, options);
};

type Service = Awaited<ReturnType<StartModel>>;

async function start(file: string, exported: string, script: Script): Promise<Service> {
  return await (await loadExample(`scripted/${file}`, exported) as StartModel)(script);
}

async function runLangChain(model: object, service: Service, ...[source, script, options]: Parameters<Run>) {
  const { createAgent } = await loadModule("langchain/dist/index.js") as {
    readonly createAgent: (of: object) => { invoke(input: object): Promise<unknown> };
  };
  try {
    await createAgent({ model, tools: await toolsOf(source, options) }).invoke({
      messages: [{ role: "user", content: "Plan a weekend" }],
    });
    return await requestsOf(script);
  } finally {
    await service.close();
  }
}

interface GraphBuilder {
  addNode(name: string, node: unknown): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  addConditionalEdges(from: string, choose: unknown): GraphBuilder;
  compile(): { invoke(input: object): Promise<unknown> };
}

interface BoundModel {
  invoke(messages: unknown): Promise<unknown>;
}

/** A graph of LangGraph with its `ToolNode`, and a model of Anthropic. */
export const runLangGraph: Run = async (source, script, options) => {
  const { StateGraph, MessagesAnnotation } = await loadModule("@langchain/langgraph/dist/index.js") as {
    readonly StateGraph: new (state: unknown) => GraphBuilder;
    readonly MessagesAnnotation: unknown;
  };
  const { ToolNode, toolsCondition } = await loadModule("@langchain/langgraph/dist/prebuilt/index.js") as {
    readonly ToolNode: new (tools: readonly object[]) => object;
    readonly toolsCondition: unknown;
  };
  const { ChatAnthropic } = await loadModule("@langchain/anthropic/dist/index.js") as { readonly ChatAnthropic: Make };
  const service = await start("anthropic.ts", "startAnthropic", script);
  try {
    const model = new ChatAnthropic({ model: "scripted", apiKey: "none", anthropicApiUrl: service.url, maxRetries: 0 });
    const tools = await toolsOf(source, options);
    const bound = (model as { bindTools(of: readonly object[]): BoundModel }).bindTools(tools);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }: JsonRecord) => ({ messages: [await bound.invoke(messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "model").addConditionalEdges("model", toolsCondition).addEdge("tools", "model");
    await graph.compile().invoke({ messages: [{ role: "user", content: "Plan a weekend" }] });
    return await requestsOf(script);
  } finally {
    await service.close();
  }
};

async function toolsOf(source: AgentSource, options: object): Promise<readonly object[]> {
  const { DynamicStructuredTool } = await loadModule("@langchain/core/dist/tools/index.js") as {
    readonly DynamicStructuredTool: Make;
  };
  return (await langchainTools(source, options)).map((tool) => new DynamicStructuredTool(tool));
}
