/** Options for the size of a gateway's list: shared parts of schemas, short descriptions, no schemas of answers. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createServer, type ListedTool } from "../../../mod.ts";
import { gateway, type GatewayOptions, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { listing, scripted } from "./scripted.ts";

type Schema = Readonly<Record<string, unknown>>;

async function serverOf(tool: ListedTool, options: GatewayOptions, value: unknown = "ok") {
  const remote = await gateway("remote", scripted([tool], () => ({ kind: "answer", value })), options);
  return createServer({ tools: [], parts: [mount(remote)], logger: false });
}

/** The schema that a gateway lists for a tool with this schema. */
async function listed(inputSchema: Schema, options: GatewayOptions): Promise<Schema> {
  const [tool] = (await serverOf(listing("it", { inputSchema }), options)).tools;
  return tool?.inputSchema as Schema;
}

/** Puts definitions in the places of the references to them. */
function expand(node: unknown, defs: Schema): unknown {
  if (Array.isArray(node)) return node.map((item) => expand(item, defs));
  if (typeof node !== "object" || node === null) return node;
  const { $ref } = node as Schema;
  if (typeof $ref === "string") return expand(defs[decodeURIComponent($ref.slice("#/$defs/".length))], defs);
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, expand(value, defs)]));
}

const ADDRESS = {
  type: "object",
  properties: { street: { type: "string", minLength: 1 }, city: { type: "string" } },
  required: ["street", "city"],
};
const order = {
  type: "object",
  properties: { from: ADDRESS, to: ADDRESS, stops: { type: "array", items: ADDRESS } },
};

test("equal parts of a schema are listed once", async () => {
  deepStrictEqual(await listed(order, { shareSchemas: true }), {
    type: "object",
    properties: {
      from: { $ref: "#/$defs/from" },
      to: { $ref: "#/$defs/from" },
      stops: { type: "array", items: { $ref: "#/$defs/from" } },
    },
    $defs: { from: ADDRESS },
  });
  deepStrictEqual(await listed(order, {}), order);
});

test("definitions of the schema itself are used, and those that are equal are listed once", async () => {
  const $ref = "#/$defs/address~1of%20one";
  const $defs = { "address/of one": ADDRESS, same: ADDRESS };
  const properties = { from: { $ref }, to: ADDRESS, by: { $ref: "#/$defs/same" } };
  deepStrictEqual(await listed({ type: "object", properties, $defs }, { shareSchemas: true }), {
    type: "object",
    properties: {
      from: { $ref },
      to: { $ref: "#/$defs/address~1of%20one" },
      by: { $ref: "#/$defs/same" },
    },
    $defs: { "address/of one": ADDRESS, same: { $ref: "#/$defs/address~1of%20one" } },
  });
});

test("a part that is shorter than the reference to it stays", async () => {
  const short = { type: "string", description: "A name with fifty characters, or a few more" };
  const properties = { a: short, b: { $ref: "#/$defs/the_name_of_a_definition_is_long" } };
  const $defs = {
    the_name_of_a_definition_is_long: short,
    same: short,
    tiny: { type: "null" },
    again: { type: "null" },
  };
  const schema = { type: "object", properties, $defs };
  const shared = await listed(schema, { shareSchemas: true });
  ok(JSON.stringify(shared).length <= JSON.stringify(schema).length, JSON.stringify(shared));
  deepStrictEqual((shared["$defs"] as Schema)["again"], { type: "null" });
});

test("a schema that sharing would not make shorter stays", async () => {
  const part = { type: "string", description: "A name with fifty characters, or so" };
  const schema = { type: "object", properties: { name_with_32_characters_or_a_few: part, b: part } };
  deepStrictEqual(await listed(schema, { shareSchemas: true }), schema);
});

test("schemas whose references depend on the place of their parts stay as they are", async () => {
  for (
    const members of [
      { $anchor: "here" },
      { properties: { ...order.properties, more: { $ref: "#/properties/from" } } },
      { properties: { ...order.properties, self: { $ref: "#" } } },
      { $id: "https://schemas.example/order" },
    ]
  ) {
    const schema = { ...order, ...members };
    deepStrictEqual(await listed(schema, { shareSchemas: true }), schema);
  }
});

