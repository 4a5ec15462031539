/** Frameworks with a model of another vendor than in `examples/agents`: what a model gets of an answer depends on both. */
import type { AgentSource } from "../../../../src/integrations/agents/mod.ts";
import { langchainTools } from "../../../../src/integrations/agents/mod.ts";
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
  const { DynamicStructuredTool } = await loadModule("@langchain/core/dist/tools/index.js") as {
    readonly DynamicStructuredTool: Make;
  };
  try {
    const tools = (await langchainTools(source, options)).map((tool) => new DynamicStructuredTool(tool));
    await createAgent({ model, tools }).invoke({ messages: [{ role: "user", content: "Plan a weekend" }] });
    return await requestsOf(script);
  } finally {
    await service.close();
  }
}
