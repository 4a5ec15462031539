/** Bodies of a short declared length are read at once. What bounds them then is the runtime: only where it does are they read so. */
import { rejects, strictEqual } from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createClient, mcpLiteTransport, type ToolError } from "../../mod.ts";

const answerOf = (content: string): string => JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content } });
const isTooLarge = (thrown: ToolError): boolean => thrown.code === "result_too_large";

async function withServer(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

/** Calls of an MCP-lite server that has one answer. */
function callsOf(url: string, maxResponseBytes?: number) {
  return createClient(mcpLiteTransport(url, { maxResponseBytes }), { retry: { attempts: 0 } }).$;
}

test("an answer of a short declared length arrives, with its characters and without its byte order mark", async () => {
  const body = Buffer.from(`\ufeff${answerOf("Grüße 🎉")}`);
  const answer: RequestListener = (_, out) => void out.setHeader("content-length", body.length).end(body);
  await withServer(answer, async (url) => strictEqual(await callsOf(url).call("t"), "Grüße 🎉"));
});

test("a compressed answer is limited by its size, not by its declared length", async () => {
  const body = gzipSync(answerOf("x".repeat(1_000_000)));
  strictEqual(body.length < 4_000, true);
  const headers = { "content-encoding": "gzip", "content-length": body.length };
  const answer: RequestListener = (_, out) => void out.writeHead(200, headers).end(body);
  await withServer(answer, async (url) => {
    await rejects(callsOf(url, 100_000).call("t"), isTooLarge);
    strictEqual((await callsOf(url).call("t") as string).length, 1_000_000);
  });
});

test("a short declared length above the limit is an error", async () => {
  const body = answerOf("x".repeat(5_000));
  const answer: RequestListener = (_, out) => void out.setHeader("content-length", body.length).end(body);
  await withServer(answer, (url) => rejects(callsOf(url, 1_000).call("t"), isTooLarge));
});

test("a response that a program makes is limited by what it has, whatever length it declares", async () => {
  const chunk = new Uint8Array(65_536).fill(0x78);
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (++chunks > 100) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const fetch = () => Promise.resolve(new Response(body, { headers: { "content-length": "10" } }));
  const transport = mcpLiteTransport("http://example.com", { fetch, maxResponseBytes: 300_000 });
  await rejects(createClient(transport, { retry: { attempts: 0 } }).$.call("t"), isTooLarge);
  strictEqual(chunks < 20, true);
});

test("a connection that breaks within a short body ends the call as unavailable", async () => {
  const answer: RequestListener = (_, out) => {
    out.setHeader("content-length", 100);
    out.write('{"jsonrpc"', () => out.destroy());
  };
  const isUnavailable = (thrown: ToolError): boolean => thrown.code === "unavailable";
  await withServer(answer, (url) => rejects(callsOf(url).call("t"), isUnavailable));
});

test("a call that is aborted within a short body closes its connection", async () => {
  const closed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const answer: RequestListener = (request, out) => {
    request.socket.once("close", closed.resolve);
    out.setHeader("content-length", 100);
    out.write('{"jsonrpc"', () => begun.resolve());
  };
  await withServer(answer, async (url) => {
    const left = new AbortController();
    const calling = callsOf(url).call("t", {}, { signal: left.signal });
    await begun.promise;
    left.abort(new Error("left"));
    await rejects(calling, /left/);
    await closed.promise;
  });
});
