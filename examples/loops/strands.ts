/**
 * An agent of Strands, with the tools of any server: its tools are functions.
 *
 * @module
 */
import Anthropic from "@anthropic-ai/sdk";
import { Agent, FunctionTool } from "@strands-agents/sdk";
import { AnthropicModel } from "@strands-agents/sdk/models/anthropic";
import { type AgentSource, functionTools, type LoopOptions } from "jsr:@toolwire/toolwire/agents";
import { startAnthropic } from "../agents/scripted/anthropic.ts";
import type { Script } from "../agents/scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runStrands(source: AgentSource, script: Script, options: LoopOptions = {}): Promise<string> {
  const service = await startAnthropic(script);
  try {
    // A hosted model needs no more than its name: new AnthropicModel({ modelId }).
    const client = new Anthropic({ baseURL: service.url, apiKey: "none", maxRetries: 0 });
    const model = new AnthropicModel({ modelId: "scripted", client, maxTokens: 1000 });
    const functions = await functionTools(source, { media: [], ...options });
    const tools = functions.map(({ name, description, parameters: inputSchema, execute }) =>
      new FunctionTool({ name, description, inputSchema, callback: async (input) => String(await execute(input)) })
    );
    const agent = new Agent({ model, tools, printer: false });
    return String(await agent.invoke("Plan a weekend in Paris"));
  } finally {
    await service.close();
  }
}
