/** Features that single vendors have, with their packages: what leaves for the model, and what the application gets. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import {
  anthropicTools,
  googleTools,
  type OpenAiResponsesResult,
  openaiResponsesTools,
} from "../../../src/entries/agents.ts";
import { loadExample, loadModule, type Script, skip, type StartModel } from "./frameworks.ts";
import type { JsonRecord } from "./model_views/apis.ts";
import { createViewedServer } from "./model_views/tools.ts";
import { requestsOf } from "./model_views/viewed_adapter.ts";

/** Runs a function with a server of the tools of the suite. */
async function withServer<T>(
  run: (server: ReturnType<typeof createViewedServer>["server"]) => Promise<T>,
): Promise<T> {
  const { server } = createViewedServer();
  try {
    return await run(server);
  } finally {
    await server.close();
  }
}

/** A scripted service, and the requests that it got. */
async function startService(file: string, exported: string, script: Script) {
  const service = await (await loadExample(file, exported) as StartModel)(script);
  return { ...service, requests: () => requestsOf(script) };
}

interface OpenAiPackage {
  readonly default: new (options: object) => {
    readonly responses: {
      create(request: object): Promise<{ output: { type: string }[]; output_text: string }>;
    };
  };
}

describe("OpenAI's Responses: async", { skip }, () => {
  test("the model does not wait for promised tools, and their answers come with a later request", async () => {
    const script = [[{ name: "promise", args: {} }, { name: "text", args: {} }]];
    const service = await startService("scripted/openai.ts", "startOpenAi", script);
    const { default: OpenAI } = await loadModule("openai/index.mjs") as unknown as OpenAiPackage;
    const openai = new OpenAI({ baseURL: service.url, apiKey: "none", maxRetries: 0 });
    await withServer(async (server) => {
      const { tools, run } = await openaiResponsesTools(server, { async: true });
      const isAsync = tools.flatMap((tool) => "async" in tool ? [tool.name] : []);
      deepStrictEqual(isAsync, ["promise"]);
      const waiting: Promise<OpenAiResponsesResult>[] = [];
      const input: object[] = [{ role: "user", content: "Plan a weekend" }];
      const first = await openai.responses.create({ model: "scripted", input, tools });
      input.push(...first.output, ...await run(first.output, { later: (answer) => void waiting.push(answer) }));
      const second = await openai.responses.create({ model: "scripted", input, tools });
      strictEqual(second.output_text, "Sun over Rome");
      input.push(...second.output, ...await Promise.all(waiting));
      const third = await openai.responses.create({ model: "scripted", input, tools });
      strictEqual(third.output_text, "Sun over Rome\nkept promise");
      strictEqual(waiting.length, 1);
    });
    await service.close();
  });

  test("without a function for later answers all calls are awaited", async () => {
    await withServer(async (server) => {
      const { run } = await openaiResponsesTools(server, { async: (tool) => tool.name === "text" });
      const call = { type: "function_call", call_id: "1", name: "text", arguments: "{}", async: true };
      deepStrictEqual(await run([call]), [{ type: "function_call_output", call_id: "1", output: "Sun over Rome" }]);
    });
  });

  test("tools that programs call are not async", async () => {
    await withServer(async (server) => {
      const { tools } = await openaiResponsesTools(server, { async: () => true, callers: () => "both" });
      deepStrictEqual(tools.filter((tool) => "async" in tool), []);
    });
  });
});

interface GenAiPackage {
  readonly GoogleGenAI: new (options: object) => {
    readonly live: {
      connect(options: object): Promise<{ sendToolResponse(response: object): void; close(): void }>;
    };
    readonly models: { generateContent(request: object): Promise<{ text: string }> };
  };
}

interface LiveSetup {
  readonly setup: {
    readonly tools: readonly { functionDeclarations: readonly { name: string; behavior?: string }[] }[];
  };
}

/** What stands in for the Live API: after the setup it calls a tool, and gives what the client sends. */
async function startLive(name: string) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  const messages: JsonRecord[] = [];
  const ended = new Promise<void>((resolve) =>
    server.on("connection", (socket) => {
      socket.on("message", (data: unknown) => {
        const message = JSON.parse(String(data)) as JsonRecord;
        messages.push(message);
        if ("setup" in message) {
          socket.send(JSON.stringify({ setupComplete: {} }));
          socket.send(JSON.stringify({ toolCall: { functionCalls: [{ id: "call_1", name, args: {} }] } }));
        } else resolve();
      });
    })
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, messages, ended, close: () => server.close() };
}

