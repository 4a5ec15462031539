/**
 * An agent of LangChain, with the tools of any server.
 *
 * @module
 */
import { DynamicStructuredTool } from "@langchain/core/tools";
import { type AgentOptions, type AgentSource, langchainTools } from "jsr:@toolwire/toolwire/agents";
import { createAgent } from "langchain";
import { scriptedModel } from "./scripted/langchain.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runLangChain(
  source: AgentSource,
  script: Script,
  options?: AgentOptions,
): Promise<string> {
  const tools = (await langchainTools(source, options)).map((tool) => new DynamicStructuredTool(tool));
  const agent = createAgent({ model: scriptedModel(script), tools }); // or any other model
  const { messages } = await agent.invoke({
    messages: [{ role: "user", content: "Plan a weekend in Paris" }],
  });
  return String(messages.at(-1)?.content);
}
