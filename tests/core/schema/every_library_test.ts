/** Schemas of every library as they are, with the front door: what is listed, what is accepted, what is refused. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { Type as OldType } from "@sinclair/typebox";
import Type from "typebox";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import * as zm from "zod/mini";
import { zodToJsonSchema } from "zod-to-json-schema";
import { createServer, defineTool, type Schema } from "../../../mod.ts";
import {
  createServer as createCoreServer,
  defineTool as defineCoreTool,
  toolDefiner,
} from "../../../src/entries/core.ts";
import { zodJsonSchema } from "../../../src/entries/schema.ts";
import { testClient } from "../../../src/entries/testing.ts";
import { type Equal, expectType } from "../../types/equal.ts";
import { ROWS } from "./libraries.ts";

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

for (const { library, tool, fillsDefaults } of ROWS) {
  test(`a schema of ${library} works as it is`, async () => {
    const server = createServer({ tools: [tool] });
    const { inputSchema } = server.tools[0] ?? {};
    deepStrictEqual([inputSchema?.["type"], inputSchema?.["required"]], ["object", ["query"]]);
    const { query, limit } = inputSchema?.["properties"] as Properties;
    const minLength = query?.["minLength"] ?? (query?.["allOf"] as Properties[string][])?.[0]?.["minLength"];
    deepStrictEqual([query?.["type"], minLength], ["string", 1]);
    deepStrictEqual([limit?.["type"], limit?.["minimum"], limit?.["maximum"]], ["integer", undefined, undefined]);
    const client = testClient(server);
    deepStrictEqual(await client.$.call("search", { query: "jazz", limit: 3 }), { query: "jazz", limit: 3 });
    const filled = fillsDefaults ? { query: "jazz", limit: 10 } : { query: "jazz" };
    deepStrictEqual(await client.$.call("search", { query: "jazz" }), filled);
    for (const wrong of [{ query: "" }, { query: 1 }, {}, { query: "jazz", limit: 1.5 }]) {
      await rejects(client.$.call("search", wrong), { code: "invalid_input" });
    }
  });
}

test("schemas of TypeBox and plain JSON Schema have their types", () => {
  const builder = defineTool("t").describe("T");
  interface Expected {
    a: string;
    b?: number;
    c: ("x" | "y")[];
  }
  type Normal<Value> = { [Name in keyof Value]: Value[Name] };
  builder.input(Type.Object({
    a: Type.String(),
    b: Type.Optional(Type.Integer()),
    c: Type.Array(Type.Union([Type.Literal("x"), Type.Literal("y")])),
  })).handle((args) => expectType<Equal<Normal<typeof args>, Normal<Expected>>>(true));
  builder.input(OldType.Object({
    a: OldType.String(),
    b: OldType.Optional(OldType.Integer()),
    c: OldType.Array(OldType.Union([OldType.Literal("x"), OldType.Literal("y")])),
  })).handle((args) => expectType<Equal<Normal<typeof args>, Normal<Expected>>>(true));
  builder.input({
    type: "object",
    properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "array", items: { enum: ["x", "y"] } } },
    required: ["a", "c"],
  }).handle((args) => expectType<Equal<Normal<typeof args>, Normal<Expected>>>(true));
  const wide = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  builder.input(wide).handle((args) => expectType<Equal<typeof args, Record<string, unknown>>>(true));
  builder.output({ type: ["string", "null"] }).handle(() => null);
  // @ts-expect-error: neither a text nor null
  builder.output({ type: ["string", "null"] }).handle(() => 5);
});

test("plain JSON Schema serves as output, partials, failures and config, too", async () => {
  const tool = defineTool("t").describe("T")
    .config({ type: "object", properties: { unit: { type: "string" } }, required: ["unit"] })
    .errors({ late: { type: "object", properties: { by: { type: "integer" } }, required: ["by"] } })
    .output({ type: "string" })
    .handle((_, ctx) => {
      if (ctx.validate({ type: "boolean" } as unknown as Schema<boolean>, true)) {
        throw ctx.fail("late", "Late", { by: 5 });
      }
      return ctx.config.unit;
    });
  const server = createServer({ tools: [tool], config: { unit: "s" } });
  await rejects(testClient(server).t(), { code: "late", data: { by: 5 } });
  deepStrictEqual(server.tools[0]?.outputSchema, { type: "string" });
});

for (
  const [name, schema, message] of [
    [
      "Type.Codec",
      Type.Object({ a: Type.Codec(Type.String()).Decode(Number).Encode(String) }),
      /Type\.Codec\(…\) .* handler/,
    ],
    ["Type.Refine", Type.Object({ a: Type.Refine(Type.String(), () => true) }), /function of Type\.Refine/],
    [
      "Type.Transform",
      OldType.Object({ a: OldType.Transform(OldType.String()).Decode(Number).Encode(String) }),
      /Type\.Transform/,
    ],
    ["Type.Date", OldType.Object({ a: OldType.Date() }), /"type" at #\/properties\/a is "Date"/],
  ] as const
) {
  test(`${name} of TypeBox is refused: JSON Schema cannot say it`, () => {
    throws(() => defineTool("t").input(schema as unknown as Schema), (error: Error) => {
      match(error.message, message);
      return error.message.startsWith('Input schema of tool "t" cannot be used: ');
    });
  });
}

/** Schemas of zod that are built alike in zod 3 and in zod 4, so that the converters of both packages can be compared. */
function zodShapes(z: typeof z3): Readonly<Record<string, z3.ZodTypeAny>> {
  return {
    text: z.string().min(2).max(5).describe("A text"),
    formats: z.object({ email: z.string().email(), url: z.string().url().optional(), when: z.string().datetime() }),
    number: z.number().int().min(0).max(9).multipleOf(3),
    open: z.number().gt(0).lt(1),
    list: z.array(z.boolean()).min(1).max(4),
    choice: z.enum(["a", "b"]),
    union: z.union([z.object({ a: z.literal("x") }), z.object({ b: z.literal(5) })]),
    kinds: z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]),
    both: z.object({ a: z.string() }).and(z.object({ b: z.string() })),
    pair: z.tuple([z.string(), z.number()]),
    record: z.record(z.string(), z.number()),
    maybe: z.string().nullable().optional(),
    preset: z.string().default("x"),
    strict: z.object({ a: z.unknown() }).strict(),
    loose: z.object({ a: z.any() }).passthrough(),
    rest: z.object({ a: z.string() }).catchall(z.number()),
    changed: z.string().transform((text) => text.length),
    caught: z.string().catch("x"),
    frozen: z.string().readonly(),
    pattern: z.string().regex(/^a+$/),
  };
}

