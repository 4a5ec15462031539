import { anthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs } from "ai";
import { aiSdkTools } from "toolwire/agents";
import { server } from "./tools.ts";

const { text } = await generateText({
  model: anthropic("claude-opus-4-6"),
  tools: await aiSdkTools(server),
  prompt: "When does a train go from Berlin to Paris?",
  stopWhen: stepCountIs(10),
});
console.log(text);
