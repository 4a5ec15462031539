/**
 * An agent of OpenAI's Chat Completions, with the tools of any server.
 *
 * @module
 */
import { type AgentOptions, type AgentSource, openaiTools } from "jsr:@toolwire/toolwire/agents";
import OpenAI from "openai";
import { startOpenAi } from "./scripted/openai.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runOpenAi(
  source: AgentSource,
  script: Script,
  options?: AgentOptions,
): Promise<string> {
  // A hosted model needs no more than a key: new OpenAI().
  const model = await startOpenAi(script);
  try {
    const openai = new OpenAI({
      baseURL: model.url,
      apiKey: "none",
      maxRetries: 0,
    });
    const { tools, run } = await openaiTools(source, options);
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{
      role: "user",
      content: "Plan a weekend in Paris",
    }];
    for (let round = 0; round < 10; round++) {
      const completion = await openai.chat.completions.create({
        model: "scripted",
        messages,
        tools,
      });
      const message = completion.choices[0]!.message;
      if (message.tool_calls === undefined) return message.content ?? "";
      messages.push(message, ...await run(message.tool_calls));
    }
    throw new Error("The model does not come to an end");
  } finally {
    await model.close();
  }
}