/** Values that are put to both JSON Schemas. */
const VALUES: readonly unknown[] = [
  ...[null, true, 0, 3, 0.5, 10, "", "a", "aa", "abcdef", "x", "b"],
  ...["ada@example.org", "https://example.org/", "2026-01-01T00:00:00Z"],
  ...[[], [true], ["a", 1], ["a"], {}, { a: "x" }, { b: 5 }, { a: "x", b: "y" }, { a: "x", b: 5 }, { kind: "a" }, {
    kind: "c",
  }],
  ...[{ email: "ada@example.org", when: "2026-01-01T00:00:00Z" }, { email: "ada", when: "2026-01-01T00:00:00Z" }],
];

const converted = (schema: unknown): Readonly<Record<string, unknown>> =>
  zodJsonSchema.toJsonSchema?.(schema as Schema) ?? {};

/** Whether a tool with this JSON Schema accepts a value. */
function acceptor(schema: Readonly<Record<string, unknown>>): (value: unknown) => Promise<boolean> {
  const tool = defineTool("t").describe("T").input({ type: "object", properties: { value: schema } }).handle(() =>
    null
  );
  const client = testClient(createServer({ tools: [tool] }));
  return (value) => client.$.call("t", { value }).then(() => true, () => false);
}

for (const [name, schema] of Object.entries(zodShapes(z3))) {
  test(`zod/v3: ${name} becomes JSON Schema that accepts what that of zod-to-json-schema accepts, and what the schema accepts`, async () => {
    const theirs = zodToJsonSchema(schema, {
      strictUnions: true,
      pipeStrategy: "input",
      removeAdditionalStrategy: "strict",
    });
    const [own, other] = [acceptor(converted(schema)), acceptor(withPrefixItems(theirs as Record<string, unknown>))];
    for (const value of VALUES) {
      const accepts = await own(value);
      if (name !== "both") strictEqual(accepts, await other(value), JSON.stringify([value, converted(schema), theirs]));
      if (schema.safeParse(value).success && name !== "caught") ok(accepts, JSON.stringify([value, converted(schema)]));
    }
  });
}

