/** Malformed and expensive requests by gRPC over a real connection. See tests/hostile/fuzz for random ones. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import process from "node:process";
import { create, toBinary } from "@bufbuild/protobuf";
import { serve } from "../../../src/entries/serve.ts";
import { readEnvelopes } from "../../../src/wires/grpc/messages/envelope.ts";
import { joinChunks } from "../../../src/internal/chunks.ts";
import { ServerReflectionRequestSchema } from "../../../src/wires/grpc/messages/gen/grpc/reflection/v1/reflection_pb.ts";
import { ToolRequestSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { createFixture } from "../../wires/fixture.ts";
import { frame, framesOf, gzipped } from "../../wires/grpc/frames.ts";
import { openSession, send2 } from "../../wires/grpc/http2_calls.ts";

const CALL = "/mcplite.MCPLite/CallTool";
const STREAM = "/mcplite.MCPLite/CallToolStream";
const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

const [OK, INVALID, EXHAUSTED] = [0, 3, 8];
const GZIP = { "grpc-encoding": "gzip" };

const message = toBinary(ToolRequestSchema, create(ToolRequestSchema, { name: "echo", arguments: { value: "v" } }));
const listServices = toBinary(
  ServerReflectionRequestSchema,
  create(ServerReflectionRequestSchema, { messageRequest: { case: "listServices", value: "" } }),
);
const bomb = await gzipped("\0".repeat(20_000_000));

async function withServer(work: (url: string, errors: readonly unknown[]) => Promise<void>): Promise<void> {
  const { server, journal } = createFixture();
  const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
  try {
    await work(listening.grpcUrl ?? "", journal.errors);
  } finally {
    await listening.close();
  }
}

test("gzip bombs end at the limit, in bounded memory, one message or many", async () => {
  await withServer(async (url) => {
    const session = await openSession(url);
    try {
      const before = process.memoryUsage.rss();
      for (let round = 0; round < 5; round++) {
        const paths = [CALL, STREAM, REFLECT, CALL];
        const endings = await Promise.all(
          paths.map((path) =>
            send2(session, { path, headers: GZIP, pieces: [frame(bomb, 1)], ends: path !== REFLECT })
          ),
        );
        deepStrictEqual(endings.map(({ grpc }) => grpc), paths.map(() => EXHAUSTED));
      }
      const grown = process.memoryUsage.rss() - before;
      ok(grown < 160 * 2 ** 20, `it grew by ${grown} bytes`);
    } finally {
      session.destroy();
    }
  });
});

test("headers of more than 16 kB end their stream alone, or the connection, and nothing else", async () => {
  await withServer(async (url) => {
    const other = await openSession(url);
    try {
      for (const [count, length] of [[1, 8_000], [1, 20_000], [1, 60_000], [300, 20], [100, 1_000]] as const) {
        const session = await openSession(url);
        const headers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "v".repeat(length)]));
        const { http, grpc } = await send2(session, { path: CALL, headers, pieces: [frame(message)] });
        deepStrictEqual([http, grpc], length === 8_000 ? [200, OK] : [undefined, undefined], `${count} × ${length}`);
        session.destroy();
      }
      strictEqual((await send2(other, { path: CALL, pieces: [frame(message)] })).grpc, OK);
    } finally {
      other.destroy();
    }
  });
});

test("a stream of requests is answered as it is read: a caller that does not read stops it", async () => {
  await withServer(async (url) => {
    const session = await openSession(url);
    try {
      const { grpc, body } = await send2(session, {
        path: REFLECT,
        pieces: Array.from({ length: 500 }, () => frame(listServices)),
      });
      deepStrictEqual([grpc, framesOf(body).length], [OK, 500]);
      const bytewise = joinChunks([frame(listServices), frame(listServices)]);
      const slowly = await send2(session, {
        path: REFLECT,
        pieces: Array.from(bytewise, (byte) => Uint8Array.of(byte)),
      });
      deepStrictEqual([slowly.grpc, framesOf(slowly.body).length], [OK, 2]);
    } finally {
      session.destroy();
    }
  });
});

test("a caller that leaves a stream of requests is nothing to log", async () => {
  await withServer(async (url, errors) => {
    const session = await openSession(url);
    try {
      for (let times = 0; times < 20; times++) {
        const stream = session.request({ ":method": "POST", ":path": REFLECT, "content-type": "application/grpc" });
        stream.on("error", () => {}).resume();
        stream.write(frame(listServices));
        await new Promise((resolve) => stream.once("response", resolve));
        stream.close(8);
      }
      strictEqual((await send2(session, { path: CALL, pieces: [frame(message)] })).grpc, OK);
      deepStrictEqual(errors, []);
    } finally {
      session.destroy();
    }
  });
});

test("a message that ends in a space arrives: callers drop headers that do", async () => {
  await withServer(async (url) => {
    const session = await openSession(url);
    try {
      const headers = { "grpc-timeout": "" };
      const { grpc, message: reply } = await send2(session, { path: CALL, headers, pieces: [frame(message)] });
      deepStrictEqual([grpc, reply], [INVALID, "protocol error: invalid grpc timeout value: "]);
    } finally {
      session.destroy();
    }
  });
});

test("readEnvelopes() opens a message in pieces of one byte without copying it with each", async () => {
  const large = frame(new Uint8Array(300_000));
  async function* bytes() {
    yield* await Promise.resolve(Array.from(large, (byte) => Uint8Array.of(byte)));
    yield frame("next");
  }
  const msOf = async (work: () => Promise<unknown>): Promise<number> => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
  const readMs = await msOf(() => Array.fromAsync(bytes()));
  const openedMs = await msOf(async () => {
    const opened = await Array.fromAsync(readEnvelopes(bytes(), 2 ** 20));
    deepStrictEqual(opened.map((one) => "message" in one ? one.message.length : one), [300_000, 4]);
  });
  // A copy with each byte is 45 GB.
  ok(openedMs < 10 * readMs + 500, `it took ${openedMs} ms, to read alone ${readMs} ms`);
});
