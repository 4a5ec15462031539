/**
 * An agent of Google's Agent Development Kit, with the tools of any server.
 *
 * @module
 */
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent, LogLevel, setLogLevel } from "@google/adk";
import { adkTools, type AgentSource, type ApprovalOptions } from "jsr:@toolwire/toolwire/agents";
import { MODEL, startGoogle } from "./scripted/google.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runAdk(
  source: AgentSource,
  script: Script,
  options?: ApprovalOptions,
): Promise<string> {
  setLogLevel(LogLevel.ERROR);
  const service = await startGoogle(script);
  try {
    const agent = new LlmAgent({
      name: "travel_agent",
      model: new ScriptedGemini(service.url), // a hosted model needs no more than its name: model: "gemini-…"
      tools: (await adkTools(source, options)).map((tool) => new FunctionTool(tool)),
    });
    const runner = new InMemoryRunner({ agent, appName: "travel" });
    const { id: sessionId } = await runner.sessionService.createSession({ appName: "travel", userId: "ada" });
    const newMessage = { role: "user", parts: [{ text: "Plan a weekend in Paris" }] };
    let answer = "";
    for await (const { content, errorMessage } of runner.runAsync({ userId: "ada", sessionId, newMessage })) {
      if (errorMessage !== undefined) throw new Error(errorMessage);
      answer = content?.parts?.map(({ text }) => text ?? "").join("") ?? answer;
    }
    return answer;
  } finally {
    await service.close();
  }
}

/** ADK's own model, with the address of the scripted one. */
class ScriptedGemini extends Gemini {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    super({ model: MODEL, apiKey: "none" });
    this.#baseUrl = baseUrl;
  }

  protected override getHttpOptions() {
    return { ...super.getHttpOptions(), baseUrl: this.#baseUrl };
  }
}
