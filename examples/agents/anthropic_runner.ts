/**
 * The tool runner of Anthropic's package, with the tools of any server. It makes the calls itself.
 *
 * @module
 */
import Anthropic from "@anthropic-ai/sdk";
import { type AnthropicOptions, anthropicTools } from "jsr:@toolwire/toolwire/agents";
import type { AgentSource } from "jsr:@toolwire/toolwire/agents";
import { startAnthropic } from "./scripted/anthropic.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runAnthropicRunner(
  source: AgentSource,
  script: Script,
  options?: AnthropicOptions,
): Promise<string> {
  // A hosted model needs no more than a key: new Anthropic().
  const model = await startAnthropic(script);
  try {
    const anthropic = new Anthropic({
      baseURL: model.url,
      apiKey: "none",
      maxRetries: 0,
    });
    const { runnable: tools } = await anthropicTools(source, options);
    const { content } = await anthropic.beta.messages.toolRunner({
      model: "scripted",
      max_tokens: 1000,
      messages: [{ role: "user", content: "Plan a weekend in Paris" }],
      tools,
    });
    return content.map((block) => block.type === "text" ? block.text : "").join(
      "",
    );
  } finally {
    await model.close();
  }
}
