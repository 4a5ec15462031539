import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { create, type DescMessage, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import type { ToolRequestMembers } from "../../../src/wires/grpc/messages/binary.ts";
import { EmptySchema, ToolRequestSchema } from "../../../src/wires/grpc/messages/gen/mcplite_pb.ts";
import { parseContentType, readRequest, type RequestType } from "../../../src/wires/grpc/server/request.ts";
import { anyOptional, anyText, present } from "./any_message.ts";

/** Requests by Connect and gRPC-Web, read in both encodings: the same messages and the same errors as protobuf-es. */
import fc from "fast-check";

const LIMITS = { bodyBytes: 1_000_000, depth: 20, answerChars: 1, resultChars: 1 };

function read(type: RequestType, contentType: string, body: Uint8Array): ReturnType<typeof readRequest> {
  return readRequest(type, new Uint8Array(body), parseContentType(contentType), new Headers(), LIMITS);
}

/** Decodes with protobuf-es. */
function referenceOf(schema: DescMessage, json: JsonValue): ToolRequestMembers | "parse_error" {
  try {
    const message = fromJson(schema, json, { ignoreUnknownFields: true }) as unknown as Partial<ToolRequestMembers>;
    const { name = "", arguments: args, meta } = message;
    return present({ name, arguments: args, meta });
  } catch {
    return "parse_error";
  }
}

async function outcomeOf(type: RequestType, text: string): Promise<ToolRequestMembers | string> {
  const result = await read(type, "application/json", new TextEncoder().encode(text));
  return "kind" in result ? result.code : present(result);
}

const anyMember = fc.oneof(anyOptional, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, "", "text", 1, true, []));

test("readRequest() reads JSON as protobuf-es does", async () => {
  const anyJson = fc.oneof(
    fc.record({ name: fc.oneof(anyText, anyMember), arguments: anyMember, meta: anyMember, more: anyMember }, {
      requiredKeys: [],
    }),
    fc.jsonValue({ maxDepth: 2 }),
  ).map((value) => JSON.stringify(value));
  const counts = { read: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(anyJson, async (text) => {
      const json = JSON.parse(text) as JsonValue;
      const want = referenceOf(ToolRequestSchema, json);
      deepStrictEqual(await outcomeOf("mcplite.ToolRequest", text), want);
      deepStrictEqual(await outcomeOf("mcplite.Empty", text), referenceOf(EmptySchema, json));
      counts[want === "parse_error" ? "refused" : "read"]++;
    }),
    { seed: 1, numRuns: 1_000 },
  );
  ok(Math.min(counts.read, counts.refused) > 200, JSON.stringify(counts));
});

test("readRequest() reads a message alike in every encoding", async () => {
  const request = { name: "add", arguments: { a: 1, list: [null, "b", { c: true }] }, meta: { d: {} } };
  const binary = toBinary(ToolRequestSchema, create(ToolRequestSchema, request));
  const enveloped = new Uint8Array([0, 0, 0, 0, binary.length, ...binary]);
  const text = new TextEncoder().encode(btoa(String.fromCharCode(...enveloped)));
  for (
    const [contentType, body] of [
      ["application/json", new TextEncoder().encode(JSON.stringify(request))],
      ["application/proto", binary],
      ["application/connect+proto", enveloped],
      ["application/grpc-web+proto", enveloped],
      ["application/grpc-web-text", text],
    ] as const
  ) deepStrictEqual(await read("mcplite.ToolRequest", contentType, body), request, contentType);
});

const JSON_ERRORS: Readonly<Record<string, readonly [text: string, code: string, message: string]>> = {
  "an array": ["[]", "parse_error", "Not a mcplite.ToolRequest: the body is not an object"],
  "a name that is not a string": [
    '{"name":1}',
    "parse_error",
    "Not a mcplite.ToolRequest: name is not a Unicode string",
  ],
  "arguments that are a list": [
    '{"arguments":[]}',
    "parse_error",
    "Not a mcplite.ToolRequest: arguments is not an object",
  ],
  "a meta that is text": ['{"meta":""}', "parse_error", "Not a mcplite.ToolRequest: meta is not an object"],
  "an infinity": ['{"arguments":{"a":[-1e999]}}', "parse_error", "A number is -Infinity, which is not JSON"],
  "no JSON": ["{", "parse_error", "The body is not JSON"],
  "nesting beyond the limit": [
    `{"meta":${"[".repeat(20)}${"]".repeat(20)}}`,
    "invalid_request",
    "The body is nested deeper than 20 levels",
  ],
};

for (const [name, [text, code, message]] of Object.entries(JSON_ERRORS)) {
  test(`readRequest() rejects ${name}`, async () => {
    const result = await read("mcplite.ToolRequest", "application/json", new TextEncoder().encode(text));
    ok("kind" in result);
    deepStrictEqual([result.code, result.message], [code, message]);
  });
}

test("readRequest() reads an Empty of any members, and rejects bytes that are not a message", async () => {
  const bytes = toBinary(ToolRequestSchema, create(ToolRequestSchema, { name: "ignored" }));
  deepStrictEqual(await read("mcplite.Empty", "application/proto", bytes), { name: "" });
  const result = await read("mcplite.Empty", "application/proto", Uint8Array.of(0xff));
  strictEqual("kind" in result && result.message, "Not a mcplite.Empty: it ends too early");
});
