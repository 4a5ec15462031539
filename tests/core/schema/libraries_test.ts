/** One tool, defined with each validation library: what is listed, what is accepted, what a handler gets. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import { Effect, Schema as E } from "effect";
import fc from "fast-check";
import * as v from "../../../src/entries/schema.ts";
import { z } from "zod";
import { createServer, defineTool, type Schema, ToolError } from "../../../mod.ts";
import { testClient } from "../../../src/entries/testing.ts";

interface Input {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly note: string | null;
  readonly sort: "asc" | "desc";
}
interface Args extends Input {
  readonly limit: number;
}

/** Effect's schemas become Standard Schemas by two of its helpers. */
function standard<S extends E.ConstraintDecoder<unknown>>(schema: S): Schema<S["Encoded"], S["Type"]> {
  return E.toStandardJSONSchemaV1(E.toStandardSchemaV1(schema)) as unknown as Schema<S["Encoded"], S["Type"]>;
}

const LIMIT = 10;
const arkQuery = type("string").configure(
  { description: "What to look for", examples: ["jazz"] } as Record<string, unknown>,
);

interface Library {
  readonly name: string;
  readonly search: Schema<Input, Args>;
  /** Whether its JSON Schema has defaults. */
  readonly tellsDefaults: boolean;
}

