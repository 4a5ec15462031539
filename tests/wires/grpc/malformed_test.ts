/** Malformed requests by gRPC itself, over a real connection: each gets a clean status, and the server goes on. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import process from "node:process";
import { create, toBinary } from "@bufbuild/protobuf";
import { serve } from "../../../src/runtime/serve.ts";
import { concatBytes } from "../../../src/wires/grpc/bytes.ts";
import { readEnvelopes } from "../../../src/wires/grpc/envelope.ts";
import { ServerReflectionRequestSchema } from "../../../src/wires/grpc/gen/grpc/reflection/v1/reflection_pb.ts";
import { ToolRequestSchema } from "../../../src/wires/grpc/gen/mcplite_pb.ts";
import { createFixture } from "../fixture.ts";
import { frame, framesOf, gzipped } from "./frames.ts";
import { type Ending, openSession, type Request2, send2 } from "./http2_calls.ts";

const COUNT = 3_000;
const AT_ONCE = 25;

const CALL = "/mcplite.MCPLite/CallTool";
const STREAM = "/mcplite.MCPLite/CallToolStream";
const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const CHECK = "/grpc.health.v1.Health/Check";

const [OK, INVALID, DEADLINE, NOT_FOUND, EXHAUSTED, UNIMPLEMENTED] = [0, 3, 4, 5, 8, 12];
const GZIP = { "grpc-encoding": "gzip" };

const message = toBinary(ToolRequestSchema, create(ToolRequestSchema, { name: "echo", arguments: { value: "v" } }));
const listServices = toBinary(
  ServerReflectionRequestSchema,
  create(ServerReflectionRequestSchema, { messageRequest: { case: "listServices", value: "" } }),
);
const zipped = await gzipped("x".repeat(100));
const bomb = await gzipped("\0".repeat(20_000_000));

/** Numbers that are the same in every run (mulberry32). */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to, and without, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * end);
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}

/** A malformed request, and the statuses that fit it. */
interface Malformed {
  readonly request: Request2;
  readonly grpc?: readonly number[];
  readonly http?: number;
}

