/** Nulls that models write for properties which they leave out: left out where the schema does not allow them. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { openaiTools } from "../../../src/entries/agents.ts";
import type { Transport } from "../../../src/entries/wire.ts";

const text = { type: "string" };

/** Arguments as the server gets them, of a tool with a schema. */
async function received(inputSchema: object, args: object): Promise<unknown> {
  let seen: unknown;
  const transport = {
    call: ({ args }: { readonly args: unknown }) => {
      seen = args;
      return { kind: "answer", value: 1 };
    },
    list: () => [{ name: "it", inputSchema }],
  } as unknown as Transport;
  const { run } = await openaiTools(transport, { strict: false });
  await run([{ type: "function", id: "1", function: { name: "it", arguments: JSON.stringify(args) } }]);
  return seen;
}

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("a null is left out", () => {
  const cases: Readonly<Record<string, readonly [schema: object, said: object, received: object]>> = {
    "of a text": [object({ a: text, b: text }), { a: null, b: "x" }, { b: "x" }],
    "of values": [object({ a: { enum: ["x", "y"] } }), { a: null }, {}],
    "of alternatives": [object({ a: { anyOf: [text, { type: "number" }] } }), { a: null }, {}],
    "behind a reference": [object({ a: { $ref: "#/$defs/t" } }, { $defs: { t: text } }), { a: null }, {}],
    "within an object": [object({ o: object({ a: text }) }), { o: { a: null } }, { o: {} }],
    "within a nullable object": [
      object({ o: { anyOf: [object({ a: text }), { type: "null" }] } }),
      { o: { a: null } },
      {
        o: {},
      },
    ],
    "within items": [object({ l: { type: "array", items: object({ a: text }) } }), { l: [{ a: null }, { a: "x" }] }, {
      l: [{}, { a: "x" }],
    }],
  };
  for (const [name, [schema, said, expected]] of Object.entries(cases)) {
    test(name, async () => deepStrictEqual(await received(schema, said), expected));
  }
});

describe("a null stays", () => {
  const stays: Readonly<Record<string, readonly [schema: object, said: object]>> = {
    "where the type allows it": [object({ a: { type: ["string", "null"] } }), { a: null }],
    "where an alternative allows it": [object({ a: { anyOf: [text, { type: "null" }] } }), { a: null }],
    "where values have it": [object({ a: { enum: ["x", null] } }), { a: null }],
    "where the schema says nothing": [object({ a: { description: "Anything" } }), { a: null }],
    "where it is required: the error names it": [object({ a: text }, { required: ["a"] }), { a: null }],
    "where the property is unknown": [object({}), { a: null }],
    "among items": [object({ l: { type: "array", items: text } }), { l: [null] }],
    "in a value of several forms": [object({ o: { anyOf: [object({ a: text }), object({ b: text })] } }), {
      o: { a: null },
    }],
  };
  for (const [name, [schema, said]] of Object.entries(stays)) {
    test(name, async () => deepStrictEqual(await received(schema, said), said));
  }

  test("in a definition that contains itself, at any depth", async () => {
    const node = object({ next: { $ref: "#/$defs/node" }, name: text });
    const schema = { ...node, $defs: { node } };
    deepStrictEqual(await received(schema, { next: { next: { name: null } } }), { next: { next: {} } });
    const endless = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/a" } } };
    strictEqual(JSON.stringify(await received(endless, { a: null })), '{"a":null}');
  });
});
