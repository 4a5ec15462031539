/**
 * An agent of TanStack AI, with the tools of any server.
 *
 * @module
 */
import { chat, maxIterations } from "@tanstack/ai";
import { type AgentSource, type ApprovalOptions, tanstackTools } from "jsr:@toolwire/toolwire/agents";
import { ScriptedAdapter } from "./scripted/tanstack.ts";
import type { Script } from "./scripted/script.ts";

/** Lets the model call tools until it has an answer. */
export async function runTanStack(
  source: AgentSource,
  script: Script,
  options?: ApprovalOptions,
): Promise<string> {
  return await chat({
    adapter: new ScriptedAdapter(script), // or any other: openaiText("…")
    messages: [{ role: "user", content: "Plan a weekend in Paris" }],
    tools: await tanstackTools(source, options),
    agentLoopStrategy: maxIterations(10),
    stream: false,
  });
}
