import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type } from "arktype";
import { Schema as E } from "effect";
import * as v from "../../../src/entries/schema.ts";
import { z } from "zod";
import { createServer, defineTool, type Schema } from "../../../mod.ts";
import { defineCoreTool } from "../../../src/core/tool/define_tool.ts";
import { definePrompt } from "../../../src/entries/mcp.ts";
import { testClient } from "../../../src/entries/testing.ts";

/** What is listed for a tool with this input. */
function listed(schema: Schema): Readonly<Record<string, unknown>> {
  return createServer({ tools: [defineTool("t").describe("T").input(schema).handle(() => null)] }).tools[0]
    ?.inputSchema ?? {};
}

/** A Standard Schema of no library that becomes the given JSON Schema and accepts everything. */
function plain(jsonSchema: Readonly<Record<string, unknown>>): Schema {
  const standard = {
    version: 1 as const,
    vendor: "test",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
  };
  return { "~standard": standard };
}

test("input() keeps titles, descriptions, examples, metadata and defaults of valibot", () => {
  const described = v.object({
    query: v.pipe(
      v.string(),
      v.title("Query"),
      v.description("What to look for"),
      v.examples(["jazz"]),
      v.metadata({ "x-weight": 2 }),
    ),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.description("At most")), 10),
  });
  deepStrictEqual(listed(v.pipe(described, v.description("The arguments"))), {
    type: "object",
    description: "The arguments",
    properties: {
      query: { type: "string", title: "Query", description: "What to look for", examples: ["jazz"], "x-weight": 2 },
      limit: { type: "integer", description: "At most", default: 10 },
    },
    required: ["query"],
  });
});

test("input() tells what callers send, not what handlers get", () => {
  deepStrictEqual(listed(v.object({ n: v.pipe(v.string(), v.transform(Number), v.number()) })), {
    type: "object",
    properties: { n: { type: "string" } },
    required: ["n"],
  });
});

test("input() leaves out an empty required, which older drafts forbid", () => {
  deepStrictEqual(listed(v.object({ a: v.optional(v.string()) })), {
    type: "object",
    properties: { a: { type: "string" } },
  });
});

for (
  const [name, schema] of [
    ["v.object({})", v.object({})],
    ["v.strictObject({})", v.strictObject({})],
    ["z.object({})", z.object({})],
    ["z.strictObject({})", z.strictObject({})],
  ] as const
) {
  test(`${name} is listed as an object without members`, () => {
    deepStrictEqual(listed(schema as Schema), { type: "object", properties: {}, additionalProperties: false });
  });
}

for (
  const [name, schema] of [
    ["v.looseObject({})", v.looseObject({})],
    ["v.record(v.string(), v.unknown())", v.record(v.string(), v.unknown())],
    ["v.objectWithRest({}, v.unknown())", v.objectWithRest({}, v.unknown())],
    ["z.looseObject({})", z.looseObject({})],
    ["z.record(z.string(), z.unknown())", z.record(z.string(), z.unknown())],
  ] as const
) {
  test(`${name} takes any member, and is listed so`, async () => {
    const server = createServer({
      tools: [defineTool("t").describe("T").input(schema as Schema).handle((args) => args)],
    });
    deepStrictEqual(await testClient(server).$.call("t", { extra: 1 }), { extra: 1 });
    strictEqual(server.tools[0]?.inputSchema["additionalProperties"] === false, false);
  });
}

test("a tool without input() is listed as any object, and takes any arguments as they are", async () => {
  const server = createServer({ tools: [defineTool("t").describe("T").handle((args) => args)] });
  deepStrictEqual(server.tools[0]?.inputSchema, { type: "object" });
  const args = { a: [1, { b: null }], "": "", constructor: 1 };
  deepStrictEqual(await testClient(server).$.call("t", args), args);
});

for (
  const [name, schema] of [
    ["v.string()", v.string()],
    ["v.array(v.object({}))", v.array(v.object({}))],
    ["v.any()", v.any()],
    ["v.nullable(v.object({}))", v.nullable(v.object({}))],
    ["v.union([v.object({}), v.string()])", v.union([v.object({}), v.string()])],
    ["z.number()", z.number()],
    ["z.union([z.object({}), z.null()])", z.union([z.object({}), z.null()])],
    ["type('string')", type("string")],
    ["plain({})", plain({})],
    ["plain({ anyOf: [] })", plain({ anyOf: [] })],
    ["plain({ $ref: '#' })", plain({ $ref: "#" })],
    ["a reference to a string", plain({ $ref: "#/$defs/A", $defs: { A: { type: "string" } } })],
  ] as const
) {
  test(`input() refuses ${name}, as arguments have names`, () => {
    throws(() => defineTool("t").describe("T").input(schema as Schema), {
      name: "TypeError",
      message:
        'Input schema of tool "t" must be an object, as arguments have names: wrap it in v.object({ value: … }) or z.object({ value: … })',
    });
  });
}

