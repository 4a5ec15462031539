/** Where gRPC listens: its own port, or one port in the clear; and addresses that are rejected. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import { createClient, createServer, mcpLite, type Middleware } from "../../mod.ts";
import { type Listening, serve, type ServeOptions } from "../../src/entries/serve.ts";
import { grpc, grpcTransport } from "../../src/entries/grpc.ts";
import { callBody, delay, isRefused } from "./client.ts";
import { answers, callFrames } from "../hostile/requests/http2_attacks.ts";
import { Flag, http2Frame, PREFACE, RawConnection, settings, Type } from "../hostile/requests/http2_frames.ts";
import { tools } from "./tools.ts";

const create = (middleware: readonly Middleware[] = []) =>
  createServer({ tools, middleware, wires: [mcpLite(), grpc()] });

async function withServer(
  options: ServeOptions,
  work: (listening: Listening) => Promise<void>,
  middleware?: readonly Middleware[],
): Promise<void> {
  const listening = await serve(create(middleware), { port: 0, graceMs: 0, ...options });
  try {
    await work(listening);
  } finally {
    await listening.close();
  }
}

/** A call by HTTP/1.1 of `node:http`. */
function callOverHttp1(port: number, agent: Agent, at: number): Promise<string> {
  const path = "/mcp-lite/v1/calltools";
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers, agent }, (received) => {
      let text = "";
      received.setEncoding("utf8").on("data", (piece) => (text += piece)).on("end", () => resolve(text));
    });
    sent.on("error", reject).end(callBody("echo", { at }));
  });
}

/** What comes back for bytes, until the connection ends. */
function converse(port: number, text: string, endsFirst: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
    let received = "";
    socket.on("data", (piece: Buffer) => (received += piece.toString("latin1")));
    socket.once("end", () => socket.end()).once("close", () => resolve(received));
    socket.write(text);
    if (endsFirst) socket.end();
  });
}

test("one port carries HTTP/1.1 with connections that are kept, under load, beside gRPC", async () => {
  await withServer({ grpc: true }, async ({ port, grpcUrl = "" }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const transport = grpcTransport(grpcUrl);
    const client = createClient(transport);
    try {
      const both = Array.from({ length: 400 }, async (_, at) => {
        const answer = JSON.parse(await callOverHttp1(port, agent, at)) as { result: { content: unknown } };
        deepStrictEqual(answer.result.content, { at });
        deepStrictEqual(await client["echo"]?.({ at }), { at });
      });
      await Promise.all(both);
    } finally {
      agent.destroy();
      transport.close?.();
    }
  });
});

