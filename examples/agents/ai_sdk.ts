/**
 * An agent of the AI SDK, with the tools of any server.
 *
 * @module
 */
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";
import { type AgentSource, aiSdkTools, type ApprovalOptions } from "jsr:@toolwire/toolwire/agents";
import { startOpenAi } from "./scripted/openai.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runAiSdk(
  source: AgentSource,
  script: Script,
  options?: ApprovalOptions,
): Promise<string> {
  // A hosted model needs no more than its name: openai("…"), anthropic("…").
  const service = await startOpenAi(script);
  try {
    const openai = createOpenAI({ baseURL: service.url, apiKey: "none" });
    const { text } = await generateText({
      model: openai.responses("scripted"),
      tools: await aiSdkTools(source, options),
      prompt: "Plan a weekend in Paris",
      stopWhen: stepCountIs(10),
      maxRetries: 0,
    });
    return text;
  } finally {
    await service.close();
  }
}
