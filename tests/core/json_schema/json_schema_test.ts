/** `jsonSchema()`: what is listed, what is accepted, and which errors callers receive. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type ToolError } from "../../../mod.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { testClient } from "../../../src/entries/testing.ts";

interface Order {
  readonly sku: string;
  readonly count?: number;
  readonly parts?: readonly Order[];
}

const order = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    sku: { type: "string", pattern: "^[A-Z]{2}-\\d+$" },
    count: { type: "integer", minimum: 1, default: 1 },
    parts: { type: "array", items: { $ref: "#" }, maxItems: 2 },
  },
  required: ["sku"],
  additionalProperties: false,
};

const seen: unknown[] = [];
const place = defineTool("place_order")
  .describe("Place an order")
  .input(jsonSchema<Order>(order))
  .output(jsonSchema<number>({ type: "integer", maximum: 3 }))
  .handle((input) => {
    seen.push(input);
    return input.count ?? 1;
  });
const client = testClient(createServer({ tools: [place] }));

test("jsonSchema() is listed as it is, and takes what fits it, unchanged", async () => {
  const [listed] = await client.$.list();
  const { $schema: _, ...rest } = order;
  deepStrictEqual(listed?.inputSchema, rest);
  deepStrictEqual(listed?.outputSchema, { type: "integer", maximum: 3 });
  const nested = { sku: "AB-1", parts: [{ sku: "AB-2", count: 2 }] };
  strictEqual(await client.place_order(nested), 1);
  deepStrictEqual(seen.pop(), nested, "a default is not filled in");
});

const PATTERN = 'text that matches "^[A-Z]{2}-\\\\d+$"';

const WRONG: readonly (readonly [name: string, args: unknown, path: readonly unknown[], expected: string])[] = [
  ["what is missing", {}, ["sku"], "a value"],
  ["another type", { sku: 5 }, ["sku"], "string"],
  ["another pattern", { sku: "ab-1" }, ["sku"], PATTERN],
  ["a fraction", { sku: "AB-1", count: 1.5 }, ["count"], "integer"],
  [
    "what is deeper",
    { sku: "AB-1", parts: [{ sku: "AB-2" }, { sku: "x" }] },
    ["parts", 1, "sku"],
    PATTERN,
  ],
  ["too little", { sku: "AB-1", count: 0 }, ["count"], "at least 1"],
  ["too many", { sku: "AB-1", parts: [1, 2, 3].map(() => ({ sku: "AB-2" })) }, ["parts"], "at most 2 items"],
  [
    "what is wrong behind a reference",
    { sku: "AB-1", parts: [{ sku: "AB-2", count: 0 }] },
    ["parts", 0, "count"],
    "at least 1",
  ],
  ["what it does not know", { sku: "AB-1", other: 1 }, ["other"], "nothing of this name"],
];
for (const [name, args, path, expected] of WRONG) {
  test(`jsonSchema() refuses ${name}, and says where`, async () => {
    await rejects(client.$.call("place_order", args as Record<string, unknown>), (error: ToolError) => {
      strictEqual(error.code, "invalid_input");
      const { issues } = error.details as { issues: readonly { path: unknown; expected: unknown }[] };
      const found = issues.find((issue) => JSON.stringify(issue.path) === JSON.stringify(path));
      strictEqual(found?.expected, expected, JSON.stringify(issues));
      return true;
    });
  });
}

test("jsonSchema() checks what handlers return", async () => {
  await rejects(client.place_order({ sku: "AB-1", count: 4 }), { code: "internal" });
});

test("jsonSchema() refuses at once what is not a JSON Schema, and references that lead nowhere", () => {
  for (const wrong of [undefined, null, true, "object", []]) {
    throws(() => jsonSchema(wrong as unknown as Record<string, unknown>), /A JSON Schema is an object/);
  }
  const lost = { type: "object", properties: { a: { $ref: "#/$defs/lost" } } };
  throws(() => jsonSchema(lost), /"\$ref" at #\/properties\/a: "#\/\$defs\/lost" cannot be resolved: define it/);
  throws(() => defineTool("t").describe("T").input(jsonSchema({ type: "string" })), /must be an object/);
});

const UNUSABLE: readonly (readonly [schema: Record<string, unknown>, message: RegExp])[] = [
  [{ type: "text" }, /"type" at # is "text", but must be one of array, boolean/],
  [{ type: [] }, /"type" at # is \[\]/],
  [
    { properties: { a: { maxItems: "3" } } },
    /"maxItems" at #\/properties\/a is "3", but must be a whole number of at least 0/,
  ],
  [{ items: { exclusiveMaximum: true } }, /"exclusiveMaximum" at #\/items is true, but must be a number/],
  [{ required: "sku" }, /"required" at # is "sku", but must be a list of names/],
  [{ properties: [] }, /"properties" at # is \[\], but must be an object of schemas/],
  [{ properties: { a: "string" } }, /the value at #\/properties\/a is "string", but must be a schema/],
  [{ anyOf: [] }, /the value at #\/anyOf is \[\], but must be a list of schemas/],
  [{ oneOf: [{ multipleOf: 0 }] }, /"multipleOf" at #\/oneOf\/0 is 0, but must be a number above 0/],
  [{ $defs: { a: { pattern: "(" } } }, /"pattern" at #\/\$defs\/a is not a regular expression with the flag u/],
  [{ patternProperties: { "[": {} } }, /a name in "patternProperties" at # is not a regular expression/],
  [{ $ref: 1 }, /"\$ref" at # is 1, but must be a text/],
  [{ not: { $ref: "#/$defs/a" }, $defs: { a: { $ref: "#/$defs/a" } } }, /"\$ref" at #\/not: .* is circular/],
];
for (const [schema, message] of UNUSABLE) {
  test(`jsonSchema() refuses ${JSON.stringify(schema)} where it is defined`, () => {
    throws(() => jsonSchema(schema), { name: "TypeError", message });
  });
}

test("jsonSchema() accepts what looks wrong in data and in unknown keywords", () => {
  const schema = {
    enum: [{ type: "text" }],
    default: { maxItems: "3" },
    examples: [{ $ref: 1 }],
    properties: { type: true, required: { const: { pattern: "(" } } },
    "x-ours": { type: 1 },
    items: [{ type: "string" }],
  };
  jsonSchema(schema);
});

test("a member whose name is no well-formed text is the caller's mistake", async () => {
  const named = (schema: Record<string, unknown>) => {
    const tool = defineTool("t").describe("T").input(jsonSchema(schema)).handle(() => 1);
    return testClient(createServer({ tools: [tool] })).$;
  };
  const texts = { type: "object", additionalProperties: { type: "string" } };
  const lists = { type: "object", additionalProperties: { type: "array", uniqueItems: true } };
  for (const schema of [texts, lists]) {
    await rejects(named(schema).call("t", { "\ud800": 1 }), {
      code: "invalid_input",
      message: "Invalid arguments: Expected names that are well-formed text",
    });
  }
  strictEqual(await named(texts).call("t", { "\u{1f600}": "x" }), 1, "what is well-formed is not refused");
});

test("jsonSchema() passes over members that are undefined, as JSON does", async () => {
  const schema = {
    type: "object",
    required: undefined,
    items: undefined,
    $ref: undefined,
    anyOf: undefined,
    properties: { a: { type: "string", pattern: undefined }, gone: undefined },
    $defs: undefined,
    additionalProperties: false,
  };
  const tool = defineTool("t").describe("T").input(jsonSchema(schema)).handle(() => 1);
  const { $ } = testClient(createServer({ tools: [tool] }));
  strictEqual(await $.call("t", { a: "x" }), 1);
  for (const wrong of [{ a: 1 }, { gone: 1 }]) await rejects($.call("t", wrong), { code: "invalid_input" });
});

test("below a schema with its own $id, references lead into that schema", async () => {
  const part = {
    $id: "https://e/b",
    type: "object",
    properties: { c: { $ref: "#/$defs/c" }, again: { $ref: "#" } },
    $defs: { c: { type: "string" } },
  };
  const bundled = { type: "object", properties: { b: { $ref: "#/$defs/b" } }, $defs: { b: part } };
  const tool = defineTool("t").describe("T").input(jsonSchema(bundled)).handle(() => 1);
  const { $ } = testClient(createServer({ tools: [tool] }));
  strictEqual(await $.call("t", { b: { c: "x", again: { c: "y" } } }), 1);
  for (const b of [{ c: 1 }, { again: { c: 1 } }]) await rejects($.call("t", { b }), { code: "invalid_input" });

  // The same words mean another schema there: no circle, and not nowhere.
  for (const to of ["#/$defs/b", "#/$defs/c"]) {
    const inner = { b: { type: "string" }, c: { type: "string" } };
    jsonSchema({ $ref: "#/$defs/b", $defs: { b: { $id: "https://e/b", $ref: to, $defs: inner } } });
  }
  const lost = { ...bundled, $defs: { b: { ...part, $defs: {} }, c: { type: "string" } } };
  throws(() => jsonSchema(lost), /"\$ref" at #\/\$defs\/b\/properties\/c: "#\/\$defs\/c" cannot be resolved/);
});
