/** The transports, against servers of other projects. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { createClient, createServer, defineTool, ToolError } from "../../../mod.ts";
import { ResponseType, ToolResponseSchema, ToolsListSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { connectTransport, grpc, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { frame } from "./frames.ts";
import type { Transport } from "../../../src/entries/wire.ts";
import { eventually } from "../../eventually.ts";

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** A transport whose requests are answered by `answer`. */
function fake(answer: (request: Sent) => Response | Promise<Response>, maxResponseBytes?: number) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push({ url, init });
    return await answer({ url, init });
  };
  const options = { fetch, ...(maxResponseBytes !== undefined && { maxResponseBytes }) };
  return { sent, client: createClient(connectTransport("http://host/base/", options), { retry: { attempts: 0 } }) };
}

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_JSON = { "content-type": "application/connect+json" };
const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: JSON_TYPE });

for (const open of [connectTransport, grpcWebTransport]) {
  test(`${open.name}() throws for a URL that it cannot call`, () => {
    for (const url of ["", "host", "ftp://host"]) throws(() => open(url), TypeError);
  });
}

test("connectTransport() sends what Connect asks for, and nothing of the library's own", async () => {
  const { sent, client } = fake(() => json({ result: { content: "ok" }, meta: {} }));
  strictEqual(await client["add"]!({ a: 1 }, { timeoutMs: 60_000 }), "ok");
  const { url, init } = sent[0]!;
  const headers = new Headers(init.headers);
  strictEqual(url, "http://host/base/mcplite.MCPLite/CallTool");
  deepStrictEqual([init.method, init.redirect], ["POST", "manual"]);
  deepStrictEqual(JSON.parse(new TextDecoder().decode(init.body as Uint8Array)), {
    name: "add",
    arguments: { a: 1 },
  });
  deepStrictEqual([headers.get("content-type"), headers.get("connect-protocol-version")], ["application/json", "1"]);
  const timeoutMs = Number(headers.get("connect-timeout-ms"));
  ok(timeoutMs > 50_000 && timeoutMs <= 60_000);
  strictEqual(headers.get("user-agent"), null);
});

test("transports send the caller's headers, made for each request, and keep the query", async () => {
  let calls = 0;
  const seen: (string | null)[] = [];
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    seen.push(url, new Headers(init.headers).get("authorization"));
    return Promise.resolve(json({ result: { content: 1 }, meta: {} }));
  };
  const headers = () => Promise.resolve({ authorization: `Bearer ${++calls}` });
  const client = createClient(connectTransport("http://host/?key=1", { fetch, headers }));
  await client["a"]!();
  await client["a"]!();
  const url = "http://host/mcplite.MCPLite/CallTool?key=1";
  deepStrictEqual(seen, [url, "Bearer 1", url, "Bearer 2"]);
});

test("what a server says without our details is understood by its status", async () => {
  for (
    const [code, status, want] of [
      ["not_found", 404, "tool_not_found"],
      ["invalid_argument", 400, "invalid_input"],
      ["deadline_exceeded", 504, "deadline_exceeded"],
      ["internal", 500, "internal"],
      ["unimplemented", 501, "method_not_found"],
      ["resource_exhausted", 429, "rate_limited"],
    ] as const
  ) {
    const { client } = fake(() => json({ code, message: "Because" }, status));
    await rejects(client["a"]!(), { name: "ToolError", code: want, message: "Because" });
    await rejects(fake(() => json({ code }, status)).client["a"]!(), { name: "ToolError", code: want });
  }
});

test("another domain's ErrorInfo is not taken for our code", async () => {
  // google.rpc.ErrorInfo { reason: "X", domain: "other" }
  const details = [{ type: "google.rpc.ErrorInfo", value: "CgFYEgVvdGhlcg" }];
  const { client } = fake(() => json({ code: "already_exists", message: "m", details }, 409));
  await rejects(client["a"]!(), { code: "conflict" });
});

/** Responses of servers that are not MCP-lite, the error messages for them, and the start of their bodies. */
const FOREIGN: Readonly<
  Record<string, readonly [answer: () => Response | Promise<Response>, reported: string, begins: string]>
