/** Schemas of values that JSON cannot have are refused where a tool is defined, with what to write; what is like them is accepted. */
import { deepStrictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import { Schema as E } from "effect";
import * as v from "valibot";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { createServer, defineTool, type Schema } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";

const standard = (schema: E.Schema<unknown>) =>
  E.toStandardJSONSchemaV1(E.toStandardSchemaV1(schema as E.Codec<unknown>)) as unknown as Schema;

/** Arguments whose member JSON cannot have, by the names of their libraries, and what the refusal says to write. */
const WITHOUT_JSON: readonly (readonly [string, object, RegExp])[] = [
  ["v.file()", v.object({ a: v.file() }), /for bytes, text in base64 with v\.base64\(\)$/],
  ["v.blob()", v.object({ a: v.blob() }), /with v\.base64\(\)$/],
  ["v.instance(Uint8Array)", v.object({ a: v.instance(Uint8Array) }), /with v\.base64\(\)$/],
  ["v.custom()", v.object({ a: v.custom(() => true) }), /a custom check, a JSON type with v\.check\(…\)$/],
  ["z.instanceof(Uint8Array)", z.object({ a: z.instanceof(Uint8Array) }), /with z\.base64\(\); .* \.refine\(…\)$/],
  ["z.custom()", z.object({ a: z.custom<string>() }), /a custom check, a JSON type with \.refine\(…\)$/],
  ["z.file()", z.object({ a: z.file() }), /with z\.base64\(\)$/],
  ["z.array(z.file().max(5_000_000).optional())", z.object({ a: z.array(z.file().optional()) }), /z\.base64\(\)$/],
  ["zod/mini: instanceof", mini.object({ a: mini.instanceof(Uint8Array) }), /with z\.base64\(\); /],
  ["zod/v3: instanceof", z3.object({ a: z3.instanceof(Uint8Array) }), /with z\.string\(\)\.base64\(\)$/],
  [
    "zod/v3: array of instanceof",
    z3.object({ a: z3.array(z3.instanceof(Date)).optional() }),
    /z\.string\(\)\.datetime\(\)/,
  ],
  ["zod/v3: date", z3.object({ a: z3.date() }), /for a date, text with z\.string\(\)\.datetime\(\)$/],
  ["ArkType: Date", type({ a: "Date" }), /a "Date" .*for a date, text with "string\.date\.iso\.parse"$/],
  ["ArkType: a range of dates", type({ a: "Date > d'2020-01-01'" }), /a "Date" has no JSON form/],
  [
    "ArkType: instanceOf",
    type({ "a?": type.instanceOf(Uint8Array).array() }),
    /a "Uint8Array" .* with "string\.base64"$/,
  ],
  ["ArkType: bigint", type({ a: "bigint | string" }), /a "bigint" has no JSON form/],
  ["Effect: Date", standard(E.Struct({ a: E.Date })), /a "Date" .*with Schema\.DateFromString$/],
  ["Effect: Uint8Array", standard(E.Struct({ a: E.optional(E.Uint8Array) })), /with Schema\.Uint8ArrayFromBase64$/],
  ["Effect: instanceOf", standard(E.Struct({ a: E.Array(E.instanceOf(URL)) })), /Schema\.Unknown\.check\(…\)$/],
  ["Effect: BigInt", standard(E.Struct({ a: E.Union([E.String, E.BigInt]) })), /a "BigInt" has no JSON form/],
  [
    "Effect: a Map behind suspend",
    standard(E.Struct({ a: E.suspend(() => E.ReadonlyMap(E.String, E.String)) })),
    /"ReadonlyMap"/,
  ],
];
for (const [name, schema, says] of WITHOUT_JSON) {
  test(`${name} as input or output is refused with what to write`, () => {
    throws(() => defineTool("t").describe("T").input(schema as Schema), says);
    throws(() => defineTool("t").describe("T").output(schema as Schema), says);
  });
}

/** What is like the above, and has a JSON form: it is sent as what the value says. */
const WITH_JSON: readonly (readonly [string, object, sent: unknown, received: unknown])[] = [
  ["zod/v3: any", z3.object({ a: z3.any().refine((value) => value !== null) }), 1, 1],
  ["zod/v3: custom", z3.object({ a: z3.custom<string>((value) => typeof value === "string") }), "x", "x"],
  [
    "zod/v3: a check that waits",
    z3.object({ a: z3.any().refine(async (value) => (await Promise.resolve(value)) === "x") }),
    "x",
    "x",
  ],
  ["ArkType: a parsed date", type({ a: "string.date.iso.parse" }), new Date(0).toJSON(), new Date(0)],
  ["ArkType: text or nothing", type({ a: "string | undefined" }), "x", "x"],
  ["Effect: DateFromString", standard(E.Struct({ a: E.DateFromString })), new Date(0).toJSON(), new Date(0)],
  ["Effect: a codec", standard(E.toCodecJson(E.Struct({ a: E.Uint8Array }))), "aGk=", new Uint8Array([104, 105])],
  ["Effect: Json", standard(E.Struct({ a: E.Json })), { b: [1] }, { b: [1] }],
];
for (const [name, schema, sent, received] of WITH_JSON) {
  test(`${name} as input is accepted`, async () => {
    let seen: unknown;
    const tool = defineTool("t").describe("T").input(schema as Schema<{ a: unknown }, { a: unknown }>)
      .handle(({ a }) => void (seen = a));
    await testClient(createServer({ tools: [tool] })).$.call("t", { a: sent });
    deepStrictEqual(seen, received);
  });
}

test("text of zod with the media type of its contents, as base64, is not taken for a file", () => {
  const image = z.base64().meta({ contentMediaType: "image/png" });
  defineTool("t").describe("T").input(z.object({ image }));
});
