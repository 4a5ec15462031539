/** `grpcTransport()`, against servers that are broken, closed, slow or hostile. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import type { OutgoingHttpHeaders } from "node:http";
import { createServer as createHttp2, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer as createTcp, type Socket } from "node:net";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { createClient, createServer, defineTool, mcpLite, type ToolError } from "../../../mod.ts";
import { serve } from "../../../src/entries/serve.ts";
import { grpc, grpcTransport } from "../../../src/entries/grpc.ts";
import { ResponseType, ToolResponseSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { Flag, headerBlock, http2Frame, settings, Type } from "../requests/http2_frames.ts";
import { deepResponse } from "../../wires/grpc/deep_response.ts";
import { frame } from "../../wires/grpc/frames.ts";
import { eventually } from "../../eventually.ts";

const NO_RETRY = { retry: { attempts: 0 } } as const;
const GRPC = { ":status": 200, "content-type": "application/grpc" };

const answer = frame(toBinary(
  ToolResponseSchema,
  create(ToolResponseSchema, { result: { content: "ok" }, meta: { responseType: ResponseType.ANSWER } }),
));
const partial = frame(toBinary(ToolResponseSchema, create(ToolResponseSchema, { result: { partial: 1 } })));

/** Runs an HTTP/2 server with the given handler. */
async function withServer(
  onStream: (stream: ServerHttp2Stream, count: number) => void,
  work: (address: string, sessions: ReadonlySet<ServerHttp2Session>) => Promise<void>,
): Promise<void> {
  const server = createHttp2();
  const sessions = new Set<ServerHttp2Session>();
  let count = 0;
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {}).once("close", () => sessions.delete(session));
  });
  server.on("sessionError", () => {});
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {}).resume();
    onStream(stream, count++);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`127.0.0.1:${(server.address() as AddressInfo).port}`, sessions);
  } finally {
    for (const session of sessions) session.destroy();
    server.close();
  }
}

/** Results of a call and of a streamed call. */
async function endsOf(address: string, options: Parameters<typeof grpcTransport>[1] = {}): Promise<readonly string[]> {
  const transport = grpcTransport(address, options);
  const client = createClient(transport, { ...NO_RETRY, timeoutMs: 5_000 });
  const codeOf = (error: ToolError) => error.code;
  try {
    return [
      await client.$.call("t").then(() => "ok", codeOf),
      await client.$.stream("t").result.then(() => "ok", codeOf),
    ];
  } finally {
    transport.close?.();
  }
}

