import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { RunContext, tool as agentsTool } from "@openai/agents";
import { aiSdkTools, anthropicTools, langchainTools, openaiAgentsTools, openaiTools } from "toolwire/agents";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { testClient } from "toolwire/testing";
import { createAssistant } from "./assistant.ts";
import { arrived, startCompany } from "./company.ts";

const folder = mkdtempSync(join(tmpdir(), "assistant-"));
writeFileSync(join(folder, "note.txt"), "Buy milk");
// A picture of one pixel.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
writeFileSync(join(folder, "dot.png"), Buffer.from(PNG, "base64"));
const company = await startCompany();
const weather = await startWeather();
const all = await createAssistant({ folder, weather: weather.url, company: company.url, all: true });
const few = await createAssistant({ folder, weather: weather.url, company: company.url });
after(async () => {
  await Promise.all([all.close(), few.close()]);
  weather.child.kill("SIGKILL");
  company.close();
  rmSync(folder, { recursive: true });
});

test("each caller's name reaches the company, and a guest sees no weather", async () => {
  const ada = testClient(all, { principal: { id: "ada" } });
  deepStrictEqual(await ada.$.call("list_users", {}), [{ id: "1", name: "first" }]);
  strictEqual(arrived.at(-1), "GET /users Bearer of ada");
  const names = async (id: string) => (await testClient(all, { principal: { id } }).$.list()).map(({ name }) => name);
  ok((await names("ada")).includes("weather_forecast"));
  ok(!(await names("guest")).includes("weather_forecast"));
});

test("FastMCP's text arrives as text, and each caller's credentials at FastMCP", async () => {
  strictEqual(await testClient(all).$.call("weather_forecast", { city: "Rome" }), "Sun over Rome");
  const whose = ["ada", "bob", "ada"].map((id) => testClient(all, { principal: { id } }).$.call("weather_whose"));
  deepStrictEqual(await Promise.all(whose), ["of ada", "of bob", "of ada"]);
});

test("a model finds what it needs among all of them", async () => {
  const client = testClient(few);
  const listed = (await client.$.list()).map(({ name }) => name);
  ok(listed.includes("search_tools") && listed.length < 10, `${listed}`);
  const found = await client.$.call("search_tools", { query: "delete a ticket" }) as { tools: { name: string }[] };
  strictEqual(found.tools[0]?.name, "delete_tickets");
});

test("AI SDK: a text, and a picture as a picture", async () => {
  const seen = await runAiSdk("files_read_media_file", { path: join(folder, "dot.png") });
  match(seen, /image\/png/);
  ok(!/"text":"[^"]*iVBORw0KGgo/.test(seen), "base64 as text");
  match(await runAiSdk("files_read_text_file", { path: join(folder, "note.txt") }), /Buy milk/);
});

test("OpenAI: a destructive tool is not run unless it is approved", async () => {
  const call = {
    type: "function" as const,
    id: "1",
    function: { name: "files_write_file", arguments: JSON.stringify({ path: join(folder, "new.txt"), content: "x" }) },
  };
  const careful = await (await openaiTools(all)).run([call]);
  match(JSON.stringify(careful), /approve/);
  const approving = await openaiTools(all, { approve: ({ tool }) => tool === "files_write_file" });
  match(JSON.stringify(await approving.run([call])), /wrote/i);
});

test("Anthropic: a picture is a block", async () => {
  const { run } = await anthropicTools(all);
  const [result] = await run([{
    type: "tool_use",
    id: "1",
    name: "files_read_media_file",
    input: { path: join(folder, "dot.png") },
  }]);
  match(JSON.stringify(result), /"type":"image"/);
});

test("LangChain and the Agents SDK call the same tools", async () => {
  const made = (await langchainTools(all)).map((one) => new DynamicStructuredTool(one));
  const echo = made.find(({ name }) => name === "every_echo")!;
  match(JSON.stringify(await echo.invoke({ message: "hello" })), /hello/);
  const agents = (await openaiAgentsTools(all)).map((one) => agentsTool(one));
  const called = agents.find(({ name }) => name === "every_echo")!;
  match(JSON.stringify(await called.invoke(new RunContext(), JSON.stringify({ message: "hello" }))), /hello/);
});

async function runAiSdk(toolName: string, input: unknown) {
  let last = "";
  const model = new MockLanguageModelV4({
    doGenerate: ({ prompt }) => {
      last = JSON.stringify(prompt.at(-1));
      const isAnswered = prompt.at(-1)?.role === "tool";
      return Promise.resolve({
        content: isAnswered
          ? [{ type: "text", text: "done" }]
          : [{ type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(input) }],
        finishReason: { unified: isAnswered ? "stop" : "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 0, text: 0, reasoning: 0 },
        },
        warnings: [],
      });
    },
  });
  await generateText({ model, tools: await aiSdkTools(all), prompt: "Go", stopWhen: stepCountIs(3) });
  return last;
}

async function startWeather() {
  const socket = createSocket().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  socket.close();
  const child = spawn(process.execPath, ["weather.ts"], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    if (!`${chunk}`.includes("ready")) continue;
    child.stdout.resume();
    return { child, url: `http://127.0.0.1:${port}/mcp` };
  }
  throw new Error("The weather server ended");
}
