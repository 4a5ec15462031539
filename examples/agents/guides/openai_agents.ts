import { Agent, run, tool, toolSearchTool } from "@openai/agents";
import { openaiAgentsTools } from "toolwire/agents";
import { server } from "./tools.ts";

const tools = await openaiAgentsTools(server, { defer: "auto", toolSearch: tool });
const agent = new Agent({
  name: "Travel agent",
  model: "gpt-5.4",
  tools: [...tools.map((one) => tool(one)), ...tools.search.map((one) => toolSearchTool(one))],
});
const first = await run(agent, "Cancel trip 42");
for (const interruption of first.interruptions) first.state.approve(interruption); // a person decides
const { finalOutput } = await run(agent, first.state);
console.log(finalOutput);