const libraries: readonly Library[] = [
  {
    name: "valibot",
    tellsDefaults: true,
    search: v.object({
      query: v.pipe(v.string(), v.minLength(1), v.description("What to look for"), v.examples(["jazz"])),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), LIMIT),
      tags: v.optional(v.array(v.string())),
      note: v.nullable(v.string()),
      sort: v.picklist(["asc", "desc"]),
    }),
  },
  {
    name: "zod",
    tellsDefaults: true,
    search: z.object({
      query: z.string().min(1).meta({ description: "What to look for", examples: ["jazz"] }),
      limit: z.int().min(1).max(100).default(LIMIT),
      tags: z.array(z.string()).optional(),
      note: z.string().nullable(),
      sort: z.enum(["asc", "desc"]),
    }),
  },
  {
    name: "ArkType",
    tellsDefaults: false,
    search: type({
      query: arkQuery.atLeastLength(1),
      limit: type("1 <= number.integer <= 100").default(LIMIT),
      "tags?": "string[]",
      note: "string | null",
      sort: "'asc' | 'desc'",
    }) as unknown as Schema<Input, Args>,
  },
  {
    name: "Effect",
    tellsDefaults: false,
    search: standard(E.Struct({
      query: E.String.check(E.isMinLength(1)).annotate({ description: "What to look for", examples: ["jazz"] }),
      limit: E.Int.check(E.isBetween({ minimum: 1, maximum: 100 })).pipe(
        E.withDecodingDefaultKey(Effect.succeed(LIMIT)),
      ),
      tags: E.optionalKey(E.Array(E.String)),
      note: E.NullOr(E.String),
      sort: E.Literals(["asc", "desc"]),
    })) as unknown as Schema<Input, Args>,
  },
];

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** JSON Schema of one property, with what an `allOf` says spread over it. */
function propertyOf(inputSchema: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const property = (inputSchema["properties"] as Properties)[name] ?? {};
  const parts = (property["allOf"] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return Object.assign({}, property, ...parts);
}

for (const { name, search, tellsDefaults } of libraries) {
  const tool = defineTool("search").describe("Search").input(search).handle((args) => args);
  const server = createServer({ tools: [tool] });
  const client = testClient(server);
  const good: Input = { query: "jazz", note: null, sort: "asc" };

  test(`${name}: the tool is listed with JSON Schema of what callers send`, () => {
    const inputSchema = server.tools[0]?.inputSchema ?? {};
    strictEqual(inputSchema["type"], "object");
    strictEqual("$schema" in inputSchema, false);
    deepStrictEqual((inputSchema["required"] as string[]).toSorted(), ["note", "query", "sort"]);
    deepStrictEqual(Object.keys(inputSchema["properties"] as Properties).toSorted(), [
      "limit",
      "note",
      "query",
      "sort",
      "tags",
    ]);
    const query = propertyOf(inputSchema, "query");
    deepStrictEqual([query["type"], query["minLength"]], ["string", 1]);
    deepStrictEqual([query["description"], query["examples"]], ["What to look for", ["jazz"]]);
    const limit = propertyOf(inputSchema, "limit");
    deepStrictEqual([limit["type"], limit["minimum"], limit["maximum"]], ["integer", 1, 100]);
    if (tellsDefaults) strictEqual(limit["default"], LIMIT);
    deepStrictEqual(propertyOf(inputSchema, "sort")["enum"] ?? propertyOf(inputSchema, "sort")["anyOf"], [
      "asc",
      "desc",
    ]);
    JSON.stringify(inputSchema);
  });

  test(`${name}: the handler gets defaults`, async () => {
    deepStrictEqual(await client.search(good), { ...good, limit: LIMIT });
    deepStrictEqual(await client.search({ ...good, limit: 7, tags: ["a"] }), { ...good, limit: 7, tags: ["a"] });
  });

  test(`${name}: what does not fit is refused, with where and what`, async () => {
    const cases: readonly (readonly [unknown, readonly (string | number)[], string])[] = [
      [{ ...good, query: 5 }, ["query"], "5"],
      [{ ...good, limit: 1000 }, ["limit"], "1000"],
      [{ ...good, limit: 1.5 }, ["limit"], "1.5"],
      [{ ...good, tags: ["a", 7] }, ["tags", 1], "7"],
      [{ ...good, note: [] }, ["note"], "array of 0"],
      [{ ...good, sort: "up" }, ["sort"], '"up"'],
      [{ note: null, sort: "asc" }, ["query"], "nothing"],
    ];
    for (const [input, path, received] of cases) {
      await rejects(client.$.call("search", input), (error: unknown) => {
        ok(error instanceof ToolError);
        strictEqual(error.code, "invalid_input");
        const { issues } = error.details as {
          issues: { path: unknown[]; expected: string; received: string; message: string }[];
        };
        const issue = issues.find((one) => JSON.stringify(one.path) === JSON.stringify(path));
        ok(issue !== undefined, `${JSON.stringify(input)}: ${JSON.stringify(issues)}`);
        strictEqual(issue.received, received);
        ok(typeof issue.expected === "string" && issue.expected.length > 0);
        ok(issue.message.length > 0);
        match(error.message, /^Invalid arguments/);
        return true;
      });
    }
  });

  test(`${name}: values that the schema accepts are accepted by the tool and echoed unchanged`, async () => {
    const input = fc.record({
      query: fc.string({ unit: "grapheme", minLength: 1 }),
      limit: fc.integer({ min: 1, max: 100 }),
      tags: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 3 }),
      note: fc.option(fc.string()),
      sort: fc.constantFrom("asc" as const, "desc" as const),
    }, { requiredKeys: ["query", "note", "sort"], noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(input, async (value) => {
        deepStrictEqual(await client.search(value), { ...value, limit: value.limit ?? LIMIT });
      }),
      { seed: 8, numRuns: 100 },
    );
  });

  test(`${name}: the tool accepts a value if and only if the schema does`, async () => {
    const anything = fc.record({
      query: fc.oneof(fc.string(), fc.constant(""), fc.integer()),
      limit: fc.oneof(fc.integer({ min: -1, max: 102 }), fc.double(), fc.constant(null)),
      note: fc.oneof(fc.constant(null), fc.string(), fc.boolean()),
      sort: fc.constantFrom("asc", "desc", "", "ASC", null),
    }, { requiredKeys: [], noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const sent = JSON.parse(JSON.stringify(value));
        const checked = await search["~standard"].validate(sent) as { readonly issues?: unknown };
        const outcome = await client.$.call("search", value).then(() => true, (error: unknown) => {
          strictEqual((error as ToolError).code, "invalid_input");
          return false;
        });
        strictEqual(outcome, checked.issues === undefined);
      }),
      { seed: 9, numRuns: 100 },
    );
  });
}

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const valibotTree: v.GenericSchema<Tree> = v.object({ name: v.string(), children: v.array(v.lazy(() => valibotTree)) });
const zodTree = z.object({
  name: z.string(),
  get children() {
    return z.array(zodTree);
  },
});
const arkTree = type.module({ tree: { name: "string", children: "tree[]" } }).tree;
const effectTree = E.Struct({ name: E.String, children: E.Array(E.suspend((): E.Codec<Tree> => effectTree)) }).annotate(
  { identifier: "Tree" },
);

