/** OpenAI's strict mode: which schemas it can express, and that no argument is lost on the way back. */
import fc from "fast-check";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { openaiTools } from "../../../src/entries/agents.ts";
import { schemaOf, STRICT_CASES } from "./strict_cases.ts";
import type { Transport } from "../../../src/entries/wire.ts";

/** A tool with this schema, which gives back what it gets. */
async function openTool(inputSchema: Record<string, unknown>) {
  const transport: Transport = {
    call: ({ args }) => ({ kind: "answer", value: args }),
    list: () => [{ name: "it", inputSchema }],
  };
  const { tools: [tool], run } = await openaiTools(transport);
  return {
    described: tool?.function,
    async call(args: unknown): Promise<unknown> {
      const called = { name: "it", arguments: JSON.stringify(args) };
      const [message] = await run([{ type: "function", id: "1", function: called }]);
      return JSON.parse(message?.content ?? "");
    },
  };
}

describe("strict mode", () => {
  for (const one of STRICT_CASES) {
    test(one.strict === undefined ? `does not say ${one.name}` : `says ${one.name}`, async () => {
      const schema = schemaOf(one);
      const { described } = await openTool(schema);
      strictEqual(described?.strict, one.strict !== undefined);
      if (one.strict === undefined) deepStrictEqual(described.parameters, schema);
      else {
        const { properties, required, additionalProperties } = described.parameters;
        deepStrictEqual(properties, { it: one.strict });
        deepStrictEqual([required, additionalProperties], [["it"], false]);
      }
    });
  }

  test("keeps the definitions that are used, and strict", async () => {
    const node = {
      type: "object",
      properties: { value: { type: "number" }, next: { $ref: "#/$defs/Node" } },
      required: ["value"],
    };
    const { described, call } = await openTool({
      type: "object",
      properties: { list: { $ref: "#/$defs/Node" } },
      required: ["list"],
      $defs: { Node: node },
    });
    deepStrictEqual(described?.parameters["$defs"], {
      Node: {
        type: "object",
        properties: {
          value: { type: "number" },
          next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }], description: "null: left out" },
        },
        required: ["value", "next"],
        additionalProperties: false,
      },
    });
    const said = { list: { value: 1, next: { value: 2, next: null } } };
    deepStrictEqual(await call(said), { list: { value: 1, next: { value: 2 } } });
  });

  test("leaves null where null was meant, however the object is nested", async () => {
    const inner = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: ["string", "null"] } },
      required: ["b"],
    };
    const { described, call } = await openTool({
      type: "object",
      properties: { one: { type: "array", items: inner }, two: { anyOf: [inner, { type: "null" }] } },
      required: ["one", "two"],
    });
    strictEqual(described?.strict, true);
    deepStrictEqual(await call({ one: [{ a: null, b: null }], two: { a: "x", b: null } }), {
      one: [{ b: null }],
      two: { a: "x", b: null },
    });
    deepStrictEqual(await call({ one: [], two: null }), { one: [], two: null });
  });

  test("gives back arguments as they were, for any schema that it says", async () => {
    await fc.assert(
      fc.asyncProperty(shapes(), async ({ schema, value, said }) => {
        const { described, call } = await openTool(schema);
        strictEqual(described?.strict, true);
        deepStrictEqual(await call(said), value);
      }),
      { numRuns: 300, seed: 6 },
    );
  });
});

/** A schema, a value that fits it, and the same value as strict mode says it. */
interface Shape {
  readonly schema: Record<string, unknown>;
  readonly value: unknown;
  readonly said: unknown;
}

/** Objects, up to three levels of them. */
function shapes(depth = 3): fc.Arbitrary<Shape> {
  const same = (schema: Record<string, unknown>) => (value: unknown): Shape => ({ schema, value, said: value });
  const leaves = [
    fc.string().map(same({ type: "string" })),
    fc.integer().map(same({ type: "integer" })),
    fc.constantFrom("a", "b").map(same({ enum: ["a", "b"] })),
    fc.array(fc.boolean()).map(same({ type: "array", items: { type: "boolean" } })),
  ];
  const nullable = fc.option(fc.string()).map(same({ type: ["string", "null"] }));
  const member = fc.oneof(...leaves, ...(depth > 1 ? [shapes(depth - 1), lists(depth - 1)] : []));
  const named = fc.tuple(member, fc.constantFrom("required", "given", "left out"));
  const members = fc.dictionary(fc.string({ minLength: 1 }), named, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
  return fc.tuple(members, nullable).map(([optional, extra]) => joinMembers({ ...optional, nil: [extra, "required"] }));
}

/** Arrays of objects of one schema: the same object, some times. */
function lists(depth: number): fc.Arbitrary<Shape> {
  return fc.tuple(shapes(depth), fc.nat(2)).map(([{ schema, value, said }, length]) => ({
    schema: { type: "array", items: schema },
    value: Array.from({ length }, () => value),
    said: Array.from({ length }, () => said),
  }));
}

function joinMembers(members: Record<string, readonly [Shape, string]>): Shape {
  const entries = Object.entries(members);
  const present = entries.filter(([, [, how]]) => how !== "left out");
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(entries.map(([name, [{ schema }]]) => [name, schema])),
      required: entries.filter(([, [, how]]) => how === "required").map(([name]) => name),
    },
    value: Object.fromEntries(present.map(([name, [{ value }]]) => [name, value])),
    said: Object.fromEntries(entries.map(([name, [{ said }, how]]) => [name, how === "left out" ? null : said])),
  };
}