> = {
  "a page": [
    () => new Response(`<html>${"x".repeat(5_000)}`, { headers: { "content-type": "text/html" } }),
    "invalid_request: The server answered 200, not with MCP-lite",
    `200: <html>${"x".repeat(194)}`,
  ],
  "nothing": [
    () => new Response(null, { status: 204 }),
    "invalid_request: The server answered 204, not with MCP-lite",
    "204: ",
  ],
  "a page of a proxy": [
    () => new Response("<html>", { status: 502, headers: { "content-type": "text/html" } }),
    "unavailable: The server answered 502, not with MCP-lite",
    "502: <html>",
  ],
  "JSON of a proxy": [
    () => json({ error: "busy" }, 503),
    "unavailable: The server answered 503, not with MCP-lite",
    '503: {"error":"busy"}',
  ],
  "a server without connect()": [
    () => createServer({ tools: [] }).fetch(new Request("http://host/base", { method: "POST" })),
    "method_not_found: The server answered 404, not with MCP-lite: " +
    "check that the server has the wire grpc(), and the path of the URL",
    '404: {"jsonrpc":"2.0",',
  ],
  "connect() at another path": [
    () => createServer({ tools: [], wires: [grpc()] }).fetch(new Request("http://host/base", { method: "POST" })),
    "method_not_found: The server answered 404, not with MCP-lite: " +
    "check that the server has the wire grpc(), and the path of the URL",
    '404: {"jsonrpc":"2.0",',
  ],
};

for (const [what, [answer, reported, begins]] of Object.entries(FOREIGN)) {
  test(`an answer that is none is told by its status, and its cause has where and what: ${what}`, async () => {
    const fetch = async () => await answer();
    const transports = {
      "Connect, JSON": connectTransport("http://host/base", { fetch }),
      "Connect, binary": connectTransport("http://host/base", { fetch, format: "binary" }),
      "gRPC-Web": grpcWebTransport("http://host/base", { fetch }),
    };
    for (const [wire, transport] of Object.entries(transports)) {
      const client = createClient(transport, { retry: { attempts: 0 } });
      for (const go of [() => client["a"]!(), () => client["a"]!.stream().result, () => client.$.list()]) {
        const error = await go().then(() => undefined, (error: ToolError) => error);
        strictEqual(`${error?.code}: ${error?.message}`, reported, wire);
        match(
          String(error?.cause),
          /^Error: POST http:\/\/host\/base\/mcplite.MCPLite\/(CallTool(Stream)?|GetTools): /,
        );
        ok(String(error?.cause).includes(`: status ${begins}`), `${wire}: ${error?.cause}`);
      }
    }
  });
}

test("an answer that breaks off is an error", async () => {
  await rejects(fake(() => new Response("{", { headers: JSON_TYPE })).client["a"]!(), { name: "ToolError" });
});

test("a proxy's Retry-After is read, and does not take the place of what the server says", async () => {
  const headers = { "content-type": "text/html", "retry-after": "7" };
  const proxy = () => new Response("<html>", { status: 503, headers });
  await rejects(fake(proxy).client["a"]!(), { code: "unavailable", details: { retry_after_ms: 7_000 } });
  const limited = defineTool("a").describe("Refuse").handle(() => {
    throw new ToolError("rate_limited", "Slowly", { details: { retry_after_ms: 50 } });
  });
  const server = createServer({ tools: [limited], wires: [grpc()] });
  const own = ({ url, init }: Sent) => server.fetch(new Request(url.replace("/base", ""), init));
  await rejects(fake(own).client["a"]!(), { code: "rate_limited", details: { retry_after_ms: 50 } });
});

test("a response without meta is an answer, and an unknown type is kept", async () => {
  strictEqual(await fake(() => json({ result: { content: 5 } })).client["a"]!(), 5);
  const { client } = fake(() => json({ result: {}, meta: { responseType: 9 } }));
  const outcome = await client.$.outcome("a");
  ok(outcome.kind === "unknown");
  strictEqual(outcome.responseType, "9");
});

test("redirects are not followed", async () => {
  const { client } = fake(() => new Response(null, { status: 307, headers: { location: "http://elsewhere" } }));
  await rejects(client["a"]!(), { code: "invalid_request", message: /Redirects/ });
});

test("a server that cannot be reached is unavailable, without its address in the message", async () => {
  const { client } = fake(() => Promise.reject(new TypeError("refused")));
  await rejects(client["a"]!(), (error: Error) => {
    strictEqual(error.message, "Cannot reach the server");
    return String((error.cause as Error).message).includes("http://host");
  });
});