for (
  const [library, schema] of [["valibot", v.object({ at: v.date() })], ["zod", z.object({ at: z.date() })]] as const
) {
  test(`a schema of ${library} without a JSON form is answered with what to use in place of it`, () => {
    const text = library === "zod" ? "z.iso.datetime()" : "v.isoTimestamp()";
    const advice = `use a JSON type; for a date, text with ${text}`;
    throws(() => defineTool("t").describe("T").input(schema as Schema), (error: Error) => {
      strictEqual(error.message.split(": ").at(-1)?.split("; ").slice(1).join("; "), advice);
      return true;
    });
  });
}

test("an argument of a prompt that is not text is answered in the syntax of its library", () => {
  const prompt = (schema: Schema) => () => definePrompt("p").describe("P").input(schema);
  throws(prompt(z.object({ a: z.number() })), /for instance with z\.coerce\.number\(\)$/);
  throws(prompt(v.object({ a: v.number() })), /for instance with v\.pipe\(v\.string\(\), v\.toNumber\(\)\)$/);
});

for (
  const reference of [
    "#/$defs/Missing",
    "#/$defs/constructor",
    "#/%zz",
    "#Missing",
    "other.json",
    "https://example.com/schema.json",
  ]
) {
  test(`input() and output() refuse a $ref to ${reference}`, () => {
    const schema = plain({ type: "object", properties: { a: { items: { $ref: reference } } }, $defs: {} });
    const want = {
      name: "TypeError",
      message: `Input schema of tool "t" refers to "${reference}", which it does not contain: define it under $defs`,
    };
    throws(() => defineTool("t").input(schema), want);
    throws(() => defineTool("t").output(schema), { ...want, message: want.message.replace("Input", "Output") });
  });
}

for (const reference of ["#", "#/$defs/A", "#/$defs/a~1b", "#/$defs/a~0b", "#/$defs/a%20b", "#/properties/a"]) {
  test(`input() follows a $ref to ${reference}`, () => {
    const $defs = { A: {}, "a/b": {}, "a~b": {}, "a b": {} };
    const jsonSchema = { type: "object", properties: { a: {}, b: { $ref: reference } }, $defs };
    deepStrictEqual(listed(plain(jsonSchema)), jsonSchema);
  });
}

test("input() takes a property called $ref, and values that look like references", () => {
  const jsonSchema = {
    type: "object",
    properties: {
      $ref: { type: "string" },
      a: { default: { $ref: "#/nowhere" }, examples: [{ $ref: "x" }] },
      b: { const: { $ref: "y" } },
    },
  };
  deepStrictEqual(listed(plain(jsonSchema)), jsonSchema);
});

