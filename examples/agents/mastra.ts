/**
 * An agent of Mastra, with the tools of any server.
 *
 * @module
 */
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { type AgentSource, type ApprovalOptions, mastraTools } from "jsr:@toolwire/toolwire/agents";
import { scriptedModel } from "./scripted/ai_sdk.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runMastra(
  source: AgentSource,
  script: Script,
  options?: ApprovalOptions,
): Promise<string> {
  const tools = (await mastraTools(source, options)).map((one) => [one.id, createTool(one)] as const);
  const agent = new Agent({
    id: "travel-agent",
    name: "Travel agent",
    instructions: "You plan travels.",
    model: scriptedModel(script) as never, // or any other: "openai/…"; the types of the mock are of another version
    tools: Object.fromEntries(tools),
  });
  const { text } = await agent.generate("Plan a weekend in Paris", { maxSteps: 10 });
  return text;
}
