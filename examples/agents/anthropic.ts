/**
 * An agent of Anthropic's Messages, with the tools of any server.
 *
 * @module
 */
import Anthropic from "@anthropic-ai/sdk";
import { type AgentOptions, type AgentSource, anthropicTools } from "jsr:@toolwire/toolwire/agents";
import { startAnthropic } from "./scripted/anthropic.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runAnthropic(
  source: AgentSource,
  script: Script,
  options?: AgentOptions,
): Promise<string> {
  // A hosted model needs no more than a key: new Anthropic().
  const model = await startAnthropic(script);
  try {
    const anthropic = new Anthropic({
      baseURL: model.url,
      apiKey: "none",
      maxRetries: 0,
    });
    const { tools, run } = await anthropicTools(source, options);
    const messages: Anthropic.MessageParam[] = [{
      role: "user",
      content: "Plan a weekend in Paris",
    }];
    for (let round = 0; round < 10; round++) {
      const { content } = await anthropic.messages.create({
        model: "scripted",
        max_tokens: 1000,
        messages,
        tools,
      });
      const results = await run(content);
      if (results.length === 0) {
        return content.map((block) => block.type === "text" ? block.text : "")
          .join("");
      }
      messages.push({ role: "assistant", content }, {
        role: "user",
        content: results,
      });
    }
    throw new Error("The model does not come to an end");
  } finally {
    await model.close();
  }
}
