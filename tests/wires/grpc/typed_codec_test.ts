/** The codec of typed messages: nothing is lost on the way, and protobuf-es reads and writes the same by the descriptor. */
import { type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readWhole } from "../../../src/wires/grpc/messages/binary.ts";
import { codecOf } from "../../../src/wires/grpc/messages/typed/codec.ts";
import { describeFile } from "../../../src/wires/grpc/messages/typed/descriptor.ts";
import { createTypedService } from "../../../src/wires/grpc/messages/typed/service.ts";
import type { MessageType } from "../../../src/wires/grpc/messages/typed/types.ts";
import { BinaryWriter } from "../../../src/wires/grpc/messages/wire_format.ts";
import { anyTyped } from "./any_typed.ts";

const DEPTH = 100;

function messagesOf(outputSchema: unknown) {
  const tool = { name: "any", outputSchema: outputSchema as Readonly<Record<string, unknown>> };
  const service = createTypedService([tool], "p");
  const message = service.messages.find(({ name }) => name === "AnyOutput") as MessageType;
  const described = () => describeFile(service).messages.find(({ name }) => name === "AnyOutput") as DescMessage;
  return { message, described };
}

function encode(message: MessageType, value: unknown): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  codecOf(message).write(writer, value as never);
  return writer.toEnvelope().subarray(5);
}

function decode(message: MessageType, bytes: Uint8Array, depth = DEPTH): unknown {
  const read = readWhole(bytes, message.typeName, (reader) => {
    return { value: codecOf(message).read(reader, bytes.length, depth) };
  });
  return "kind" in read ? `${read.code}: ${read.message}` : read.value;
}

const anyCase = anyTyped.chain(({ schema, value }) => fc.record({ schema: fc.constant(schema), value }));

test("a value of any schema is the same after it was encoded and decoded", () => {
  fc.assert(
    fc.property(anyCase, ({ schema, value }) => {
      const { message } = messagesOf(schema);
      deepStrictEqual(decode(message, encode(message, value)), value);
    }),
    { numRuns: 40 },
  );
});

test("protobuf-es reads the bytes by the descriptor, and what it writes is read as the same value", () => {
  fc.assert(
    fc.property(anyCase, ({ schema, value }) => {
      const { message, described } = messagesOf(schema);
      const desc = described();
      const library = fromBinary(desc, encode(message, value));
      strictEqual(library.$unknown, undefined);
      deepStrictEqual(decode(message, toBinary(desc, library)), value);
    }),
    { numRuns: 25 },
  );
});

test("changed bytes are read, or rejected as malformed", () => {
  fc.assert(
    fc.property(anyCase, fc.infiniteStream(fc.nat(255)), fc.nat(), ({ schema, value }, noise, at) => {
      const { message } = messagesOf(schema);
      const bytes = encode(message, value);
      if (bytes.length === 0) return;
      bytes[at % bytes.length] = noise.next().value as number;
      const read = decode(message, bytes.subarray(0, 1 + at % bytes.length));
      if (typeof read === "string" && read.includes("error: ")) ok(/^parse_error: /.test(read), read);
    }),
    { numRuns: 40 },
  );
});

test("a message that contains itself is read up to the maximum depth", () => {
  const node = { type: "object", properties: { next: { $ref: "#" }, id: { type: "string" } }, required: ["id"] };
  const { message } = messagesOf(node);
  const nest = (levels: number): unknown => levels === 1 ? { id: "x" } : { id: "x", next: nest(levels - 1) };
  const bytes = encode(message, nest(20));
  deepStrictEqual(decode(message, bytes, 20), nest(20));
  strictEqual(
    decode(message, bytes, 19),
    "invalid_request: The arguments are nested deeper than this server reads",
  );
});

test("schemas that refer to each other again and again end, with values for what is not a message", () => {
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { type: "array", items: { allOf: [next, next, { anyOf: [next, { type: "null" }] }] } }];
  }));
  for (const start of [{ $ref: "#/$defs/d0" }, { $ref: "#/$defs/self" }]) {
    const { message } = messagesOf({ $defs: { ...$defs, self: { $ref: "#/$defs/self" } }, ...start });
    ok(message.fields.length === 1);
  }
  const { message } = messagesOf({ type: "array", items: { $ref: "#" } });
  deepStrictEqual(message.nested.length, 0);
  deepStrictEqual(decode(message, encode(message, [[], [[]]])), [[], [[]]]);
});