const recursive: readonly (readonly [string, Schema<Tree, unknown>])[] = [
  ["valibot", valibotTree],
  ["zod", zodTree as unknown as Schema<Tree>],
  ["ArkType", arkTree as unknown as Schema<Tree>],
  ["Effect", standard(effectTree)],
];

for (const [name, schema] of recursive) {
  test(`${name}: a recursive schema is listed with references that lead somewhere, and checks all the way down`, async () => {
    const server = createServer({ tools: [defineTool("grow").describe("Grow").input(schema).handle((tree) => tree)] });
    const client = testClient(server);
    const inputSchema = server.tools[0]?.inputSchema ?? {};
    strictEqual(inputSchema["type"], "object");
    match(JSON.stringify(inputSchema), /"\$ref":"#/);
    const tree = { name: "a", children: [{ name: "b", children: [{ name: "c", children: [] }] }] };
    deepStrictEqual(await client.grow(tree), tree);
    const bad = { name: "a", children: [{ name: "b", children: [{ name: 3, children: [] }] }] };
    await rejects(client.$.call("grow", bad), { code: "invalid_input", message: /children\[0\]\.children\[0\]\.name/ });
  });
}

const unions: readonly (readonly [string, Schema])[] = [
  ["valibot union", v.union([v.object({ a: v.string() }), v.object({ b: v.string() })]) as Schema],
  ["valibot intersect", v.intersect([v.object({ a: v.string() }), v.object({ c: v.optional(v.string()) })]) as Schema],
  ["zod union", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) as Schema],
  ["ArkType or", type({ a: "string" }).or({ b: "string" }) as unknown as Schema],
  ["Effect Union", standard(E.Union([E.Struct({ a: E.String }), E.Struct({ b: E.String })])) as Schema],
];

for (const [name, schema] of unions) {
  test(`${name} of objects is a root with type object`, async () => {
    const server = createServer({
      tools: [defineTool("either").describe("Either").input(schema).handle((args) => args)],
    });
    strictEqual(server.tools[0]?.inputSchema["type"], "object");
    deepStrictEqual(await testClient(server).$.call("either", { a: "x" }), { a: "x" });
    await rejects(testClient(server).$.call("either", { a: 1 }), { code: "invalid_input" });
  });
}

test("a variant of objects is a root with type object, in valibot and in zod", async () => {
  const schemas: readonly Schema[] = [
    v.variant("kind", [
      v.object({ kind: v.literal("circle"), r: v.number() }),
      v.object({ kind: v.literal("square"), side: v.number() }),
    ]) as Schema,
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), r: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]) as Schema,
  ];
  for (const schema of schemas) {
    const server = createServer({ tools: [defineTool("area").describe("Area").input(schema).handle((args) => args)] });
    strictEqual(server.tools[0]?.inputSchema["type"], "object");
    deepStrictEqual(await testClient(server).$.call("area", { kind: "square", side: 2 }), { kind: "square", side: 2 });
    await rejects(testClient(server).$.call("area", { kind: "square", r: 2 }), { code: "invalid_input" });
  }
});
