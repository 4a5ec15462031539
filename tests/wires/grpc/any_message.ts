/** Arbitraries of fast-check for the messages of a call: any text, any JSON, any meta. */
import { create, type JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { ResponseMetaSchema, type ResponseType } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";

export const DEPTH = 6;
const MAX_INT32 = 2_147_483_647;

export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.string({ unit: fc.constantFrom("\ud800", "\udfff", "\ufeff", "\0", "a", "é", "😀"), maxLength: 40 }),
  fc.constantFrom("", "__proto__", "constructor", "a".repeat(32), "a".repeat(33), `${"a".repeat(127)}é`),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "medium", maxDepth: DEPTH - 2 },
    fc.oneof(anyText, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie("json"), { maxLength: 4 }),
    members(tie("json")),
  ),
}));
const anyObject = members(json) as fc.Arbitrary<JsonObject>;
export const anyOptional = fc.option(anyObject, { nil: undefined });

function members(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc.array(fc.tuple(anyText, value), { maxLength: 5 }).map(Object.fromEntries);
}

/** Removes members that are `undefined`. */
export function present<Members extends object>(sent: Members): Members {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Members;
}

export const anyMeta = fc.record({
  responseType: fc.constantFrom(0, 1, 2, 3, 4, 9 as ResponseType),
  promiseToken: anyText,
  timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  processingTimeMs: fc.integer({ min: -MAX_INT32 - 1, max: MAX_INT32 }),
  expiresAt: fc.bigInt({ min: 0n, max: 2n ** 54n }),
  estimatedCompletion: fc.constantFrom(
    ...[0n, 1n, 127n, 128n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -1n, -(2n ** 63n)],
  ),
  retryAfterMs: fc.constantFrom(0, 1, 127, 128, 16_383, 16_384, MAX_INT32, -1),
  progress: anyOptional,
  continuation: anyText,
  requests: anyOptional,
  context: anyText,
  serverVersion: anyText,
  extra: anyOptional,
}).map((meta) => create(ResponseMetaSchema, present(meta)));
