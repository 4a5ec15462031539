import { DynamicStructuredTool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { langchainTools } from "toolwire/agents";
import { server } from "./tools.ts";

const tools = (await langchainTools(server)).map((tool) => new DynamicStructuredTool(tool));
const agent = createAgent({ model: "anthropic:claude-opus-4-6", tools });
const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "When does a train go from Berlin to Paris?" }],
});
console.log(messages.at(-1)?.text);