test("one port recognises the protocol of a connection, however few bytes arrive at once", async () => {
  await withServer({ grpc: true }, async ({ url, port }) => {
    using connection = new RawConnection(url);
    const begun = [PREFACE, settings(), http2Frame(Type.settings, Flag.ack, 0), callFrames(1)];
    for (const byte of begun.flatMap((piece) => [...piece])) {
      connection.socket.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    strictEqual((await connection.ended(1))?.type, Type.headers);
    const body = callBody("echo");
    const head = `POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
    const text = `${head}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    match(await converse(port, text, false), /^HTTP\/1.1 200 /);
    // As `nc` does, which half-closes the connection.
    match(await converse(port, text, true), /^HTTP\/1.1 200 /);
    const socket = connectTcp(port, "127.0.0.1").on("error", () => {});
    let received = "";
    socket.on("data", (piece: Buffer) => (received += piece.toString("latin1")));
    for (const char of text) {
      socket.write(char);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => socket.once("close", resolve));
    match(received, /^HTTP\/1.1 200 /);
  });
});

test("one port passes on all of an answer that is read late, though both sides have ended", async () => {
  /** Calls that the server has answered, whose callers have not read anything yet. */
  const lengths = Array.from({ length: 30 }, (_, at) => 2_000_000 + at * 200_000);
  const answered = Promise.withResolvers<void>();
  let calls = 0;
  const counted: Middleware = async (_, next) => {
    const result = await next();
    if (++calls === lengths.length) answered.resolve();
    return result;
  };
  const read = async (port: number, url: string, length: number): Promise<number> => {
    const body = callBody("big", { length });
    const socket = connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
    socket.end(
      `POST /mcp-lite/v1/calltools HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
        `connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    socket.pause();
    await answered.promise;
    // The server has written what the sockets take, and answers other callers meanwhile.
    for (let n = 0; n < 10; n++) strictEqual(await answers(url), true);
    let received = 0;
    socket.on("data", (piece: Buffer) => (received += piece.length)).resume();
    await new Promise((resolve) => socket.once("close", resolve));
    return received;
  };
  await withServer({ grpc: true }, async ({ port, url }) => {
    // What waits in sockets differs; for some length it is all but the last piece.
    const lost: unknown[] = [];
    await Promise.all(lengths.map(async (length) => {
      const received = await read(port, url, length);
      if (received < length) lost.push({ length, received });
    }));
    deepStrictEqual(lost, []);
  }, [counted]);
});

test("one port closes at once beside connections that say nothing, or not enough, or have gone", async () => {
  // It would wait that long for a connection that it took for one with a call.
  const listening = await serve(create(), { port: 0, grpc: true, graceMs: 600_000 });
  const sockets = ["", "", "P", "PR", "GET / HT", PREFACE.toString()].map((text) => {
    const socket = connectTcp(listening.port, "127.0.0.1").on("error", () => {});
    if (text !== "") socket.write(text);
    return socket;
  });
  await Promise.all(sockets.map((socket) => socket.connecting && once(socket, "connect")));
  strictEqual(await answers(listening.url), true);
  sockets[1]?.destroy();
  sockets[3]?.destroy();
  strictEqual(await answers(listening.url), true);
  await listening.close();
  strictEqual(await isRefused(listening.url), true);
  for (const socket of sockets) socket.destroy();
});

test("a separate port for gRPC serves the other wires, too, and the first port names it", async () => {
  await withServer({ grpc: { port: 0 } }, async ({ url, grpcUrl = "", port }) => {
    ok(url !== grpcUrl);
    strictEqual(await answers(grpcUrl), true);
    const refused = await fetch(`${url}/mcplite.MCPLite/CallTool`, {
      method: "POST",
      headers: { "content-type": "application/grpc" },
      body: new Uint8Array(5),
    });
    strictEqual(refused.headers.get("grpc-status"), "12");
    match(decodeURIComponent(refused.headers.get("grpc-message") ?? ""), /grpc: \{ port \}/);
    await refused.body?.cancel();
    const agent = new Agent();
    match(await callOverHttp1(port, agent, 1), /"at":1/);
    agent.destroy();
  });
});

test("serve() wants the wire of gRPC", async () => {
  const server = createServer({ tools });
  for (const grpc of [true, { port: 0 }] as const) {
    await rejects(serve(server, { port: 0, grpc }), { name: "TypeError", message: /grpc\(\)/ });
  }
});

test("serve() rejects where a port is taken, and leaves nothing open", async () => {
  await withServer({}, async ({ port: taken, url }) => {
    const free = await freePort();
    const wrong: readonly (readonly [options: ServeOptions, port: number])[] = [
      [{ port: taken }, taken],
      [{ port: free, grpc: { port: taken } }, taken],
      [{ port: taken, grpc: { port: free } }, taken],
      [{ port: taken, grpc: true }, taken],
      [{ port: free, grpc: { port: free } }, free],
    ];
    for (const [options, port] of wrong) {
      const message = `Cannot listen on 127.0.0.1:${port}: the port is in use; pass another one, or 0 for any free one`;
      await rejects(serve(create(), options), { name: "Error", code: "EADDRINUSE", message }, JSON.stringify(options));
      strictEqual(await becomesRefused(`http://127.0.0.1:${free}`), true, JSON.stringify(options));
    }
    strictEqual(await isRefused(url), false);
  });
});

test("serve() rejects an invalid certificate, and leaves nothing open", async () => {
  const port = await freePort();
  await rejects(serve(create(), { port, tls: { key: "no key", cert: "no certificate" } }), {
    name: "TypeError",
    message: /PEM text/,
  });
  strictEqual(await isRefused(`http://127.0.0.1:${port}`), true);
});

/** Deno closes a port some time after it says so. */
async function becomesRefused(url: string): Promise<boolean> {
  for (let looks = 0; looks < 100; looks++) {
    if (await isRefused(url)) return true;
    await delay(20);
  }
  return false;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createTcpServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
