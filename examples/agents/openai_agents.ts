/**
 * An agent of OpenAI's Agents SDK, with the tools of any server.
 *
 * @module
 */
import { Agent, OpenAIResponsesModel, Runner, tool } from "@openai/agents";
import { type AgentSource, type OpenAiAgentsOptions, openaiAgentsTools } from "jsr:@toolwire/toolwire/agents";
import OpenAI from "openai";
import { startOpenAi } from "./scripted/openai.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runOpenAiAgents(
  source: AgentSource,
  script: Script,
  options?: OpenAiAgentsOptions,
): Promise<string> {
  const service = await startOpenAi(script);
  try {
    const openai = new OpenAI({ baseURL: service.url, apiKey: "none", maxRetries: 0 });
    const agent = new Agent({
      name: "Travel agent",
      model: new OpenAIResponsesModel(openai, "scripted"), // a hosted model needs no more than its name: model: "…"
      tools: (await openaiAgentsTools(source, options)).map((one) => tool(one)),
    });
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "Plan a weekend in Paris");
    return String(finalOutput);
  } finally {
    await service.close();
  }
}
