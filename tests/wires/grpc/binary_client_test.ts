/** The client's half of the binary codec, compared with protobuf-es: the same bytes, the same members. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  decodeToolResponseBytes,
  EMPTY_META,
  encodeRequestEnvelope,
  type ResponseMembers,
} from "../../../src/wires/grpc/messages/binary.ts";
import { joinChunks } from "../../../src/internal/chunks.ts";
import { ToolRequestSchema, ToolResponseSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { anyMeta, anyOptional, anyText, DEPTH, present } from "./any_message.ts";
import { frame } from "./frames.ts";

const anyResponse = fc.record({ result: anyOptional, meta: fc.option(anyMeta, { nil: undefined }) })
  .map((sent) => toBinary(ToolResponseSchema, create(ToolResponseSchema, present(sent))));

function referenceOf(bytes: Uint8Array): ResponseMembers {
  const { result, meta } = fromBinary(ToolResponseSchema, bytes);
  if (meta === undefined) return { result, meta };
  const { $typeName: _, $unknown: __, ...members } = meta;
  return { result, meta: { ...EMPTY_META, ...members } };
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
      const bytes = joinChunks([one, other]);
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