/** Responses, and the results of a call and of a streamed call that receive them. */
const ANSWERS: Readonly<Record<string, readonly [answer: (stream: ServerHttp2Stream) => void, code: string]>> = {
  "502 of a proxy": [replyWith({ ":status": 502, "content-type": "text/html" }, "<h1>Bad gateway</h1>"), "unavailable"],
  "404 of another server": [replyWith({ ":status": 404 }), "method_not_found"],
  "204": [replyWith({ ":status": 204 }), "invalid_request"],
  "304": [replyWith({ ":status": 304 }), "invalid_request"],
  "a redirect": [replyWith({ ":status": 302, location: "https://evil.example" }), "invalid_request"],
  "200 that is not gRPC": [
    replyWith({ ":status": 200, "content-type": "text/html" }, "<h1>Hello</h1>"),
    "invalid_request",
  ],
  "headers alone": [replyWith(GRPC), "unavailable"],
  "no trailers": [replyWith(GRPC, partial), "unavailable"],
  "garbage": [replyWith(GRPC, "garbage, whose first byte is no flag"), "unavailable"],
  "a message that says that it is huge": [
    replyWith(GRPC, new Uint8Array([0, 0x7f, 0xff, 0xff, 0xff, 1])),
    "result_too_large",
  ],
  "a message that is compressed, unasked": [
    (stream) => endWith(stream, [new Uint8Array([1, ...answer.slice(1)])], { "grpc-status": "0" }),
    "unavailable",
  ],
  "a compression that was not asked for": [replyWith({ ...GRPC, "grpc-encoding": "gzip" }, answer), "unavailable"],
  "a message cut short": [replyWith(GRPC, answer.slice(0, 9)), "unavailable"],
  "a message that is no protobuf": [
    (stream) => endWith(stream, [frame(new Uint8Array([0xff, 0xff, 0xff]))], { "grpc-status": "0" }),
    "unavailable",
  ],
  "an answer nested beyond sense": [
    (stream) => endWith(stream, [frame(deepResponse(50_000))], { "grpc-status": "0" }),
    "result_too_large",
  ],
  "a status that is none": [(stream) => endWith(stream, [answer], { "grpc-status": "abc" }), "internal"],
  "a status nobody knows": [(stream) => endWith(stream, [], { "grpc-status": "99" }), "internal"],
  "OK, and nothing": [(stream) => endWith(stream, [], { "grpc-status": "0" }), "unavailable"],
  "details that are none": [
    (stream) => endWith(stream, [], { "grpc-status": "5", "grpc-message": "%zz%", "grpc-status-details-bin": "***" }),
    "unavailable",
  ],
  "a reset": [(stream) => stream.close(2), "unavailable"],
  "a reset in the middle": [(stream) => {
    stream.respond(GRPC);
    stream.write(partial, () => stream.close(8));
  }, "unavailable"],
  "a connection cut at once": [(stream) => stream.session?.destroy(), "unavailable"],
  "a connection cut in the middle": [(stream) => {
    stream.respond(GRPC);
    stream.write(partial);
    setTimeout(() => stream.session?.destroy(), 20);
  }, "unavailable"],
};

