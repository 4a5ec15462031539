/** Replies that break while they are sent: their callers see it, other callers do not. */
import { ok, strictEqual } from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { serve } from "../../src/entries/serve.ts";
import { grpc } from "../../src/entries/grpc.ts";
import type { Reply, RequestWire } from "../../src/entries/wire.ts";

const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];

function brokenBody(): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream({
    pull(controller) {
      if (pulls++ === 0) controller.enqueue(new TextEncoder().encode("first"));
      else controller.error(new Error("secret: it broke"));
    },
  });
}

const REPLIES: Readonly<Record<string, () => Reply>> = {
  "/body": () => ({ status: 200, headers: {}, body: brokenBody() }),
  "/trailers": () => ({
    status: 200,
    headers: {},
    body: new TextEncoder().encode("x"),
    trailers: () => {
      throw new Error("secret: no trailers");
    },
  }),
  "/headers": () => ({ status: 200, headers: { "x-bad": "a\r\nb" }, body: null }),
};

const breaking: RequestWire = {
  name: "breaking",
  mount: () => ({ paths: Object.keys(REPLIES), handle: ({ path }) => (REPLIES[path] as () => Reply)() }),
};

test("over HTTP/2 a reply that breaks ends its stream, and the next is answered", async () => {
  const server = createServer({ tools, wires: [breaking, grpc()] });
  const listening = await serve(server, { port: 0, grpc: { port: 0 }, graceMs: 0 });
  const session = connectHttp2(listening.grpcUrl ?? "");
  try {
    for (const path of Object.keys(REPLIES)) {
      const ended = new Promise<void>((resolve) => {
        const stream = session.request({ ":method": "POST", ":path": path });
        stream.on("error", () => {}).on("close", () => resolve());
        stream.resume();
        stream.end();
      });
      await ended;
    }
    const status = await new Promise<unknown>((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": "/mcplite.MCPLite/CallTool",
        "content-type": "application/json",
      });
      stream.on("response", (headers) => resolve(headers[":status"])).on("error", reject);
      stream.resume();
      stream.end('{"name":"ping"}');
    });
    strictEqual(status, 200);
  } finally {
    session.destroy();
    await listening.close();
  }
});

test("over HTTP/1.1 a body that breaks ends its connection, and the next request is answered", async () => {
  const server = createServer({ tools, wires: [breaking, grpc()] });
  const listening = await serve(server, { port: 0, graceMs: 0 });
  try {
    const read = await fetch(`${listening.url}/body`, { method: "POST" }).then((response) => response.text()).catch(
      () => "",
    );
    ok(!read.includes("secret"));
    const response = await fetch(`${listening.url}/mcplite.MCPLite/CallTool`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"name":"ping"}',
    });
    strictEqual(response.status, 200);
    await response.text();
  } finally {
    await listening.close();
  }
});
