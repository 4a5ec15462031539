/** Schemas in the form for each vendor: what is rewritten, described and removed, and that the whole schema is still enforced. */
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { describe, test } from "node:test";
import { defineTool } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { aiSdkTools, anthropicTools, explainSchema, langchainTools, openaiTools } from "../../../src/entries/agents.ts";
import type { Transport } from "../../../src/entries/wire.ts";
import { checkHeld } from "./held_to_full.ts";
import { SUBSETS, violations } from "./vendor_subsets.ts";

type Schema = Readonly<Record<string, unknown>>;

const VENDORS = ["openai", "anthropic", "gemini"] as const;

/** A server of others whose tools return their arguments. */
function lists(...schemas: readonly Schema[]): Transport {
  return {
    call: ({ args }) => ({ kind: "answer", value: args }),
    list: () => schemas.map((inputSchema, index) => ({ name: `tool_${index}`, inputSchema })),
  };
}

function closed(properties: Schema, required: readonly string[] = Object.keys(properties)): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

const text = { type: "string" };

/** Schemas of which each vendor takes a part. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  bounds: closed({
    age: { type: "integer", minimum: 0, exclusiveMaximum: 150 },
    rate: { type: "number", multipleOf: 0.5 },
  }),
  texts: closed({ id: { type: "string", minLength: 2, maxLength: 4 }, link: { type: "string", format: "uri" } }),
  patterns: closed({ code: { type: "string", pattern: "^(?=[A-Z])[A-Z0-9]+$" } }),
  arrays: closed({ tags: { type: "array", items: text, minItems: 2, uniqueItems: true, contains: { const: "a" } } }),
  alternatives: closed({ of: { oneOf: [text, { type: "string", maxLength: 3 }], description: "Either" } }),
  constants: closed({ kind: { const: "a" }, not: { type: "string", not: { minLength: 4 } } }),
  "one of two properties": { ...closed({ a: text, b: text }, []), minProperties: 1, maxProperties: 1 },
  definitions: {
    ...closed({ at: { $ref: "#/$defs/P", description: "Where" } }),
    $defs: { P: closed({ x: { type: "integer", maximum: 9 } }) },
  },
  "a pair that depends": { ...closed({ a: text, b: text }, ["a"]), dependentRequired: { a: ["b"] } },
};

/** Ajv, which judges the drawn arguments, generates code. */
const skip = globalThis.navigator?.userAgent === "Cloudflare-Workers" && "workerd generates no code from text";

describe("the form for a vendor", () => {
  for (const [name, inputSchema] of Object.entries(SCHEMAS)) {
    for (const vendor of VENDORS) {
      test(
        `${vendor} accepts ${name}; what moved into the description is still enforced by the server`,
        { skip },
        async () => {
          const { schema, strict, refused } = explainSchema({ inputSchema }, vendor);
          deepStrictEqual([strict, refused], [vendor !== "gemini", undefined]);
          deepStrictEqual(violations(schema, SUBSETS[vendor]), []);
          const drawn = { fitting: 0, refused: 0 };
          await checkHeld(inputSchema, vendor, 40, drawn);
          const isLossy = explainSchema({ inputSchema }, vendor).changes.some(({ change }) => change === "described");
          strictEqual(drawn.refused > 0, isLossy);
        },
      );
    }
  }

  test("lists what changed, by JSON Pointer, with the reason", () => {
    const { changes, schema } = explainSchema({ inputSchema: { ...SCHEMAS["texts"], $schema: "x" } }, "openai");
    deepStrictEqual(changes, [
      { pointer: "/$schema", change: "removed", reason: "constrains nothing, and is of no use for a model" },
      { pointer: "/properties/link/format", change: "described", reason: "OpenAI's strict mode does not enforce it" },
    ]);
    deepStrictEqual((schema["properties"] as Schema)["link"], { type: "string", description: 'format: "uri"' });
  });

  test("Gemini gets anyOf and enum for oneOf and const", () => {
    const inputSchema = closed({ a: { oneOf: [{ const: 1 }, { const: "b" }] } });
    const { schema, changes } = explainSchema({ inputSchema }, "gemini");
    deepStrictEqual((schema["properties"] as Schema)["a"], {
      anyOf: [{ type: "number", enum: [1] }, { type: "string", enum: ["b"] }],
      description: "exactly one alternative fits",
    });
    const pointers = changes.map(({ pointer }) => pointer);
    deepStrictEqual(pointers, ["/properties/a/oneOf/0/const", "/properties/a/oneOf/1/const", "/properties/a/oneOf"]);
  });

  test("states the place and the reason if a schema cannot be strict", () => {
    const inputSchema = closed({ by: { type: "object", additionalProperties: text } });
    const { strict, schema, refused } = explainSchema({ inputSchema }, "openai");
    deepStrictEqual([strict, schema], [false, inputSchema]);
    deepStrictEqual(refused, {
      pointer: "/properties/by",
      reason: "it is an object that allows properties with any name",
    });
  });

  test("takes what defineTool returns, refuses a vendor that is not known, and knows loose forms", () => {
    const tool = defineTool("t").describe("T").input(v.object({ a: v.pipe(v.string(), v.minLength(1)) })).handle(
      () => {},
    );
    strictEqual(explainSchema(tool, "anthropic").changes[1]?.pointer, "/properties/a/minLength");
    deepStrictEqual(explainSchema(tool, "anthropic", { strict: false }).changes, []);
    throws(() => explainSchema(tool, "mistral" as never), /vendor.*must be "openai" or "anthropic" or "gemini"/);
  });
});

