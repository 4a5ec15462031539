/** The client's half of the codec of the hot messages, against the library's: the same bytes, the same members. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  BLANK_META,
  decodeToolResponseBytes,
  encodeRequestEnvelope,
  type ResponseMembers,
} from "../../../src/wires/grpc/binary.ts";
import { concatBytes } from "../../../src/wires/grpc/bytes.ts";
import {
  ResponseMetaSchema,
  type ResponseType,
  ToolRequestSchema,
  ToolResponseSchema,
} from "../../../src/wires/grpc/gen/mcplite_pb.ts";
import { frame } from "./frames.ts";

const DEPTH = 40;
const MAX_INT32 = 2_147_483_647;

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.constantFrom("", "__proto__", "a".repeat(200)),
);
const anyObject = fc.dictionary(anyText, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 })
  // Protobuf's double tells -0 from 0, as JSON's text does not.
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const anyOptional = fc.option(anyObject, { nil: undefined });
const anyInt32 = fc.oneof(fc.integer({ min: -MAX_INT32 - 1, max: MAX_INT32 }), fc.constantFrom(0, 1, 127, 128, 16_384));
const anyInt64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, 1n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
);
const anyMeta = fc.record({
  responseType: fc.constantFrom(0, 1, 2, 3, 4, 9 as ResponseType),
  promiseToken: anyText,
  timestamp: anyInt64,
  processingTimeMs: anyInt32,
  expiresAt: anyInt64,
  estimatedCompletion: anyInt64,
  retryAfterMs: anyInt32,
  progress: anyOptional,
  continuation: anyText,
  requests: anyOptional,
  context: anyText,
  serverVersion: anyText,
  extra: anyOptional,
}).map((meta) => create(ResponseMetaSchema, present(meta)));
const anyResponse = fc.record({ result: anyOptional, meta: fc.option(anyMeta, { nil: undefined }) })
  .map((sent) => toBinary(ToolResponseSchema, create(ToolResponseSchema, present(sent))));

/** Without what is `undefined`. */
function present<Members extends object>(sent: Members): Members {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Members;
}

function referenceOf(bytes: Uint8Array): ResponseMembers {
  const { result, meta } = fromBinary(ToolResponseSchema, bytes);
  if (meta === undefined) return { result, meta };
  const { $typeName: _, $unknown: __, ...members } = meta;
  return { result, meta: { ...BLANK_META, ...members } };
}

test("encodeRequestEnvelope() writes the library's bytes", () => {
  fc.assert(
    fc.property(fc.record({ name: anyText, arguments: anyOptional, meta: anyOptional }), (request) => {
      deepStrictEqual(
        encodeRequestEnvelope(request),
        frame(toBinary(ToolRequestSchema, create(ToolRequestSchema, present(request)))),
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("decodeToolResponseBytes() reads what the library writes, as the library does", () => {
  fc.assert(
    fc.property(anyResponse, (bytes) => deepStrictEqual(decodeToolResponseBytes(bytes, DEPTH), referenceOf(bytes))),
    { seed: 1, numRuns: 500 },
  );
});

test("decodeToolResponseBytes() reads a response in two parts as one, as the library does", () => {
  fc.assert(
    fc.property(anyResponse, anyResponse, (one, other) => {
      const bytes = concatBytes([one, other]);
      deepStrictEqual(decodeToolResponseBytes(bytes, DEPTH), referenceOf(bytes));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("decodeToolResponseBytes() never throws", () => {
  const counts = { read: 0, refused: 0 };
  const anyBytes = fc.tuple(anyResponse, fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(anyBytes, ([bytes, where, byte]) => {
      const changed = bytes.slice();
      if (changed.length > 0) changed[where % changed.length] = byte;
      counts["kind" in decodeToolResponseBytes(changed, DEPTH) ? "refused" : "read"]++;
    }),
    { seed: 1, numRuns: 2_000 },
  );
  ok(Math.min(counts.read, counts.refused) > 200, JSON.stringify(counts));
});
