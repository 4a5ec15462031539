import { anthropic } from "@ai-sdk/anthropic";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { mastraTools } from "toolwire/agents";
import { server } from "./tools.ts";

const options = { questions: "suspended" } as const;
const tools = (await mastraTools(server, options)).map((one) => [one.id, createTool(one)] as const);
const agent = new Agent({
  id: "travel-agent",
  name: "Travel agent",
  instructions: "You plan travels.",
  model: anthropic("claude-opus-4-6") as never, // or the name alone: "anthropic/claude-opus-4-6"
  tools: Object.fromEntries(tools),
});
new Mastra({ agents: { agent }, storage: new InMemoryStore() }); // keeps suspended runs

const { runId = "", finishReason } = await agent.generate("Cancel trip 42");
console.log(finishReason); // suspended
const { text } = await agent.approveToolCallGenerate({ runId }); // a person decides
console.log(text);