test("data, and values of unknown keywords, are not schemas", async () => {
  const data = { type: "object", properties: { street: { type: "string" } }, note: "as long as an address" };
  const schema = {
    type: "object",
    properties: {
      one: { enum: [data, [data]], default: data, "x-note": data },
      two: { const: data, examples: [data], "x-note": data, dependentRequired: { [JSON.stringify(data)]: ["a"] } },
      three: { dependentRequired: { [JSON.stringify(data)]: ["a"] } },
    },
  };
  deepStrictEqual(await listed(schema, { shareSchemas: true }), schema);
});

const part = fc.letrec((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.record({ type: fc.constant("string"), description: fc.constantFrom("x".repeat(60), "y".repeat(30), "z") }),
    fc.record({ type: fc.constant("array"), items: tie("part") }),
    fc.record({ anyOf: fc.array(tie("part"), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b c", "$ref", "properties", "__proto__"), tie("part")),
      additionalProperties: fc.oneof(fc.boolean(), tie("part")),
    }),
  ),
})).part;

test("a shared schema with its references replaced is the schema itself, and never longer", async () => {
  const roots = fc.dictionary(fc.constantFrom("one", "two", "three", "constructor"), part as fc.Arbitrary<Schema>);
  await fc.assert(
    fc.asyncProperty(roots, async (properties) => {
      const schema = JSON.parse(JSON.stringify({ type: "object", properties })) as Schema;
      const whole = await listed(schema, { shareSchemas: true });
      const { $defs = {}, ...shared } = whole;
      deepStrictEqual(JSON.stringify(expand(shared, $defs as Schema)), JSON.stringify(schema));
      ok(JSON.stringify(whole).length <= JSON.stringify(schema).length);
    }),
    { numRuns: 60 },
  );
});

test("descriptions end after a sentence, and links lose their targets; 0 removes those of arguments", async () => {
  const long = "Create an issue.\n\nSee [the guide](https://guide.example/a/very/long/path#of-a-page). " +
    "More. ".repeat(30);
  const tool = listing("it", {
    description: long,
    inputSchema: {
      type: "object",
      properties: {
        description: { type: "string", description: "A word without any end ".repeat(9) },
        url: { type: "string", description: "See [the guide](https://guide.example/a/very/long/path#of-a-page) first" },
        default: { type: "string", description: "Short", default: { description: long } },
      },
    },
  });
  const [cut] = (await serverOf(tool, { maxDescriptionChars: 40 })).tools;
  strictEqual(cut?.description, "Create an issue.\n\nSee the guide. More. …");
  deepStrictEqual(cut?.inputSchema["properties"], {
    description: { type: "string", description: "A word without any end A word without…" },
    url: { type: "string", description: "See the guide first" },
    default: { type: "string", description: "Short", default: { description: long } },
  });
  const [bare] = (await serverOf(tool, { maxArgumentChars: 0 })).tools;
  strictEqual(bare?.description, long);
  deepStrictEqual(Object.values(bare?.inputSchema["properties"] as Record<string, Schema>).map(Object.keys), [
    ["type"],
    ["type"],
    ["type", "default"],
  ]);
});

test("a description is never longer than the limit, whatever it has", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.integer({ min: 1, max: 40 }),
      async (text, max) => {
        const [tool] = (await serverOf(listing("it", { description: `x${text}` }), { maxDescriptionChars: max })).tools;
        ok((tool?.description.length ?? 0) <= max && tool?.description.isWellFormed() !== false);
      },
    ),
    { numRuns: 80 },
  );
});

test("schemas of answers are not listed, and still validate answers", async () => {
  const tool = listing("it", { outputSchema: { type: "object", properties: { n: { type: "number" } } } });
  const options = { outputSchemas: false, validate: true };
  const server = await serverOf(tool, options, { n: "one" });
  strictEqual(server.tools[0]?.outputSchema, undefined);
  await rejects(() => testClient(server).$.call("it"), { code: "internal" });
  deepStrictEqual(await testClient(await serverOf(tool, options, { n: 1 })).$.call("it"), { n: 1 });
  await rejects(() => serverOf(tool, { maxDescriptionChars: 0 }), { name: "RangeError" });
  await rejects(() => serverOf(tool, { shareSchema: true } as object), /did you mean "shareSchemas"/);
});
