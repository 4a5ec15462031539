/** A server of everything that has plug-ins, and uses of each part of it, by requests without a client. */
import { ok } from "node:assert/strict";
import { createServer, defineTool, memoryEngine, type Server, type ServerOptions } from "../../../mod.ts";
import { isToolErrorCode } from "../../../src/core/errors/code.ts";
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import { jobsOf } from "../../../src/entries/jobs.ts";
import { mcp, mcpSessions } from "../../../src/entries/mcp.ts";
import { mcpLite } from "../../../src/wires/mcp_lite/server/mcp_lite.ts";
import { initialize, legacy, post } from "../../wires/mcp/server/client.ts";
import type { Observation } from "./observation.ts";

const tools = [
  defineTool("ping").describe("Answer").handle(() => "pong"),
  defineTool("count").describe("Stream").handle(async function* () {
    for (let at = 0; at < 3; at++) yield await Promise.resolve(at);
  }),
  defineTool("job").describe("Deferred work").promise({ budgetMs: 1 }).handle(async (_, ctx) => {
    ctx.progress(1, 2);
    await ctx.step("before", () => 1);
    await ctx.sleep("a moment", 2_000);
    await ctx.step("after", () => 2);
    return "done";
  }),
];

/** Options of the server, as a test replaces them. */
export type Options = Partial<ServerOptions<typeof tools>>;

/** Creates a server, and what uses each of its parts. A use throws a `ToolError` if the server refuses it. */
export function createUsed({ logger, clock, time }: Observation, options: Options) {
  const { wires = [mcpLite(), mcp({ sessions: mcpSessions(), ssePath: "/sse" })] } = options;
  const server = createServer({
    engine: memoryEngine({ clock: time }),
    ...options,
    wires,
    tools,
    logger,
    clock: options.clock ?? clock,
  });
  const uses: Readonly<Record<string, () => unknown>> = {
    "a call": () => call(server, "ping"),
    "a stream": () => stream(server, "count"),
    "a call that promises": () => call(server, "job"),
    "a call that is refused": () => refused(server),
    "a call with a key": () => call(server, "ping", {}, { idempotency_key: "a key" }),
    "the same call again": () => call(server, "ping", {}, { idempotency_key: "a key" }),
    "a promise that is cancelled": async () => call(server, "cancel", { promise: await promiseOf(server) }),
    "a promise that is redeemed": async () => redeem(server, await promiseOf(server)),
    "the list of jobs": () => jobsOf(server).list(),
    "the removal of jobs": () => jobsOf(server).purge({ all: true }),
    "a session": () => useSession(server),
    "a stream of 2024-11-05": () => useSse(server, server),
    "a stream of 2024-11-05 at another replica": async () => {
      const replica = createServer({ wires, tools, logger, clock });
      await useSse(server, replica);
      await replica.close(0);
    },
    "a notification": () => server.notify.listChanged("tools"),
  };
  return { server, uses, callOnce: () => call(server, "ping") };
}

interface Answer {
  readonly content: unknown;
  readonly _meta: { readonly response_type: string; readonly promise_token?: string };
}

const LITE = "http://localhost/mcp-lite/v1/calltools";

function request(name: string, args: object, _meta: object, accept: string): Request {
  const headers = { "content-type": "application/json", accept };
  const params = { name, arguments: args, _meta };
  return new Request(LITE, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
}

/** @throws {ToolError} The error of the answer, which is one of the contract. */
async function call(server: Server, name: string, args: object = {}, meta: object = {}): Promise<Answer> {
  const { result, error } = await (await server.fetch(request(name, args, meta, "application/json"))).json();
  if (error === undefined) return result;
  throw toError(error);
}

/** Calls a tool that does not exist. */
async function refused(server: Server): Promise<void> {
  const thrown = await call(server, "absent").catch((error: unknown) => error);
  ok(thrown instanceof ToolError, `${thrown}`);
}

function toError(error: { readonly message: string; readonly data?: { readonly code?: unknown } }): ToolError {
  const code = error.data?.code;
  ok(typeof code === "string" && isToolErrorCode(code), `${JSON.stringify(error)} has a code of the contract`);
  return new ToolError(code, error.message);
}

async function stream(server: Server, name: string): Promise<void> {
  const text = await (await server.fetch(request(name, {}, {}, "text/event-stream"))).text();
  const last = text.trim().split("\n\n").at(-1) ?? "";
  if (last.startsWith("event: done")) return;
  const data = JSON.parse(last.replace(/^(event: error\n)?data: /, ""));
  throw toError(data.error ?? data);
}

async function promiseOf(server: Server): Promise<string> {
  return (await call(server, "job", {}, { promise: true }))._meta.promise_token ?? "";
}

/** Redeems a promise until its end. */
async function redeem(server: Server, promise: string): Promise<void> {
  while ((await call(server, "redeem", { promise, wait_ms: 20_000 }))._meta.response_type === "promise") continue;
}

/** Calls a tool in a session of MCP, beside a stream of notifications, and ends the session. */
async function useSession(server: Server): Promise<void> {
  const { session } = await initialize(server);
  if (session === undefined) return;
  await legacy(server, "tools/call", { name: "count", _meta: { progressToken: 1 } }, { session });
  const headers = { "mcp-session-id": session, accept: "text/event-stream", "mcp-protocol-version": "2025-11-25" };
  const news = await server.fetch(new Request("http://localhost/mcp", { headers }));
  server.notify.listChanged("tools");
  await post(server, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } }, headers);
  await news.body?.cancel();
  await server.fetch(new Request("http://localhost/mcp", { method: "DELETE", headers }));
}

/** Calls tools by messages to a server, over the stream of the transport of 2024-11-05 of the same one or another. */
async function useSse(server: Server, receiver: Server): Promise<void> {
  const opened = await server.fetch(new Request("http://localhost/sse", { headers: { accept: "text/event-stream" } }));
  if (opened.status !== 200 || opened.body === null) return;
  const reader = opened.body.pipeThrough(new TextDecoderStream()).getReader();
  const path = /data: (\S+)/.exec((await reader.read()).value ?? "")?.[1] ?? "";
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const requests = [["initialize", params], ["tools/call", { name: "ping" }], ["tools/call", {
    name: "count",
  }]] as const;
  for (const [method, params] of requests) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: method, method, params });
    const headers = { "content-type": "application/json" };
    const { status } = await receiver.fetch(new Request(`http://localhost${path}`, { method: "POST", body, headers }));
    if (status === 202) await reader.read();
  }
  server.notify.listChanged("tools");
  await reader.cancel();
}
