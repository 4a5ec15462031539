/** Questions of tools with Mastra: the run is suspended, and resumed with the answers. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import {
  type AgentSource,
  type MastraOptions,
  type MastraQuestions,
  mastraTools,
} from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { loadExample, loadModule, type Script, skip, type StartModel } from "./frameworks.ts";

interface Run {
  readonly text: string;
  readonly finishReason: string;
  readonly runId: string;
  readonly suspendPayload?: { readonly toolCallId: string; readonly suspendPayload: MastraQuestions };
}

interface MastraAgent {
  generate(prompt: string, options: object): Promise<Run>;
  resumeGenerate(data: unknown, options: object): Promise<Run>;
  approveToolCallGenerate(options: object): Promise<Run>;
}

async function openAgent(source: AgentSource, script: Script, options: MastraOptions) {
  const { Agent } = await loadModule("@mastra/core/dist/agent/index.js");
  const { Mastra } = await loadModule("@mastra/core/dist/index.js");
  const { InMemoryStore } = await loadModule("@mastra/core/dist/storage/index.js");
  const { createTool } = await loadModule("@mastra/core/dist/tools/index.js");
  const { createAnthropic } = await loadModule("@ai-sdk/anthropic/dist/index.js");
  const startAnthropic = await loadExample("scripted/anthropic.ts", "startAnthropic") as StartModel;
  const service = await startAnthropic(script);
  const make = (type: unknown, of: object) => new (type as new (of: object) => object)(of);
  const call = <Result>(made: unknown, of: object) => (made as (of: object) => Result)(of);
  const anthropic = call<(model: string) => object>(createAnthropic, { baseURL: `${service.url}/v1`, apiKey: "none" });
  const tools = (await mastraTools(source, options)).map((tool) => [tool.id, call<object>(createTool, tool)] as const);
  const agent = make(Agent, {
    id: "agent",
    name: "Agent",
    instructions: "You help.",
    model: anthropic("scripted"),
    maxRetries: 0,
    tools: Object.fromEntries(tools),
  });
  make(Mastra, { agents: { agent }, storage: make(InMemoryStore, {}), logger: false });
  return { agent: agent as MastraAgent, close: () => service.close() };
}

const remove = defineTool("remove").describe("Remove files").input(v.object({ name: v.string() }))
  .handle(async ({ name }, ctx) => {
    const { action } = await ctx.elicit("sure", { message: `Remove ${name}?`, schema: v.object({}) });
    if (action !== "accept") return "kept";
    const why = await ctx.elicit("why", { message: "Why?", schema: v.object({ reason: v.string() }) });
    return `removed ${name}: ${why.action === "accept" ? why.content.reason : ""}`;
  });
const script: Script = [[{ name: "remove", args: { name: "a.txt" } }]];

describe("questions: suspended", { skip }, () => {
  test("a run is suspended at each question, and continues with the answers", async () => {
    const server = createServer({ tools: [remove], logger: false });
    const { agent, close } = await openAgent(server, [...script], { questions: "suspended" });
    const first = await agent.generate("Remove a.txt", { maxSteps: 5 });
    strictEqual(first.finishReason, "suspended");
    const asked = first.suspendPayload?.suspendPayload;
    deepStrictEqual(Object.entries(asked?.requests ?? {}).map(([key, { message }]) => [key, message]), [
      ["sure", "Remove a.txt?"],
    ]);
    match(asked?.message ?? "", /Remove a\.txt\?/);
    const { runId } = first;
    const second = await agent.resumeGenerate({ sure: { action: "accept", content: {} } }, { runId });
    deepStrictEqual([second.finishReason, Object.keys(second.suspendPayload?.suspendPayload.requests ?? {})], [
      "suspended",
      ["why"],
    ]);
    const third = await agent.resumeGenerate({ why: { action: "accept", content: { reason: "old" } } }, { runId });
    strictEqual(third.text, "removed a.txt: old");
    await close();
    await server.close();
  });

  test("an answer that the question does not allow is asked for again", async () => {
    const server = createServer({ tools: [remove], logger: false });
    const { agent, close } = await openAgent(server, [...script], { questions: "suspended" });
    const { runId } = await agent.generate("Remove a.txt", { maxSteps: 5 });
    const again = await agent.resumeGenerate({ sure: { action: "perhaps" } }, { runId });
    strictEqual(again.finishReason, "suspended");
    const refused = await agent.resumeGenerate({ sure: { action: "decline" } }, { runId });
    strictEqual(refused.text, "kept");
    await close();
    await server.close();
  });

  test("a deferred tool that needs an approval is approved first, then asks", async () => {
    const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(
      async (_, ctx) => {
        const { action } = await ctx.elicit("sure", { message: "Drop it?", schema: v.object({}) });
        return action === "accept" ? "dropped" : "kept";
      },
    );
    const server = createServer({ tools: [drop], logger: false });
    const call = [[{ name: "call_tool", args: { name: "drop", arguments: {} } }]];
    const { agent, close } = await openAgent(server, call, { questions: "suspended", defer: "all" });
    const { runId, finishReason } = await agent.generate("Drop it", { maxSteps: 5 });
    strictEqual(finishReason, "suspended");
    const asked = await agent.approveToolCallGenerate({ runId });
    deepStrictEqual(Object.keys(asked.suspendPayload?.suspendPayload.requests ?? {}), ["sure"]);
    const dropped = await agent.resumeGenerate({ sure: { action: "accept", content: {} } }, { runId });
    strictEqual(dropped.text, "dropped");
    await close();
    await server.close();
  });

  test("a promised tool asks when its work does", async () => {
    const later = defineTool("later").describe("Work").promise({ budgetMs: 1, retries: 0 }).handle(async (_, ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
      return action;
    });
    const server = createServer({ tools: [later], logger: false });
    const { agent, close } = await openAgent(server, [[{ name: "later", args: {} }]], { questions: "suspended" });
    const { runId, finishReason } = await agent.generate("Work", { maxSteps: 5 });
    strictEqual(finishReason, "suspended");
    strictEqual((await agent.resumeGenerate({ sure: { action: "accept", content: {} } }, { runId })).text, "accept");
    await close();
    await server.close();
  });

  test("onElicitation of a client comes first", async () => {
    const server = createServer({ tools: [remove], logger: false });
    const client = createClient(memoryTransport(server), { onElicitation: () => ({ action: "decline" }) });
    const { agent, close } = await openAgent(client, [...script], { questions: "suspended" });
    strictEqual((await agent.generate("Remove a.txt", { maxSteps: 5 })).text, "kept");
    await close();
    await server.close();
  });
});

test("by default the model gets a question as text", { skip }, async () => {
  const server = createServer({ tools: [remove], logger: false });
  const { agent, close } = await openAgent(server, [...script], {});
  match((await agent.generate("Remove a.txt", { maxSteps: 5 })).text, /Remove a\.txt\?/);
  await close();
  await server.close();
});
