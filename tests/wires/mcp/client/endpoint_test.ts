/** The transport of 2024-11-05: a stream and an endpoint, found after everything newer was refused. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../../../mod.ts";
import { mcpTransport } from "../../../../src/entries/mcp.ts";
import { OpenStream, text, TOOL } from "./scripted.ts";
import { eventually } from "../../../eventually.ts";

/** A server with two endpoints; what it is sent, it answers over its stream. */
class OldServer {
  readonly posted: { readonly url: string; readonly message: Readonly<Record<string, unknown>> }[] = [];
  readonly streams: OpenStream[] = [];
  readonly endpoint: string;
  /** What `tools/call` is answered with; nothing if it says so. */
  call: (id: unknown) => unknown = (id) => ({ id, result: text("done") });

  constructor(endpoint = "/messages?session=1") {
    this.endpoint = endpoint;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    await Promise.resolve();
    if (init.method === "GET") {
      const stream = new OpenStream();
      this.streams.push(stream);
      stream.write(`event: endpoint\ndata: ${this.endpoint}\n\n`);
      return stream.response;
    }
    if (new URL(url).pathname === "/sse") return new Response("Method not allowed", { status: 405 });
    const message = JSON.parse(String(init.body));
    this.posted.push({ url, message });
    const answer = this.#answer(message);
    if (answer !== undefined) this.streams.at(-1)?.send(answer);
    return new Response("Accepted", { status: 202 });
  };

  #answer({ id, method }: { readonly id?: unknown; readonly method?: string }): unknown {
    switch (method) {
      case "initialize":
        return {
          id,
          result: {
            protocolVersion: "2024-11-05",
            capabilities: { tools: {} },
            serverInfo: { name: "old", version: "0" },
          },
        };
      case "tools/list":
        return { id, result: { tools: [TOOL] } };
      case "tools/call":
        return this.call(id);
      default:
        return undefined;
    }
  }

  transport() {
    return mcpTransport("http://localhost/sse", { fetch: this.fetch, headers: { authorization: "Bearer x" } });
  }
}

const done = "done";

test("an old server is found, called, and left", async () => {
  const server = new OldServer();
  const transport = server.transport();
  const client = createClient(transport);
  deepStrictEqual(await client.$.call("t"), done);
  strictEqual((await transport.server()).revision, "2024-11-05");
  ok(server.posted.every(({ url }) => url === "http://localhost/messages?session=1"));
  client.$.close();
  await eventually(() => server.streams[0]?.isCancelled === true);
  await rejects(client.$.call("t"), { code: "unavailable" });
});

test("an endpoint of another origin gets nothing", async () => {
  const server = new OldServer("http://elsewhere.test/messages");
  await rejects(createClient(server.transport()).$.list(), { name: "ToolError" });
  strictEqual(server.posted.length, 0);
});

test("what an old server asks is answered, too", async () => {
  const server = new OldServer();
  server.call = () => ({ id: "q", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
  const transport = server.transport();
  transport.onSampling(() => ({ role: "assistant", content: { type: "text", text: "hm" }, model: "m" }));
  const call = createClient(transport).$.call("t");
  await eventually(() => server.posted.some(({ message }) => message["id"] === "q"));
  const id = server.posted.find(({ message }) => message["method"] === "tools/call")?.message["id"];
  server.streams.at(-1)?.send({ id, result: text("done") });
  deepStrictEqual(await call, done);
  transport.close();
});

test("a stream that broke off is opened again, with a new handshake", async () => {
  const server = new OldServer();
  const client = createClient(server.transport(), { retry: { attempts: 0 } });
  deepStrictEqual(await client.$.call("t"), done);
  server.call = () => {
    server.streams.at(-1)?.end();
    return undefined;
  };
  await rejects(client.$.call("t"), { code: "unavailable" });
  server.call = (id) => ({ id, result: text("done") });
  deepStrictEqual(await client.$.call("t"), done);
  strictEqual(server.posted.filter(({ message }) => message["method"] === "initialize").length, 2);
  client.$.close();
});

test("a caller that leaves says so", async () => {
  const server = new OldServer();
  server.call = () => undefined;
  const client = createClient(server.transport());
  const controller = new AbortController();
  const left = rejects(client.$.call("t", {}, { signal: controller.signal }), { name: "AbortError" });
  await eventually(() => server.posted.some(({ message }) => message["method"] === "tools/call"));
  controller.abort();
  await left;
  await eventually(() => server.posted.some(({ message }) => message["method"] === "notifications/cancelled"));
  client.$.close();
});

test("a web page is not taken for a server", async () => {
  const fetch = () =>
    Promise.resolve(new Response("<html>", { status: 404, headers: { "content-type": "text/html" } }));
  await rejects(createClient(mcpTransport("http://localhost/", { fetch })).$.list(), { code: "method_not_found" });
});
