/**
 * An agent of LangChain, with the tools of any server.
 *
 * @module
 */
import { ChatAnthropic } from "@langchain/anthropic";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { type AgentSource, langchainTools, type LoopOptions } from "jsr:@toolwire/toolwire/agents";
import { createAgent } from "langchain";
import { startAnthropic } from "./scripted/anthropic.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runLangChain(
  source: AgentSource,
  script: Script,
  options?: LoopOptions,
): Promise<string> {
  const service = await startAnthropic(script);
  try {
    // A hosted model needs no more than its name: createAgent({ model: "…", tools }).
    const model = new ChatAnthropic({ model: "scripted", apiKey: "none", anthropicApiUrl: service.url, maxRetries: 0 });
    const tools = (await langchainTools(source, options)).map((tool) => new DynamicStructuredTool(tool));
    const { messages } = await createAgent({ model, tools }).invoke({
      messages: [{ role: "user", content: "Plan a weekend in Paris" }],
    });
    return messages.at(-1)!.text;
  } finally {
    await service.close();
  }
}
