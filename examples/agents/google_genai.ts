/**
 * An agent of Google's Gen AI SDK, with the tools of any server.
 *
 * @module
 */
import { type Content, GoogleGenAI } from "@google/genai";
import { type AgentOptions, type AgentSource, googleTools } from "jsr:@toolwire/toolwire/agents";
import { MODEL, startGoogle } from "./scripted/google.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runGoogle(
  source: AgentSource,
  script: Script,
  options?: AgentOptions,
): Promise<string> {
  // A hosted model needs no more than a key: new GoogleGenAI({ apiKey }).
  const model = await startGoogle(script);
  try {
    const google = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: model.url } });
    const { tools, run } = await googleTools(source, options);
    const contents: Content[] = [{ role: "user", parts: [{ text: "Plan a weekend in Paris" }] }];
    for (let round = 0; round < 10; round++) {
      const response = await google.models.generateContent({ model: MODEL, contents, config: { tools } });
      const calls = response.functionCalls;
      if (calls === undefined) return response.text ?? "";
      contents.push(response.candidates![0]!.content!, { role: "user", parts: await run(calls) });
    }
    throw new Error("The model does not come to an end");
  } finally {
    await model.close();
  }
}
