/**
 * gRPC itself, over a connection: requests with one thing wrong with each, for which the statuses that fit are known; and
 * messages and envelopes that are damaged anyhow.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { create, toBinary } from "@bufbuild/protobuf";
import { ServerReflectionRequestSchema } from "../../../../src/wires/grpc/messages/gen/grpc/reflection/v1/reflection_pb.ts";
import { ToolRequestSchema } from "../../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { frame, framesOf } from "../../../wires/grpc/frames.ts";
import type { Ending, Request2 } from "../../../wires/grpc/http2_calls.ts";
import { cut } from "../bytes.ts";
import type { RandomChoices } from "../random.ts";
import { createFixtureServer } from "../../fixture_server.ts";
import { assertNoLeak, mayBreak } from "../expected_codes.ts";
import { binaryMessage, deepMessage, envelope, makeZips, type Zips } from "../rpc_messages.ts";
import type { Target } from "../target.ts";
import { GRPC_CODES } from "../../../wires/descriptions/grpc.ts";

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
const deep = [600, 1_200].map((depth) => frame(deepMessage(depth)));

/** A request, and the statuses that fit it. */
interface Malformed {
  readonly request: Request2;
  readonly grpc?: readonly number[];
  readonly http?: number;
}

function withLength(length: number, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const framed = frame(bytes);
  new DataView(framed.buffer).setUint32(1, length);
  return framed;
}

function flipped(random: RandomChoices, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
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
const KINDS: readonly ((random: RandomChoices, zips: Zips) => Malformed)[] = [
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
  (random, { letters }) => ({
    request: callOf(random, [frame(letters.slice(0, random.below(letters.length)), 1)], GZIP),
    grpc: [INVALID],
  }),
  (random, { letters }) => ({
    request: callOf(random, [frame(flipped(random, letters), 1)], GZIP),
    grpc: [INVALID, NOT_FOUND],
  }),
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
  (random, { letters }) => ({
    request: {
      path: REFLECT,
      // The first is well; what follows is not, and nothing says that it ends.
      pieces: [
        frame(listServices),
        random.pick([
          frame(listServices, 9),
          withLength(2 ** 32 - 1, listServices),
          frame(new Uint8Array([0xff])),
          frame(letters, 1),
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

function callOf(random: RandomChoices, pieces: readonly Uint8Array[], headers: Request2["headers"] = {}): Request2 {
  return { path: random.pick([CALL, STREAM]), pieces, headers };
}

/** Statuses that callers may receive; INTERNAL is among them where the tool may have thrown. */
const STATUSES: ReadonlySet<number> = new Set([OK, ...Object.values(GRPC_CODES)]);
const FAULTS: ReadonlySet<number> = new Set([13, 14, 16]);

function anyRequest(random: RandomChoices, zips: Zips): Malformed {
  const body = envelope(random, binaryMessage(random), zips);
  const breaks = mayBreak(new TextDecoder().decode(body));
  const grpc = [...STATUSES].filter((status) => !FAULTS.has(status) || (breaks && status === 13));
  // Pieces of a byte each, of a megabyte, are a matter of HTTP/2.
  const pieces = body.length < 5_000 ? cut(random, body) : [body];
  return { request: callOf(random, pieces, random.oneIn(4) ? GZIP : {}), grpc };
}

function describe({ request, ...wanted }: Malformed): string {
  const hex = request.pieces.map((piece) => Array.from(piece.slice(0, 200), (byte) => byte.toString(16)).join(" "));
  const { path, method, headers } = request;
  return JSON.stringify({ ...wanted, method, path: path.slice(0, 80), headers, hex: hex.slice(0, 10) });
}

function judge({ grpc, http = 200 }: Malformed, ending: Ending): string {
  const { body, ...reported } = ending;
  assertNoLeak(new TextDecoder().decode(body) + ending.message);
  const reply = JSON.stringify(reported);
  strictEqual(ending.http, http, reply);
  ok(grpc === undefined || grpc.includes(ending.grpc ?? -1), reply);
  return `${ending.http === 200 ? "" : `HTTP ${ending.http}, `}${ending.grpc}`;
}

/** See above. */
export const grpcTarget: Target = {
  name: "grpc",
  skip: globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "workerd opens no sockets" : undefined,
  async open() {
    const { serve } = await import("../../../../src/entries/serve.ts");
    const { openSession, send2 } = await import("../../../wires/grpc/http2_calls.ts");
    const zips = await makeZips();
    const logged: string[] = [];
    const server = createFixtureServer(logged);
    const listening = await serve(server, { port: 0, graceMs: 0, grpc: { port: 0 } });
    const session = await openSession(listening.grpcUrl ?? "");
    return {
      make(random) {
        const malformed = random.oneIn(3) ? anyRequest(random, zips) : random.pick(KINDS)(random, zips);
        return {
          describe: () => describe(malformed),
          async send() {
            const ending = await send2(session, malformed.request);
            return () => judge(malformed, ending);
          },
        };
      },
      async isAlive() {
        deepStrictEqual(logged.splice(0), []);
        const { grpc, body } = await send2(session, { path: CALL, pieces: [frame(message)] });
        deepStrictEqual([grpc, framesOf(body).length], [0, 1]);
      },
      async close() {
        session.destroy();
        await listening.close();
      },
    };
  },
};