/** Sends a response without trailers. */
function replyWith(headers: OutgoingHttpHeaders, body?: string | Uint8Array): (stream: ServerHttp2Stream) => void {
  return (stream) => {
    stream.respond(headers, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
  };
}

function endWith(
  stream: ServerHttp2Stream,
  body: readonly Uint8Array[],
  trailers: Readonly<Record<string, string>>,
): void {
  stream.once("wantTrailers", () => stream.sendTrailers(trailers));
  stream.respond(GRPC, { waitForTrailers: true });
  for (const piece of body) stream.write(piece);
  stream.end();
}

for (const [name, [respond, code]] of Object.entries(ANSWERS)) {
  test(`grpcTransport() understands an answer that is none: ${name}`, async () => {
    await withServer(respond, async (address) => deepStrictEqual(await endsOf(address), [code, code]));
  });
}

/** A TCP server that sends the given bytes after the first data. */
async function withRawServer(answers: Uint8Array, work: (address: string) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => socket.write(answers));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const hello = [settings(), http2Frame(Type.settings, Flag.ack, 0)];
const statusOf = (status: string) =>
  http2Frame(Type.headers, Flag.endHeaders | Flag.endStream, 1, headerBlock([[":status", status]]));

for (
  const [name, answers] of [
    ["HTTP/1.1", [new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n")]],
    ["garbage", [new Uint8Array(400).fill(0xff)]],
    ["a status of 999", [...hello, statusOf("999")]],
    ["a status of 600", [...hello, statusOf("600")]],
    ["a status of letters", [...hello, statusOf("abc")]],
    ["no status", [...hello, http2Frame(Type.headers, Flag.endHeaders | Flag.endStream, 1, headerBlock([["x", "y"]]))]],
    ["a push", [
      ...hello,
      http2Frame(Type.push, Flag.endHeaders, 1, new Uint8Array([0, 0, 0, 2, ...headerBlock([[":method", "GET"]])])),
    ]],
  ] as const
) {
  test(`grpcTransport() gives up on a server that says ${name}`, async () => {
    const all = new Uint8Array(answers.flatMap((piece) => [...piece]));
    await withRawServer(all, async (address) => {
      const client = createClient(grpcTransport(address), { ...NO_RETRY, timeoutMs: 2_000 });
      const error = await client.$.call("t").then(() => undefined, (error: ToolError) => error);
      ok(["unavailable", "internal", "deadline_exceeded"].includes(error?.code ?? ""), String(error));
      client.$.close();
    });
  });
}

test("grpcTransport() at a port of HTTP/1.1 says in the cause what is wrong there", async () => {
  await withRawServer(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"), async (address) => {
    const client = createClient(grpcTransport(address), NO_RETRY);
    const error = await client.$.call("t").then(() => undefined, (error: ToolError) => error);
    match(String(error?.cause), /POST .*\/CallTool: .*gRPC may have another port/);
    client.$.close();
  });
});

test("grpcTransport() has in the cause the address and the start of a response that is not gRPC", async () => {
  await withServer((stream) => {
    stream.respond({ ":status": 404, "content-type": "text/html" });
    stream.end(`<h1>Nothing here</h1>${"x".repeat(70_000)}`);
  }, async (address) => {
    const client = createClient(grpcTransport(`http://${address}/base`), NO_RETRY);
    const error = await client.$.call("t").then(() => undefined, (error: ToolError) => error);
    match(
      String(error?.message),
      /^The server answered 404, not with MCP-lite: check that the server has the wire grpc\(\), and the path /,
    );
    match(
      String(error?.cause),
      /POST http:.*\/base\/mcplite.MCPLite\/CallTool: status 404: <h1>Nothing here<\/h1>x{179}$/,
    );
    client.$.close();
  });
});

test("grpcTransport() bounds what it reads: a message, and all of a stream", async () => {
  await withServer((stream) => {
    stream.respond(GRPC);
    // A length without its message, then chunks without an end.
    stream.write(new Uint8Array([0, 0xff, 0xff, 0xff, 0xff]));
    const more = setInterval(() => stream.write(new Uint8Array(16_384)), 1);
    stream.once("close", () => clearInterval(more));
  }, async (address) => {
    deepStrictEqual(await endsOf(address, { maxResponseBytes: 100_000 }), ["result_too_large", "result_too_large"]);
  });
  await withServer((stream) => {
    stream.respond(GRPC);
    const more = setInterval(() => stream.write(partial), 1);
    stream.once("close", () => clearInterval(more));
  }, async (address) => {
    const client = createClient(grpcTransport(address, { maxResponseBytes: 500 }), NO_RETRY);
    await rejects(client.$.stream("t").result, { code: "result_too_large" });
    client.$.close();
  });
});

test("grpcTransport() times out, aborts, and resets its stream, at a server that says nothing", async () => {
  const resets: number[] = [];
  let streams = 0;
  const onStream = (stream: ServerHttp2Stream) => {
    streams++;
    stream.once("close", () => resets.push(stream.rstCode ?? -1));
  };
  await withServer(onStream, async (address) => {
    const client = createClient(grpcTransport(address), NO_RETRY);
    /** Makes a call whose time is over, with more time if no stream has reached the server. */
    const timeOut = async (call: (timeoutMs: number) => Promise<unknown>) => {
      const before = streams;
      for (let timeoutMs = 100; streams === before && timeoutMs < 5_000; timeoutMs *= 2) {
        await rejects(call(timeoutMs), { code: "deadline_exceeded" });
      }
    };
    await timeOut((timeoutMs) => client.$.call("t", {}, { timeoutMs }));
    await timeOut((timeoutMs) => client.$.stream("t", {}, { timeoutMs }).result);
    const leaving = new AbortController();
    const left = rejects(client.$.call("t", {}, { signal: leaving.signal }), /enough/);
    await eventually(() => streams === 3);
    leaving.abort(new Error("enough"));
    await left;
    await eventually(() => resets.length === 3);
    deepStrictEqual(resets, [8, 8, 8]);
    client.$.close();
  });
});

test("grpcTransport() reconnects after a lost connection", async () => {
  await withServer((stream) => endWith(stream, [answer], { "grpc-status": "0" }), async (address, sessions) => {
    const client = createClient(grpcTransport(address), NO_RETRY);
    // The client is notified by the connection. Until then a call may fail with it.
    const answered = () =>
      eventually(async () => {
        const reply = await client.$.call("t").catch((error: ToolError) => error.code);
        if (reply !== "ok") strictEqual(reply, "unavailable");
        return reply === "ok";
      }, "a call is answered");
    for (let round = 0; round < 3; round++) {
      await answered();
      const session = [...sessions].at(-1);
      if (round === 1) session?.close();
      else session?.destroy();
    }
    await answered();
    client.$.close();
  });
});

test("grpcTransport() does not send what was aborted before", async () => {
  let calls = 0;
  await withServer((stream) => {
    calls++;
    endWith(stream, [answer], { "grpc-status": "0" });
  }, async (address) => {
    const leaving = new AbortController();
    const headers = () => {
      if (calls > 0) leaving.abort(new Error("enough"));
      return {};
    };
    const client = createClient(grpcTransport(address, { headers }), NO_RETRY);
    strictEqual(await client.$.call("t"), "ok");
    await rejects(client.$.call("t", {}, { signal: leaving.signal }), /enough/);
    strictEqual(await client.$.call("t"), "ok");
    strictEqual(calls, 2);
    client.$.close();
  });
});

test("grpcTransport() leaves a connection that has fallen silent", async () => {
  await withServer((stream) => endWith(stream, [answer], { "grpc-status": "0" }), async (address) => {
    const port = Number(new URL(`http://${address}`).port);
    const sockets = new Set<Socket>();
    let isSilent = false;
    const proxy = createTcp((socket) => {
      const upstream = connectTcp(port, "127.0.0.1");
      // As after the loss of a route: packets are dropped without an error.
      const isOfFirst = sockets.size === 0;
      for (const [from, to] of [[socket, upstream], [upstream, socket]] as const) {
        sockets.add(from);
        from.on("data", (bytes) => void (isOfFirst && isSilent ? 0 : to.write(bytes))).on("error", () => {});
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const client = createClient(grpcTransport(`127.0.0.1:${(proxy.address() as AddressInfo).port}`), NO_RETRY);
    strictEqual(await client.$.call("t"), "ok");
    isSilent = true;
    await rejects(client.$.call("t", {}, { timeoutMs: 200 }), { code: "deadline_exceeded" });
    strictEqual(await client.$.call("t", {}, { timeoutMs: 5_000 }), "ok");
    client.$.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
});

test("grpcTransport() lets calls under way end when it is closed, and closes its connection then", async () => {
  await withServer((stream) => {
    setTimeout(() => endWith(stream, [answer], { "grpc-status": "0" }), 200);
  }, async (address, sessions) => {
    const client = createClient(grpcTransport(address), NO_RETRY);
    const call = client.$.call("t");
    await eventually(() => sessions.size > 0);
    client.$.close();
    strictEqual(await call, "ok");
    await eventually(() => sessions.size === 0);
  });
});

test("grpcTransport() comes back to a server that was away", async () => {
  const tools = [defineTool("ping").describe("Answer").handle(() => "pong")];
  const open = (port: number) =>
    serve(createServer({ tools, wires: [mcpLite(), grpc()] }), { port: 0, grpc: { port }, graceMs: 0 });
  const first = await open(0);
  const { host, port } = new URL(first.grpcUrl ?? "");
  const client = createClient(grpcTransport(host), NO_RETRY);
  strictEqual(await client.$.call("ping"), "pong");
  await first.close();
  const refused = await client.$.call("ping").then(() => undefined, (error: ToolError) => error);
  strictEqual(refused?.code, "unavailable");
  match(refused.message, /^Cannot reach the server/);
  match(String((refused.cause as Error | undefined)?.message), /POST http:\/\/127\.0\.0\.1:\d+\/mcplite/);
  const second = await open(Number(port));
  strictEqual(await client.$.call("ping"), "pong");
  client.$.close();
  await second.close();
});
