/**
 * An agent of OpenAI's Agents SDK, with the tools of any server.
 *
 * @module
 */
import { Agent, OpenAIResponsesModel, Runner, tool, toolSearchTool } from "@openai/agents";
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
    const tools = await openaiAgentsTools(source, { ...options, toolSearch: tool });
    const openai = new OpenAI({ baseURL: service.url, apiKey: "none", maxRetries: 0 });
    const agent = new Agent({
      name: "Travel agent",
      model: new OpenAIResponsesModel(openai, "scripted"), // a hosted model needs no more than its name: model: "…"
      tools: [...tools.map((one) => tool(one)), ...tools.search.map((one) => toolSearchTool(one))],
    });
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "Plan a weekend in Paris");
    return String(finalOutput);
  } finally {
    await service.close();
  }
}
