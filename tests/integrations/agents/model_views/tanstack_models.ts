/** TanStack AI with models of other vendors than in `examples/agents`. */
import { type AgentSource, tanstackTools } from "../../../../src/entries/agents.ts";
import { loadExample, loadModule, type Script, type StartModel } from "../frameworks.ts";
import type { JsonRecord } from "./apis.ts";
import { requestsOf } from "./viewed_adapter.ts";

type Run = (source: AgentSource, script: Script, options: object) => Promise<readonly JsonRecord[]>;
type CreateAdapter = (model: string, apiKey: string, config: object) => object;

/** `chat` with a model of OpenAI, through the adapter of one of its interfaces. */
export function runTanStackOpenAi(create: "createOpenaiChat" | "createOpenaiChatCompletions"): Run {
  return async (source, script, options) => {
    const { [create]: adapterOf } = await loadModule("@tanstack/ai-openai/dist/esm/index.js");
    const service = await (await loadExample("scripted/openai.ts", "startOpenAi") as StartModel)(script);
    const adapter = (adapterOf as CreateAdapter)("gpt-5.2", "none", { baseURL: service.url, maxRetries: 0 });
    return await runChat(adapter, service, source, script, options);
  };
}

type StartGoogle = (script: Script, model: string) => ReturnType<StartModel>;

/** `chat` with Gemini. */
export const runTanStackGoogle: Run = async (source, script, options) => {
  const { createGeminiChat } = await loadModule("@tanstack/ai-gemini/dist/esm/index.js");
  const model = "gemini-3.1-pro-preview";
  const service = await (await loadExample("scripted/google.ts", "startGoogle") as StartGoogle)(script, model);
  const adapter = (createGeminiChat as CreateAdapter)(model, "none", { baseURL: service.url });
  return await runChat(adapter, service, source, script, options);
};

async function runChat(
  adapter: object,
  service: Awaited<ReturnType<StartModel>>,
  ...[source, script, options]: Parameters<Run>
): Promise<readonly JsonRecord[]> {
  const { chat, maxIterations } = await loadModule("@tanstack/ai/dist/esm/index.js") as {
    readonly chat: (options: object) => Promise<string>;
    readonly maxIterations: (count: number) => unknown;
  };
  try {
    await chat({
      adapter,
      messages: [{ role: "user", content: "Plan a weekend" }],
      tools: await tanstackTools(source, options),
      agentLoopStrategy: maxIterations(10),
      stream: false,
    });
    return await requestsOf(script);
  } finally {
    await service.close();
  }
}
