/**
 * `generate` of Genkit, with the tools of any server: its tools are functions.
 *
 * @module
 */
import { openAICompatible } from "@genkit-ai/compat-oai";
import { genkit } from "genkit";
import { type AgentSource, functionTools, type LoopOptions } from "jsr:@toolwire/toolwire/agents";
import { startOpenAi } from "../agents/scripted/openai.ts";
import type { Script } from "../agents/scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runGenkit(source: AgentSource, script: Script, options: LoopOptions = {}): Promise<string> {
  const service = await startOpenAi(script);
  try {
    // A hosted model needs no more than its plugin: genkit({ plugins: [openAI()] }).
    const ai = genkit({ plugins: [openAICompatible({ name: "openai", apiKey: "none", baseURL: service.url })] });
    const functions = await functionTools(source, { media: [], ...options });
    // Genkit ends a run whose model writes wrong arguments, so this loop makes the calls, and the model gets the errors.
    const tools = functions.map(({ name, description, parameters: inputJsonSchema, execute }) =>
      ai.defineTool({ name, description, inputJsonSchema }, async (input) => String(await execute(input)))
    );
    const request = { model: "openai/scripted", tools, returnToolRequests: true };
    let response = await ai.generate({ ...request, prompt: "Plan a weekend in Paris" });
    for (let round = 0; round < 10; round++) {
      if (response.toolRequests.length === 0) return response.text;
      const content = await Promise.all(response.toolRequests.map(async ({ toolRequest: { name, ref, input } }) => {
        const output = String(await functions.find((one) => one.name === name)?.execute(input));
        return { toolResponse: { name, ref, output } };
      }));
      response = await ai.generate({ ...request, messages: [...response.messages, { role: "tool", content }] });
    }
    throw new Error("The model does not come to an end");
  } finally {
    await service.close();
  }
}
