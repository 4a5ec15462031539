/**
 * An agent of TanStack AI, with the tools of any server.
 *
 * @module
 */
import { chat, maxIterations } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import { type AgentSource, type ApprovalOptions, tanstackTools } from "jsr:@toolwire/toolwire/agents";
import { startAnthropic } from "./scripted/anthropic.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runTanStack(
  source: AgentSource,
  script: Script,
  options?: ApprovalOptions,
): Promise<string> {
  const service = await startAnthropic(script);
  try {
    return await chat({
      adapter: createAnthropicChat("claude-opus-4-6", "none", { baseURL: service.url, maxRetries: 0 }),
      messages: [{ role: "user", content: "Plan a weekend in Paris" }],
      tools: await tanstackTools(source, options),
      agentLoopStrategy: maxIterations(10),
      stream: false,
    });
  } finally {
    await service.close();
  }
}
