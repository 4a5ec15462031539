import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";

const MAX_BYTES = 4_096;
const echo = defineTool("echo").describe("Echo").handle(({ text }) => (text as string).length);
const server = createServer({ tools: [echo], limits: { bodyBytes: MAX_BYTES } });
const encoder = new TextEncoder();

/** A body of chunks, as a chunked request has it, and whether its source was cancelled. */
function createBody(chunks: Iterable<Uint8Array<ArrayBuffer>>) {
  const source = { isCancelled: false, pulled: 0 };
  const iterator = chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { value, done } = iterator.next();
      source.pulled++;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      source.isCancelled = true;
    },
  }, { highWaterMark: 0 });
  return { source, body };
}

async function send(body: BodyInit | null): Promise<{ status: number; answer: unknown }> {
  const headers = { "content-type": "application/json" };
  const init: RequestInit & { readonly duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
  const request = new Request("http://localhost/mcp-lite/v1/calltools", init);
  strictEqual(request.headers.get("content-length"), null);
  const response = await server.fetch(request);
  const { result, error } = await response.json();
  return { status: response.status, answer: result?.content ?? error.data?.code };
}

function messageOf(bytes: number): Uint8Array<ArrayBuffer> {
  const shell = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "echo", arguments: { text: "" } },
  });
  return encoder.encode(shell.replace('"text":""', `"text":"${"x".repeat(bytes - shell.length)}"`));
}

function* split(bytes: Uint8Array<ArrayBuffer>, size: number): Iterable<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

for (const size of [MAX_BYTES, MAX_BYTES - 1, 1_000, 7, 1]) {
  test(`a body of exactly the limit is read in chunks of ${size} bytes`, async () => {
    const { status, answer } = await send(createBody(split(messageOf(MAX_BYTES), size)).body);
    deepStrictEqual([status, typeof answer], [200, "number"]);
  });

  test(`one byte more is refused in chunks of ${size} bytes`, async () => {
    const { status, answer } = await send(createBody(split(messageOf(MAX_BYTES + 1), size)).body);
    deepStrictEqual([status, answer], [413, "payload_too_large"]);
  });
}

test("a body without an end is read up to the limit and cancelled", async () => {
  const chunk = new Uint8Array(1_000).fill(32);
  const { source, body } = createBody({
    *[Symbol.iterator]() {
      for (let count = 0; count < 1_000; count++) yield chunk;
    },
  });
  deepStrictEqual(await send(body), { status: 413, answer: "payload_too_large" });
  strictEqual(source.isCancelled, true);
  strictEqual(source.pulled <= 6, true, `${source.pulled} chunks were read`);
});

test("bytes without a length are limited, too", async () => {
  deepStrictEqual((await send(messageOf(MAX_BYTES))).status, 200);
  deepStrictEqual((await send(messageOf(MAX_BYTES + 1))).status, 413);
});

test("empty chunks and an empty body are read", async () => {
  const empty = new Uint8Array(0);
  const [first, ...rest] = split(messageOf(200), 50);
  const { status } = await send(createBody([empty, first ?? empty, empty, ...rest, empty]).body);
  strictEqual(status, 200);
  deepStrictEqual(await send(createBody([]).body), { status: 400, answer: "parse_error" });
  deepStrictEqual(await send(null), { status: 400, answer: "parse_error" });
});

test("a character that is split between chunks is one, and half of one is refused", async () => {
  const message = encoder.encode(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"😀"}}}',
  );
  const middle = message.indexOf(0xf0) + 2;
  const halves = [message.slice(0, middle), message.slice(middle)];
  deepStrictEqual(await send(createBody(halves).body), { status: 200, answer: 2 });
  const cut = [message.slice(0, middle), message.slice(middle + 2)];
  deepStrictEqual(await send(createBody(cut).body), { status: 400, answer: "parse_error" });
});
