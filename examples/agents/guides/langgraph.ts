import { DynamicStructuredTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { langchainTools } from "toolwire/agents";
import { server } from "./tools.ts";

const tools = (await langchainTools(server, { approve: "never" })).map((tool) => new DynamicStructuredTool(tool));
const agent = createAgent({
  model: "anthropic:claude-opus-4-6",
  tools,
  middleware: [humanInTheLoopMiddleware({ interruptOn: { cancel_trip: true } })],
  checkpointer: new MemorySaver(),
});
const thread = { configurable: { thread_id: "1" } };
const asked = await agent.invoke({ messages: [{ role: "user", content: "Cancel trip 42" }] }, thread);
console.log(asked.__interrupt__?.length); // a person decides
const { messages } = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread);
console.log(messages.at(-1)?.text);