describe("roots", () => {
  const point = closed({ x: { type: "number" } });
  const ROOTS: readonly Schema[] = [
    { anyOf: [point, closed({ y: text })] },
    { type: "object", oneOf: [point] },
    { allOf: [point] },
    { $ref: "#/$defs/P", $defs: { P: { anyOf: [point, closed({ again: { $ref: "#" } })] } } },
    { $ref: "#/$defs/P", $defs: { P: point } },
  ];

  test("no framework gets alternatives or a reference at the root: ChatAnthropic of LangChain would drop the tool", async () => {
    const source = lists(...ROOTS);
    const given = [
      ...(await langchainTools(source)).map(({ schema }) => schema),
      ...Object.values(await aiSdkTools(source)).map(({ inputSchema }) => inputSchema["~standard"].jsonSchema.input()),
      ...(await anthropicTools(source)).tools.map(({ input_schema: schema }) => schema),
      ...(await openaiTools(source)).tools.map((tool) => tool.function.parameters),
    ] as readonly Schema[];
    for (const schema of given) {
      deepStrictEqual(["anyOf", "oneOf", "allOf", "$ref"].filter((keyword) => keyword in schema), []);
      ok(Object.keys(schema["properties"] as object).length > 0);
    }
  });

  test("references to a root that becomes a property follow it", () => {
    const inputSchema = { anyOf: [point, closed({ again: { $ref: "#" }, first: { $ref: "#/anyOf/0" } })] };
    const { schema, toArguments } = explainSchema({ inputSchema }, "openai", { strict: false });
    const { anyOf } = (schema["properties"] as Record<string, { anyOf: readonly Schema[] }>)["input"]!;
    deepStrictEqual(anyOf[1]?.["properties"], {
      again: { $ref: "#/properties/input" },
      first: { $ref: "#/properties/input/anyOf/0" },
    });
    deepStrictEqual(toArguments({ input: { x: 1 } }), { x: 1 });
  });
});

describe("Anthropic", () => {
  test("gets other names for properties that it refuses, and the tool gets its own", async () => {
    const inputSchema = {
      ...closed({ "StartTime<": text, StartTime_: text, "filter[id]": { $ref: "#/properties/StartTime<" } }, [
        "StartTime<",
      ]),
    };
    const { tools: [tool], run } = await anthropicTools(lists(inputSchema));
    const { properties, required } = tool!.input_schema as unknown as {
      properties: Schema;
      required: readonly string[];
    };
    const [renamed = "", kept, filter = ""] = Object.keys(properties);
    ok([renamed, filter].every((name) => /^[A-Za-z0-9_.-]{1,64}$/.test(name)) && renamed !== "StartTime_");
    strictEqual(kept, "StartTime_");
    deepStrictEqual(required, [renamed]);
    deepStrictEqual(properties[renamed], { type: "string", description: 'name: "StartTime<"' });
    strictEqual((properties[filter] as Schema)["$ref"], `#/properties/${renamed}`);
    const block = { type: "tool_use", id: "1", name: "tool_0", input: { [renamed]: "a", [filter]: "b" } };
    deepStrictEqual(JSON.parse(String((await run([block]))[0]!.content)), { "StartTime<": "a", "filter[id]": "b" });
    const { changes } = explainSchema({ inputSchema }, "anthropic");
    ok(changes.some(({ pointer, change }) => pointer === "/properties/StartTime<" && change === "rewritten"));
  });

  test("gets strict tools up to the limits of a request, in the order of the list", async () => {
    const strictOf = async (schemas: readonly Schema[], options = { strict: true }) =>
      (await anthropicTools(lists(...schemas), options)).tools.map((tool) => tool.strict ?? false);
    const many = await strictOf(Array.from({ length: 22 }, () => closed({ a: text })));
    deepStrictEqual([many.filter(Boolean).length, many.at(19), many.at(20)], [20, true, false]);
    const optional = (count: number) =>
      closed(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, text])), []);
    deepStrictEqual(await strictOf([optional(20), optional(5), optional(4), optional(25)]), [true, false, true, false]);
    const unions = (count: number) =>
      closed(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: ["string", "null"] }])),
      );
    deepStrictEqual(await strictOf([unions(10), unions(7), unions(6)]), [true, false, true]);
    deepStrictEqual(await strictOf([closed({ a: text })], {} as { strict: boolean }), [false]);
  });

  test("gets no recursion, and a definition in place of a reference with a description", () => {
    const recursive = {
      ...closed({ a: { $ref: "#/$defs/N" } }),
      $defs: { N: closed({ next: { $ref: "#/$defs/N" } }, []) },
    };
    deepStrictEqual(explainSchema({ inputSchema: recursive }, "anthropic").refused, {
      pointer: "/$defs/N/properties/next/$ref",
      reason: "#/$defs/N contains itself",
    });
    const { schema } = explainSchema({ inputSchema: SCHEMAS["definitions"]! }, "anthropic");
    strictEqual(((schema["properties"] as Schema)["at"] as Schema)["description"], "Where");
  });
});
