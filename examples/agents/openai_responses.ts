/**
 * An agent of OpenAI's Responses, with the tools of any server.
 *
 * @module
 */
import { type AgentOptions, type AgentSource, openaiResponsesTools } from "jsr:@toolwire/toolwire/agents";
import OpenAI from "openai";
import { startOpenAi } from "./scripted/openai.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runOpenAiResponses(
  source: AgentSource,
  script: Script,
  options?: AgentOptions,
): Promise<string> {
  const model = await startOpenAi(script);
  try {
    const openai = new OpenAI({
      baseURL: model.url,
      apiKey: "none",
      maxRetries: 0,
    });
    const { tools, run } = await openaiResponsesTools(source, options);
    const input: OpenAI.Responses.ResponseInput = [{
      role: "user",
      content: "Plan a weekend in Paris",
    }];
    for (let round = 0; round < 10; round++) {
      const { output, output_text: text } = await openai.responses.create({
        model: "scripted",
        input,
        tools,
      });
      const results = await run(output);
      if (results.length === 0) return text;
      input.push(...output as OpenAI.Responses.ResponseInputItem[], ...results);
    }
    throw new Error("The model does not come to an end");
  } finally {
    await model.close();
  }
}
