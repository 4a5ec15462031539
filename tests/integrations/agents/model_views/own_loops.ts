/** Loops without a framework: one of functions, and the official MCP client in the place of Claude Code. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { type AgentSource, claudeAgentServer, functionTools } from "../../../../src/entries/agents.ts";
import type { Script } from "../frameworks.ts";
import type { JsonRecord } from "./apis.ts";

/** A loop of functions. Its requests are in the form of MCP, with the parts of an answer as blocks. */
export async function runFunctions(source: AgentSource, script: Script, options: object): Promise<JsonRecord[]> {
  const functions = await functionTools(source, options);
  const tools = functions.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const requests: JsonRecord[] = [{ tools }];
  for (const { name, args } of script.flat()) {
    const answer = await functions.find((one) => one.name === name)?.execute(args) ?? `There is no tool ${name}`;
    const parts = typeof answer === "string" ? [{ type: "text", text: answer }] : answer;
    requests.push({ tools, content: parts });
  }
  return requests;
}

/** The server for Claude Code, whose program is not needed: its side of MCP. Calls that ask `canUseTool` are denied. */
export async function runClaude(source: AgentSource, script: Script, options: object): Promise<JsonRecord[]> {
  const { instance, tools: asking } = await claudeAgentServer(source, options);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await (instance as { connect(transport: unknown): Promise<void> }).connect(far);
  const client = new Client({ name: "claude-code", version: "1.0.0" });
  await client.connect(near);
  const { tools } = await client.listTools();
  const requests: JsonRecord[] = [{ tools }];
  for (const { name, args } of script.flat()) {
    if (asking.some((one) => one.name === name)) continue;
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    requests.push({ tools, content, isError });
  }
  await client.close();
  return requests;
}
