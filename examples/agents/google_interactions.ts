/**
 * An agent of Google's Interactions, with the tools of any server. The service keeps the conversation.
 *
 * @module
 */
import { GoogleGenAI } from "@google/genai";
import { type AgentSource, googleInteractionsTools, type LoopOptions } from "jsr:@toolwire/toolwire/agents";
import { MODEL, startGoogle } from "./scripted/google.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runGoogleInteractions(
  source: AgentSource,
  script: Script,
  options?: LoopOptions,
): Promise<string> {
  // A hosted model needs no more than a key: new GoogleGenAI({ apiKey }).
  const service = await startGoogle(script);
  try {
    const google = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: service.url } });
    const { tools, run } = await googleInteractionsTools(source, options);
    const model = MODEL;
    let interaction = await google.interactions.create({ model, tools, input: "Plan a weekend in Paris" });
    for (let round = 0; round < 10; round++) {
      const input = await run(interaction.steps);
      if (input.length === 0) return interaction.output_text ?? "";
      interaction = await google.interactions.create({ model, tools, input, previous_interaction_id: interaction.id });
    }
    throw new Error("The model does not come to an end");
  } finally {
    await service.close();
  }
}
