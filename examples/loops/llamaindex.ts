/**
 * A loop of LlamaIndex, with the tools of any server: its tools are functions.
 *
 * @module
 */
import type { ChatMessage, ToolCallLLMMessageOptions } from "@llamaindex/core/llms";
import { tool } from "@llamaindex/core/tools";
import { OpenAI } from "@llamaindex/openai";
import { type AgentSource, functionTools, type LoopOptions } from "jsr:@toolwire/toolwire/agents";
import { startOpenAi } from "../agents/scripted/openai.ts";
import type { Script } from "../agents/scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runLlamaIndex(source: AgentSource, script: Script, options: LoopOptions = {}): Promise<string> {
  const service = await startOpenAi(script);
  try {
    // A hosted model needs no more than its name: new OpenAI({ model }).
    const model = new OpenAI({ model: "gpt-4o", apiKey: "none", baseURL: service.url, maxRetries: 0 });
    const functions = await functionTools(source, { media: [], ...options });
    // `exec` and agents of LlamaIndex drop the quotes in texts of tools, so this loop makes the calls.
    const tools = functions.map(({ name, description, parameters, execute }) =>
      tool({ name, description, parameters, execute: async (input: unknown) => String(await execute(input)) })
    );
    const messages: ChatMessage<ToolCallLLMMessageOptions>[] = [{ role: "user", content: "Plan a weekend in Paris" }];
    for (let round = 0; round < 10; round++) {
      const { message } = await model.chat({ messages, tools });
      const calls = message.options && "toolCall" in message.options ? message.options.toolCall : [];
      if (calls.length === 0) return String(message.content);
      messages.push(message);
      for (const { id, name, input } of calls) {
        const result = String(await functions.find((one) => one.name === name)?.execute(toArguments(input)));
        messages.push({ role: "user", content: result, options: { toolResult: { id, result, isError: false } } });
      }
    }
    throw new Error("The model does not come to an end");
  } finally {
    await service.close();
  }
}

/** LlamaIndex gives the arguments of some models as the text that the model wrote. */
function toArguments(input: unknown): unknown {
  return typeof input === "string" ? JSON.parse(input) : input;
}
