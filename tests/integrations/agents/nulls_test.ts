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

/** Two forms that a property distinguishes, as `v.variant` has them. */
const shapes = {
  anyOf: [
    object({ shape: { const: "circle" }, label: text }, { required: ["shape"] }),
    object({ shape: { const: "square" }, label: { type: ["string", "null"] } }, { required: ["shape"] }),
  ],
};

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
    "in the form that a property says": [
      object({ o: shapes }),
      { o: { shape: "circle", label: null } },
      { o: { shape: "circle" } },
    ],
    "in arguments of several forms": [
      { oneOf: [object({ a: text, n: text }, { required: ["a"] }), object({ b: text, n: text }, { required: ["b"] })] },
      { input: { b: "x", n: null } },
      { b: "x" },
    ],
    "of a part of several": [
      object({ o: { allOf: [object({ a: text }), object({ b: text })] } }),
      { o: { a: null, b: "x" } },
      { o: { b: "x" } },
    ],
    "of a part beside a reference": [
      object({ o: { $ref: "#/$defs/base", properties: { b: text } } }, { $defs: { base: object({ a: text }) } }),
      { o: { a: null, b: null } },
      { o: {} },
    ],
    "which no form allows": [
      object({ o: { anyOf: [object({ a: text }), object({ a: { type: "number" }, b: text })] } }),
      { o: { a: null } },
      { o: {} },
    ],
    "beside a property that is missing: the error names it alone": [
      object({ o: object({ a: text, b: text }, { required: ["b"] }) }),
      { o: { a: null } },
      { o: {} },
    ],
    "where other forms are closed": [
      object({ o: { anyOf: [object({ a: text }), object({ b: text }, { additionalProperties: false })] } }),
      { o: { a: null } },
      { o: {} },
    ],
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
    "where a closed object does not have the property: the error names it": [
      object({ o: object({ a: text }, { additionalProperties: false }) }),
      { o: { b: null } },
    ],
    "among items": [object({ l: { type: "array", items: text } }), { l: [null] }],
    "in the form that allows it": [object({ o: shapes }), { o: { shape: "square", label: null } }],
    "where a part requires it": [
      object({ o: { allOf: [object({ a: text }), { type: "object", required: ["a"] }] } }),
      { o: { a: null } },
    ],
    "where another form is not known": [object({ o: { anyOf: [object({ a: text }), true] } }), { o: { a: null } }],
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
    const both = { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] };
    const growing = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: both } };
    strictEqual(JSON.stringify(await received(growing, { a: { b: null } })), '{"a":{"b":null}}');
    // A schema of another server, which asks for 2 to the power of 64 steps.
    const all = { ...growing, $defs: { a: { allOf: both.anyOf } } };
    strictEqual(JSON.stringify(await received(all, { a: null })), '{"a":null}');
  });
});