test("answers are read up to a limit", async () => {
  const large = () => json({ result: { content: "x".repeat(5_000) }, meta: {} });
  await rejects(fake(large, 1_000).client["a"]!(), { code: "result_too_large" });
  strictEqual((await fake(large, 10_000).client["a"]!() as string).length, 5_000);
});

test("a stream that breaks off is unavailable, whatever it said before", async () => {
  const partial = frame('{"result":{"partial":"a"}}');
  const last = frame('{"result":{"content":"a"},"meta":{}}');
  const bodies = [partial, partial.slice(0, 9), new Uint8Array(), new Uint8Array([...partial, 2, 0, 0])];
  for (const body of bodies) {
    const { client } = fake(() => new Response(body as Uint8Array<ArrayBuffer>, { headers: STREAM_JSON }));
    await rejects(client["a"]!.stream().result, { code: "unavailable" });
  }
  const end = frame("{}", 2);
  const whole = () => new Response(new Uint8Array([...partial, ...last, ...end]), { headers: STREAM_JSON });
  strictEqual(await fake(whole).client["a"]!.stream().result, "a");
  const endless = () => new Response(new Uint8Array([...partial, ...end]), { headers: STREAM_JSON });
  await rejects(fake(endless).client["a"]!.stream().result, { code: "unavailable" });
});

test("leaving a stream ends its request", async () => {
  let signal: AbortSignal | null | undefined;
  let isCancelled = false;
  const { client } = fake(({ init }) => {
    signal = init.signal;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(frame('{"result":{"partial":"a"}}')),
      cancel: () => void (isCancelled = true),
    });
    return new Response(body, { headers: STREAM_JSON });
  });
  for await (const _ of client["a"]!.stream()) break;
  await eventually(() => isCancelled);
  strictEqual(signal?.aborted, true);
});

test("a sink that throws ends the request, too", async () => {
  let signal: AbortSignal | null | undefined;
  const fetch = (_: string, init: RequestInit): Promise<Response> => {
    signal = init.signal;
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(frame('{"result":{"partial":"a"}}'));
    return Promise.resolve(new Response(new ReadableStream({ pull }), { headers: STREAM_JSON }));
  };
  const limit = { signal: new AbortController().signal, markActive() {}, suspend() {} };
  const sink = {
    push(): void {
      throw new Error("full");
    },
  };
  const transport = connectTransport("http://host", { fetch });
  strictEqual((await transport.call({ tool: "a", args: {}, meta: undefined, limit }, sink)).kind, "error");
  strictEqual(signal?.aborted, true);
});

test("arguments that are no object are refused before they are sent", async () => {
  const { sent, client } = fake(() => json({}));
  await rejects(client.$.call("a", [1]), { code: "invalid_input" });
  strictEqual(sent.length, 0);
});

test("a list of a plain server lacks what it did not say", async () => {
  const list = create(ToolsListSchema, { tools: [{ name: "a", description: "A", inputSchema: { type: "object" } }] });
  const { client } = fake(() => new Response(toJsonString(ToolsListSchema, list), { headers: JSON_TYPE }));
  deepStrictEqual(await client.$.list(), [{ name: "a", description: "A", inputSchema: { type: "object" } }]);
});

test("moments beyond what a date can say do not throw", async () => {
  const meta = { responseType: ResponseType.PROMISE, promiseToken: "t", expiresAt: 2n ** 62n, timestamp: -(2n ** 62n) };
  const bytes = toBinary(ToolResponseSchema, create(ToolResponseSchema, { meta }));
  const fetch = () => Promise.resolve(new Response(bytes, { headers: { "content-type": "application/proto" } }));
  const client = createClient(connectTransport("http://host", { fetch, format: "binary" }));
  strictEqual((await client.$.outcome("a")).kind, "promise");
});

test("a promise of one protocol is redeemed by the others", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = defineTool("slow").describe("Take its time").promise({ budgetMs: 10 }).handle(async () => {
    await gate.promise;
    return "done";
  });
  const server = createServer({ tools: [slow], wires: [grpc()], keys: "k1:a secret of at least thirty-two bytes" });
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, { ...init, redirect: "follow" }));
  const transports: Transport[] = [connectTransport("http://h", { fetch }), grpcWebTransport("http://h", { fetch })];
  const [one, other] = transports.map((transport) => createClient<typeof server>(transport));
  const { token } = await one!.slow.start({});
  gate.resolve();
  strictEqual(await other!.$.redeem(token).result(), "done");
  await server.close(0);
});
