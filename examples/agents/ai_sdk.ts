/**
 * An agent of the AI SDK, with the tools of any server.
 *
 * @module
 */
import { generateText, stepCountIs } from "ai";
import { type AgentOptions, type AgentSource, aiSdkTools } from "jsr:@toolwire/toolwire/agents";
import { scriptedModel } from "./scripted/ai_sdk.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runAiSdk(
  source: AgentSource,
  script: Script,
  options?: AgentOptions,
): Promise<string> {
  const { text } = await generateText({
    model: scriptedModel(script), // or any other: openai("…"), anthropic("…")
    tools: await aiSdkTools(source, options),
    prompt: "Plan a weekend in Paris",
    stopWhen: stepCountIs(10),
  });
  return text;
}