/** Drafts before 2020-12 have the items of a tuple in `items`. */
function withPrefixItems({ $schema: _, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const { items, additionalItems: __, ...rest } = schema;
  return Array.isArray(items) ? { ...rest, prefixItems: items, items: false } : schema;
}

for (const [name, schema] of Object.entries(zodShapes(z as unknown as typeof z3))) {
  test(`zod 4: ${name} becomes JSON Schema that accepts what that of zod accepts`, async () => {
    const theirs = z.toJSONSchema(schema as unknown as z.ZodType, { io: "input" });
    const [own, other] = [acceptor(converted(schema)), acceptor(theirs as Record<string, unknown>)];
    for (const value of VALUES) {
      strictEqual(await own(value), await other(value), JSON.stringify([value, converted(schema), theirs]));
    }
  });
}

test("zod/mini and zod/v3: descriptions, checks after a change of the value, and recursion", async () => {
  const described = zm.object({ a: zm.string().check(zm.describe("A name"), zm.trim(), zm.maxLength(3)) });
  deepStrictEqual((converted(described)["properties"] as Properties)["a"], { type: "string", description: "A name" });
  interface Tree {
    readonly name: string;
    readonly children: readonly Tree[];
  }
  const mini: zm.ZodMiniType<Tree> = zm.object({ name: zm.string(), children: zm.array(zm.lazy(() => mini)) });
  const old: z3.ZodType<Tree> = z3.object({ name: z3.string(), children: z3.array(z3.lazy(() => old)) });
  for (const tree of [mini, old] as Schema<Tree>[]) {
    const branch = tree === mini ? zm.object({ tree: mini }) : z3.object({ tree: old });
    for (const schema of [tree, branch] as Schema[]) {
      const server = createServer({ tools: [defineTool("t").describe("T").input(schema).handle(() => "grown")] });
      match(JSON.stringify(server.tools[0]?.inputSchema), /"\$ref":"#/);
      const leaf = { name: "a", children: [{ name: "b", children: [] }] };
      strictEqual(await testClient(server).$.call("t", schema === tree ? leaf : { tree: leaf }), "grown");
    }
  }
});

for (
  const schema of [
    zm.object({ a: zm.date() }),
    z3.object({ a: z3.map(z3.string(), z3.string()) }),
    zm.object({ a: zm.bigint() }),
  ]
) {
  test(`${JSON.stringify(Object.keys(schema))} of zod/mini or zod/v3 without a JSON form is refused`, () => {
    throws(
      () => defineTool("t").input(schema as Schema),
      /cannot become JSON Schema: a "(date|map|bigint)" has no JSON form; use a JSON type/,
    );
  });
}

test("zod/mini in the core needs the adapter, and the error names it", async () => {
  const schema = zm.object({ a: zm.string() }) as Schema<{ a: string }>;
  throws(() => defineCoreTool("t").input(schema), /toolDefiner\(zodJsonSchema\), of "toolwire\/schema"/);
  const tool = toolDefiner(zodJsonSchema)("t").describe("T").input(schema).handle(({ a }) => a);
  strictEqual(await testClient(createCoreServer({ tools: [tool] })).$.call("t", { a: "x" }), "x");
});

test("z.int() is listed without the bounds of all safe integers; those that say something stay", () => {
  const schema = z.object({ id: z.int(), deep: z.array(z.int().min(1)), minimum: z.literal(-9007199254740991) });
  const tool = defineTool("t").describe("T").input(schema).handle(() => null);
  deepStrictEqual(createServer({ tools: [tool] }).tools[0]?.inputSchema["properties"], {
    id: { type: "integer" },
    deep: { type: "array", items: { type: "integer", minimum: 1 } },
    minimum: { type: "number", const: -9007199254740991 },
  });
});

test("an argument that is not declared is named where another is missing", async () => {
  const tool = defineTool("get_note").describe("Get").input(z.object({ id: z.number() })).handle(({ id }) => id);
  const client = testClient(createServer({ tools: [tool] }));
  await rejects(client.$.call("get_note", { idd: 3 }), { message: /"idd": unknown property; did you mean "id"\?/ });
  await rejects(client.$.call("get_note", { number: 3 }), { message: /"number": unknown property; there are id/ });
  strictEqual(await client.$.call("get_note", { id: 3, number: 3 }), 3);
});