describe("Google", { skip }, () => {
  test("the Live API: the model does not wait for promised tools", async () => {
    const { GoogleGenAI } = await loadModule("@google/genai/dist/node/index.mjs") as unknown as GenAiPackage;
    const live = await startLive("promise");
    await withServer(async (server) => {
      const { tools, run } = await googleTools(server, { async: true });
      const google = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: live.url } });
      const { promise: calls, resolve } = Promise.withResolvers<never[]>();
      const session = await google.live.connect({
        model: "gemini-scripted",
        config: { tools },
        callbacks: {
          onmessage: ({ toolCall }: { toolCall?: { functionCalls: never[] } }) =>
            toolCall && resolve(toolCall.functionCalls),
        },
      });
      const parts = await run(await calls);
      session.sendToolResponse({ functionResponses: parts.map(({ functionResponse }) => functionResponse) });
      await live.ended;
      session.close();
      const [opened, answer] = live.messages;
      const { setup } = opened as unknown as LiveSetup;
      const behaviors = setup.tools.flatMap(({ functionDeclarations }) => functionDeclarations)
        .filter(({ behavior }) => behavior !== undefined);
      deepStrictEqual(behaviors.map(({ name, behavior }) => [name, behavior]), [["promise", "NON_BLOCKING"]]);
      match(JSON.stringify(answer), /"id":"call_1".*"output":"kept promise"/);
    });
    live.close();
  });

  test("the package calls the tools itself", async () => {
    const { GoogleGenAI } = await loadModule("@google/genai/dist/node/index.mjs") as unknown as GenAiPackage;
    const script = [[{ name: "image", args: {} }]];
    const service = await startService("scripted/google.ts", "startGoogle", script);
    await withServer(async (server) => {
      const google = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: service.url } });
      const { text } = await google.models.generateContent({
        model: "gemini-scripted",
        contents: "Draw",
        config: { tools: [await googleTools(server)] },
      });
      match(text, /The chart of May/);
      match(JSON.stringify((await service.requests()).at(-1)), /"inlineData":\{"mimeType":"image\/png"/);
    });
    await service.close();
  });
});

interface AnthropicPackage {
  readonly default: new (options: object) => {
    readonly messages: { create(request: object): Promise<{ content: { type: string }[] }> };
    readonly beta: { readonly messages: { toolRunner(request: object): AsyncIterable<unknown> } };
  };
}

async function startAnthropic(script: Script) {
  const service = await startService("scripted/anthropic.ts", "startAnthropic", script);
  const { default: Anthropic } = await loadModule("@anthropic-ai/sdk/index.mjs") as unknown as AnthropicPackage;
  return { service, anthropic: new Anthropic({ baseURL: service.url, apiKey: "none", maxRetries: 0 }) };
}

describe("Anthropic", { skip }, () => {
  test("citations: a text resource is a search result, and the last definition ends what is cached", async () => {
    const { service, anthropic } = await startAnthropic([[{ name: "resource", args: {} }]]);
    await withServer(async (server) => {
      const { tools, run } = await anthropicTools(server, { citations: true, cache: "1h" });
      const messages: object[] = [{ role: "user", content: "Read" }];
      const request = { model: "scripted", max_tokens: 100, messages, tools };
      const { content } = await anthropic.messages.create(request);
      messages.push({ role: "assistant", content }, { role: "user", content: await run(content) });
      await anthropic.messages.create(request);
      const last = JSON.stringify((await service.requests()).at(-1));
      match(last, /"type":"search_result","source":"file:\/\/\/notes.md","title":"notes.md"/);
      match(last, /"cache_control":\{"type":"ephemeral","ttl":"1h"\}\}\]/);
      strictEqual(last.split("cache_control").length, 2);
    });
    await service.close();
  });

  test("the tool runner streams, and gets the file of an answer", async () => {
    const { service, anthropic } = await startAnthropic([[{ name: "pdf", args: {} }], [{ name: "fail", args: {} }]]);
    await withServer(async (server) => {
      const { runnable: tools } = await anthropicTools(server);
      const request = { model: "scripted", max_tokens: 100, messages: [{ role: "user", content: "Read" }], tools };
      for await (const message of anthropic.beta.messages.toolRunner({ ...request, stream: true })) ok(message);
      const [, pdf, failed] = (await service.requests()).map((body) => JSON.stringify(body["messages"]));
      match(pdf ?? "", /"type":"document","source":\{"type":"base64","media_type":"application\/pdf"/);
      match(failed ?? "", /"content":"Error: The tool says no \(locked\).*"is_error":true/);
    });
    await service.close();
  });
});
