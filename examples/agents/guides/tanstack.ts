import { chat, maxIterations } from "@tanstack/ai";
import { anthropicText } from "@tanstack/ai-anthropic";
import { tanstackTools } from "toolwire/agents";
import { server } from "./tools.ts";

const text = await chat({
  adapter: anthropicText("claude-opus-4-6"),
  messages: [{ role: "user", content: "When does a train go from Berlin to Paris?" }],
  tools: await tanstackTools(server),
  agentLoopStrategy: maxIterations(10),
  stream: false,
});
console.log(text);
