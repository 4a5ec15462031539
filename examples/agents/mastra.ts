/**
 * An agent of Mastra, with the tools of any server.
 *
 * @module
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { type AgentSource, type ApprovalOptions, mastraTools } from "jsr:@toolwire/toolwire/agents";
import { startAnthropic } from "./scripted/anthropic.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runMastra(
  source: AgentSource,
  script: Script,
  options?: ApprovalOptions,
): Promise<string> {
  const service = await startAnthropic(script);
  try {
    const anthropic = createAnthropic({ baseURL: `${service.url}/v1`, apiKey: "none" });
    const tools = (await mastraTools(source, options)).map((one) => [one.id, createTool(one)] as const);
    const agent = new Agent({
      id: "travel-agent",
      name: "Travel agent",
      instructions: "You plan travels.",
      model: anthropic("scripted") as never, // a hosted model needs no more than its name: "anthropic/…"; its type is of another version
      maxRetries: 0,
      tools: Object.fromEntries(tools),
    });
    const { text } = await agent.generate("Plan a weekend in Paris", { maxSteps: 10 });
    return text;
  } finally {
    await service.close();
  }
}