/** Lists in lists, in a struct: deeper than anything we read. */
function deepRequest(depth: number): Uint8Array {
  const wrap = (tag: number, inner: Uint8Array) => concatBytes([new Uint8Array([tag, ...varint(inner.length)]), inner]);
  let value: Uint8Array = new Uint8Array([0x20, 1]);
  for (let level = 0; level < depth; level++) value = wrap(0x32, wrap(0x0a, value));
  const entry = concatBytes([new Uint8Array([0x0a, 1, 0x76]), wrap(0x12, value)]);
  return concatBytes([new Uint8Array([0x0a, 4, ...new TextEncoder().encode("echo")]), wrap(0x12, wrap(0x0a, entry))]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

const deep = [600, 1_200].map((depth) => frame(deepRequest(depth)));

function withLength(length: number, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const framed = frame(bytes);
  new DataView(framed.buffer).setUint32(1, length);
  return framed;
}

function flipped(random: Random, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const changed = Uint8Array.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(changed.length);
    changed[at] = (changed[at] as number) ^ (1 << random.below(8));
  }
  return changed;
}

const TIMEOUTS: readonly (readonly [value: string, statuses: readonly number[]])[] = [
  ["0S", [DEADLINE]],
  ["0n", [DEADLINE]],
  ["00000000H", [DEADLINE]],
  ["1n", [OK, DEADLINE]],
  ["99999999H", [OK]],
  ["99999999S", [OK]],
  ["-1S", [INVALID]],
  ["-0m", [INVALID]],
  ["999999999S", [INVALID]],
  ["1", [INVALID]],
  ["S", [INVALID]],
  ["1X", [INVALID]],
  ["1.5S", [INVALID]],
  ["1e3m", [INVALID]],
  ["NaN", [INVALID]],
  ["1S,2S", [INVALID]],
];

/** One of a kind each. */
const KINDS: readonly ((random: Random) => Malformed)[] = [
  (random) => ({ request: callOf(random, [frame(message, 2 + random.below(254))]), grpc: [INVALID] }),
  (random) => ({ request: callOf(random, [frame(message, 1)]), grpc: [UNIMPLEMENTED] }),
  (random) => ({
    request: callOf(random, [withLength(random.pick([0, 1, message.length + 1, 2 ** 31, 2 ** 32 - 1]), message)]),
    grpc: [INVALID],
  }),
  (random) => ({
    request: callOf(random, [frame(message).slice(0, random.below(message.length + 5))]),
    grpc: [INVALID],
  }),
  (random) => ({ request: callOf(random, [frame(message), random.bytes(1 + random.below(20))]), grpc: [INVALID] }),
  (random) => ({ request: callOf(random, [frame(message), frame(message)]), grpc: [INVALID] }),
  (random) => ({ request: callOf(random, [random.bytes(random.below(64))]), grpc: [INVALID, UNIMPLEMENTED] }),
  // A few bytes may say something after all: then there is no such tool.
  (random) => ({
    request: callOf(random, [frame(random.bytes(1 + random.below(40)))]),
    grpc: [INVALID, NOT_FOUND],
  }),
  (random) => ({ request: callOf(random, [frame(flipped(random, message))]), grpc: [OK, INVALID, NOT_FOUND] }),
  (random) => ({
    request: callOf(random, [frame(random.bytes(1 + random.below(60)), 1)], GZIP),
    grpc: [INVALID],
  }),
  (random) => ({
    request: callOf(random, [frame(zipped.slice(0, random.below(zipped.length)), 1)], GZIP),
    grpc: [INVALID],
  }),
  (random) => ({ request: callOf(random, [frame(flipped(random, zipped), 1)], GZIP), grpc: [INVALID, NOT_FOUND] }),
  (random) => ({
    request: callOf(random, [frame(message, 1)], { "grpc-encoding": random.pick(["snappy", "br", "gzip, gzip", "x"]) }),
    grpc: [UNIMPLEMENTED],
  }),
  (random) => {
    const [value, grpc] = random.pick(TIMEOUTS);
    return { request: callOf(random, [frame(message)], { "grpc-timeout": value }), grpc };
  },
  (random) => ({ request: callOf(random, [random.pick(deep)]), grpc: [INVALID] }),
  (random) => ({
    request: {
      ...callOf(random, [frame(message)]),
      headers: {
        "content-type": random.pick(["text/plain", "application/grpc+json", "application/grpcx", "grpc", ""]),
      },
    },
    http: 415,
  }),
  (random) => ({
    request: {
      ...callOf(random, [frame(message)]),
      path: random.pick([
        "/",
        "//",
        "/mcplite.MCPLite",
        "/mcplite.MCPLite/calltool",
        "/a/b",
        "/__proto__",
        `/${"x".repeat(3_000)}`,
      ]),
    },
    http: 404,
  }),
  (random) => ({
    request: { ...callOf(random, [frame(message)]), method: random.pick(["GET", "PUT", "DELETE", "PATCH", "SPAM"]) },
    http: 405,
  }),
  (random) => ({
    request: callOf(random, [frame(message)], {
      ":authority": random.pick(["evil.example", "a:b:c", "x".repeat(2_000)]),
    }),
    http: 403,
  }),
  (random) => ({
    request: { path: CHECK, pieces: [frame(random.bytes(1 + random.below(30)))] },
    grpc: [INVALID, NOT_FOUND, OK],
  }),
  (random) => ({
    request: {
      path: REFLECT,
      // The first is well; what follows is not, and nothing says that it ends.
      pieces: [
        frame(listServices),
        random.pick([
          frame(listServices, 9),
          withLength(2 ** 32 - 1, listServices),
          frame(new Uint8Array([0xff])),
          frame(zipped, 1),
        ]),
      ],
      ends: false,
    },
    grpc: [INVALID, EXHAUSTED, UNIMPLEMENTED],
  }),
  (random) => ({
    request: { path: REFLECT, pieces: [frame(listServices).slice(0, 1 + random.below(listServices.length + 4))] },
    grpc: [INVALID],
  }),
];

function callOf(random: Random, pieces: readonly Uint8Array[], headers: Request2["headers"] = {}): Request2 {
  return { path: random.pick([CALL, STREAM]), pieces, headers };
}

function fits({ grpc, http = 200 }: Malformed, ending: Ending): boolean {
  return ending.http === http && (grpc === undefined || grpc.includes(ending.grpc ?? -1));
}

function describe({ request, ...wanted }: Malformed, { body, ...ending }: Ending): string {
  const hex = request.pieces.map((piece) => Array.from(piece.slice(0, 40), (byte) => byte.toString(16)).join(" "));
  const { path, method, headers } = request;
  return JSON.stringify({ ...ending, bytes: body.length, wanted, method, path: path.slice(0, 80), headers, hex });
}

/** What is held once all garbage is gone, where that can be brought about. */
function heldBytes(): number {
  const runtime = globalThis as { readonly Bun?: { gc(force: boolean): void }; readonly gc?: () => void };
  runtime.Bun?.gc(true);
  runtime.gc?.();
  return process.memoryUsage().heapUsed;
}

async function withServer(work: (url: string, errors: readonly unknown[]) => Promise<void>): Promise<void> {
  const { server, journal } = createFixture();
  const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
  try {
    await work(listening.grpcUrl ?? "", journal.errors);
  } finally {
    await listening.close();
  }
}

test(`${COUNT} malformed requests get a clean status each, in bounded memory, and the server goes on`, {
  timeout: 120_000,
}, async () => {
  await withServer(async (url, errors) => {
    const session = await openSession(url);
    const random = new Random(4_711);
    const all = Array.from({ length: COUNT }, (_, at) => (KINDS[at % KINDS.length] as (typeof KINDS)[number])(random));
    const wrong: string[] = [];
    const runAll = async (some: readonly Malformed[]) => {
      for (let at = 0; at < some.length; at += AT_ONCE) {
        const group = some.slice(at, at + AT_ONCE);
        const endings = await Promise.all(group.map(({ request }) => send2(session, request)));
        endings.forEach((ending, index) => {
          const malformed = group[index] as Malformed;
          if (!fits(malformed, ending)) wrong.push(describe(malformed, ending));
        });
      }
    };
    try {
      await runAll(all.slice(0, COUNT / 3));
      const before = heldBytes();
      await runAll(all.slice(COUNT / 3));
      const grown = heldBytes() - before;
      deepStrictEqual(wrong.slice(0, 9), [], `${wrong.length} are wrong`);
      ok(grown < 48 * 2 ** 20, `it grew by ${grown} bytes`);
      deepStrictEqual(errors, [], "the caller's fault is nothing to log");
      const { grpc, body } = await send2(session, { path: CALL, pieces: [frame(message)] });
      deepStrictEqual([grpc, framesOf(body).length], [0, 1]);
    } finally {
      session.destroy();
    }
  });
});

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
      const bytewise = concatBytes([frame(listServices), frame(listServices)]);
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
      const { grpc, message: said } = await send2(session, { path: CALL, headers, pieces: [frame(message)] });
      deepStrictEqual([grpc, said], [INVALID, "protocol error: invalid grpc timeout value: "]);
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