test("input() drops $schema, and leaves the library's own object alone", () => {
  const jsonSchema = Object.freeze({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" });
  deepStrictEqual(listed(plain(jsonSchema)), { type: "object" });
  strictEqual("$schema" in jsonSchema, true);
});

const DATES: readonly (readonly [string, Schema])[] = [
  ["valibot", v.date() as Schema],
  ["zod", z.date() as Schema],
];
for (const [name, date] of DATES) {
  test(`${name}: a Date has no JSON form, and is refused wherever it stands`, () => {
    const input = name === "valibot" ? v.object({ at: v.date() }) : z.object({ at: z.date() });
    const builder = defineTool("t").describe("T");
    for (
      const [what, define] of [
        ['Input schema of tool "t"', () => builder.input(input as Schema)],
        ['Output schema of tool "t"', () => builder.output(date)],
        ['Partial schema of tool "t"', () => builder.partial(date)],
        ['Schema of error "late" of tool "t"', () => builder.errors({ late: date })],
      ] as const
    ) {
      throws(define, (error: unknown) => {
        match(String(error), /^TypeError: /);
        strictEqual(
          (error as Error).message.startsWith(
            `${what} cannot become JSON Schema: `,
          ),
          true,
        );
        match((error as Error).message, /date/i);
        return true;
      });
    }
  });
}

for (
  const [name, schema] of [
    ["v.bigint()", v.bigint()],
    ["v.map()", v.map(v.string(), v.string())],
    ["v.set()", v.set(v.string())],
    ["v.instance(URL)", v.instance(URL)],
    ["v.symbol()", v.symbol()],
    ["z.bigint()", z.bigint()],
    ["z.map()", z.map(z.string(), z.string())],
    ["z.file()", z.file()],
  ] as const
) {
  test(`output() refuses ${name}`, () => {
    throws(() => defineTool("t").output(schema as Schema), {
      name: "TypeError",
      message: /^Output schema of tool "t" cannot become JSON Schema/,
    });
  });
}

for (
  const [name, notASchema, line] of [
    ["undefined", undefined, /is undefined: pass a schema, such as z\.object/],
    ["null", null, /is null: pass a schema/],
    ["a string", "string", /is not a schema: wrap properties in v\.object\({ … }\) or z\.object/],
    ["a function", () => true, /is not a schema: wrap properties/],
    ["an empty object", {}, /is an empty object: leave the step out/],
    [
      "version 2 of the standard",
      { "~standard": { version: 2, vendor: "x", validate: () => ({}) } },
      /cannot validate: x /,
    ],
    ["no validator", { "~standard": { version: 1, vendor: "x" } }, /cannot validate: x .* jsonSchema\(/],
    [
      "an Effect schema that is not standard",
      E.Struct({ a: E.String }),
      /of Effect, .* Schema\.toStandardJSONSchemaV1\(Schema\./,
    ],
    [
      "Effect's JSON Schema alone",
      E.toStandardJSONSchemaV1(E.Struct({ a: E.String })),
      /validate: write Schema\.toStandardJSON/,
    ],
    [
      "Effect's validator alone",
      E.toStandardSchemaV1(E.Struct({ a: E.String })),
      /effect does .*; write Schema\.toStandardJSON/,
    ],
    [
      "properties of zod",
      { a: z.string(), b: z.number() },
      /an object of schemas, .* write z\.object\({ a: …, b: … }\)$/,
    ],
    ["a property of zod called type", { type: z.string() }, /write z\.object\({ type: … }\)$/],
    ["properties of valibot", { properties: v.string() }, /write v\.object\({ properties: … }\)$/],
    ["a wrong keyword", { type: "objekt" }, /cannot be used: Cannot use this JSON Schema: "type" at # is "objekt"/],
  ] as const
) {
  test(`input() refuses ${name} and says what to write`, () => {
    throws(() => defineTool("t").input(notASchema as unknown as Schema), ({ name, message }: Error) => {
      strictEqual(name, "TypeError");
      match(message, line);
      return message.startsWith('Input schema of tool "t" ');
    });
  });
}

test("input() of the core refuses plain JSON Schema, and says how to wrap it", () => {
  throws(() => defineCoreTool("t").input({ type: "object" } as unknown as Schema), {
    message: 'Input schema of tool "t" is plain JSON Schema: write jsonSchema({ … }), of "toolwire/json-schema"',
  });
});

test("input() refuses a Standard Schema without JSON Schema, and says what to write", () => {
  const schema: Schema = { "~standard": { version: 1, vendor: "old", validate: (value) => ({ value }) } };
  throws(() => defineTool("t").input(schema), {
    name: "TypeError",
    message: /cannot become JSON Schema: old does not offer it here; pass its JSON Schema, as in jsonSchema/,
  });
});

for (
  const [name, schema, good, bad] of [
    ["v.check()", v.object({ a: v.pipe(v.string(), v.check((text) => text !== "no")) }), "yes", "no"],
    ["v.trim() and v.nonEmpty()", v.object({ a: v.pipe(v.string(), v.trim(), v.nonEmpty()) }), "x", "  "],
    ["v.brand()", v.object({ a: v.pipe(v.string(), v.nonEmpty(), v.brand("Id")) }), "x", ""],
    ["v.regex() with a flag", v.object({ a: v.pipe(v.string(), v.regex(/^x$/i)) }), "X", "y"],
    [
      "v.includes() after v.startsWith()",
      v.object({ a: v.pipe(v.string(), v.startsWith("a"), v.includes("b")) }),
      "ab",
      "a",
    ],
    [
      "v.forward() of a check across members",
      v.pipe(
        v.object({ a: v.string(), b: v.optional(v.string()) }),
        v.forward(v.partialCheck([["a"], ["b"]], ({ a, b }) => a !== b, "Same"), ["a"]),
      ),
      "x",
      undefined,
    ],
    [
      "v.checkAsync()",
      v.objectAsync({ a: v.pipeAsync(v.string(), v.checkAsync(async (text) => await Promise.resolve(text !== "no"))) }),
      "yes",
      "no",
    ],
  ] as const
) {
  // Rules that JSON Schema cannot express are still checked on every call; callers receive the others.
  test(`input() takes ${name}, which JSON Schema cannot say`, async () => {
    const tool = defineTool("t").describe("T").input(schema as Schema).handle((args) => args);
    const server = createServer({ tools: [tool] });
    const { properties } = server.tools[0]?.inputSchema as { properties: { a: { type: string; pattern?: string } } };
    strictEqual(properties.a.type, "string");
    // Half of a pattern would refuse what is right: better none.
    if (name.includes("flag")) strictEqual(properties.a.pattern, undefined);
    deepStrictEqual(await testClient(server).$.call("t", { a: good }), { a: good });
    await rejects(testClient(server).$.call("t", { a: bad }), { code: "invalid_input" });
  });
}

test("input() takes asynchronous schemas", async () => {
  const schema = v.objectAsync({
    a: v.pipeAsync(v.string(), v.transformAsync(async (text) => await Promise.resolve(text.toUpperCase()))),
    b: v.optional(v.number(), 2),
  });
  const tool = defineTool("t").describe("T").input(schema).handle(({ a, b }) => `${a}${b}`);
  const client = testClient(createServer({ tools: [tool] }));
  strictEqual(await client.t({ a: "x" }), "X2");
  await rejects(client.$.call("t", { a: 1 }), { code: "invalid_input" });
});

test("output() and partial() validate and do not transform", async () => {
  const upper = v.pipe(v.string(), v.transform((text) => text.toUpperCase()));
  const tool = defineTool("t").describe("T").partial(upper).output(upper).handle(async function* () {
    yield await Promise.resolve("a");
    return "whole";
  });
  const stream = testClient(createServer({ tools: [tool] })).t.stream();
  deepStrictEqual([await Array.fromAsync(stream), await stream.result], [["a"], "whole"]);
});

test("issues are bounded in number and in size, whatever was sent", async () => {
  const schema = v.object({ texts: v.array(v.picklist(["a", "b"])) });
  const client = testClient(createServer({ tools: [defineTool("t").describe("T").input(schema).handle(() => null)] }));
  const inputs: readonly unknown[] = [
    { texts: Array.from({ length: 10_000 }, () => "x") },
    { texts: ["x".repeat(500_000)] },
    { texts: "x".repeat(500_000) },
    { texts: Array.from({ length: 30 }, () => "é".repeat(10_000)) },
  ];
  for (const input of inputs) {
    await rejects(client.$.call("t", input), (error: unknown) => {
      const { message, details } = error as { message: string; details: { issues: unknown[] } };
      strictEqual(details.issues.length <= 20, true);
      strictEqual(
        message.length + JSON.stringify(details).length < 16_384,
        true,
        `${message.length} + ${JSON.stringify(details).length}`,
      );
      return true;
    });
  }
});

test("JSON Schema of random valibot objects has every member, and required of exactly those that are", () => {
  const member = fc.constantFrom(
    [v.string(), true, "string"],
    [v.optional(v.number()), false, "number"],
    [v.optional(v.boolean(), false), false, "boolean"],
    [v.exactOptional(v.string()), false, "string"],
    [v.array(v.string()), true, "array"],
    [v.nullish(v.array(v.string())), false, undefined],
    [v.pipe(v.string(), v.transform(Number)), true, "string"],
  );
  const key = fc.stringMatching(/^[a-z_$][a-z0-9_$]{0,6}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(key, member), { minLength: 1, maxLength: 6, selector: ([name]) => name }),
      (members) => {
        const schema = v.object(Object.fromEntries(members.map(([name, [one]]) => [name, one as v.GenericSchema])));
        const { properties, required = [] } = listed(schema as Schema) as {
          properties: Record<string, { type?: string }>;
          required?: string[];
        };
        deepStrictEqual(Object.keys(properties), members.map(([name]) => name));
        deepStrictEqual(required, members.filter(([, [, isRequired]]) => isRequired).map(([name]) => name));
        for (const [name, [, , jsonType]] of members) strictEqual(properties[name]?.type, jsonType);
      },
    ),
    { seed: 10, numRuns: 200 },
  );
});
