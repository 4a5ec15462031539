/** The AI SDK with models of other vendors than in `examples/agents`. */
import { type AgentSource, aiSdkTools } from "../../../../src/entries/agents.ts";
import { loadExample, loadModule, type Script, type StartModel } from "../frameworks.ts";
import type { JsonRecord } from "./apis.ts";
import { requestsOf } from "./viewed_adapter.ts";

type Run = (source: AgentSource, script: Script, options: object) => Promise<readonly JsonRecord[]>;
type Provider = (options: object) => (model: string) => object;

/** `generateText` with Anthropic. */
export const runAiSdkAnthropic: Run = async (source, script, options) => {
  const { createAnthropic } = await loadModule("@ai-sdk/anthropic/dist/index.js") as {
    readonly createAnthropic: Provider;
  };
  const service = await (await loadExample("scripted/anthropic.ts", "startAnthropic") as StartModel)(script);
  const model = createAnthropic({ baseURL: `${service.url}/v1`, apiKey: "none" })("scripted");
  return await generate(model, service, source, script, options);
};

/** `generateText` with Gemini. */
export const runAiSdkGoogle: Run = async (source, script, options) => {
  const { createGoogleGenerativeAI } = await loadModule("@ai-sdk/google/dist/index.js") as {
    readonly createGoogleGenerativeAI: Provider;
  };
  const service = await (await loadExample("scripted/google.ts", "startGoogle") as StartModel)(script);
  const name = String(await loadExample("scripted/google.ts", "MODEL"));
  const model = createGoogleGenerativeAI({ baseURL: `${service.url}/v1beta`, apiKey: "none" })(name);
  return await generate(model, service, source, script, options);
};

async function generate(
  model: object,
  service: Awaited<ReturnType<StartModel>>,
  ...[source, script, options]: Parameters<Run>
): Promise<readonly JsonRecord[]> {
  const { generateText, stepCountIs } = await loadModule("ai/dist/index.js") as {
    readonly generateText: (options: object) => Promise<unknown>;
    readonly stepCountIs: (count: number) => unknown;
  };
  try {
    const tools = await aiSdkTools(source, options);
    await generateText({ model, tools, prompt: "Plan a weekend", stopWhen: stepCountIs(10), maxRetries: 0 });
    return await requestsOf(script);
  } finally {
    await service.close();
  }
}
