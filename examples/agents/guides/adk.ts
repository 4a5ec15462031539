import { FunctionTool, InMemoryRunner, LlmAgent } from "@google/adk";
import { adkTools } from "toolwire/agents";
import { server } from "./tools.ts";

const agent = new LlmAgent({
  name: "travel_agent",
  model: "gemini-3-pro",
  tools: (await adkTools(server)).map((tool) => new FunctionTool(tool)),
});
const runner = new InMemoryRunner({ agent, appName: "travel" });
const { id: sessionId } = await runner.sessionService.createSession({ appName: "travel", userId: "ada" });
const newMessage = { role: "user", parts: [{ text: "When does a train go from Berlin to Paris?" }] };
for await (const { content } of runner.runAsync({ userId: "ada", sessionId, newMessage })) {
  for (const { text } of content?.parts ?? []) if (text !== undefined) console.log(text);
}
