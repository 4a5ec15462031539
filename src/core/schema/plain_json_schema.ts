/** Plain JSON Schema as a schema: wrapped by `jsonSchema()`, or, by the adapter, as it is. TypeBox's schemas are plain JSON Schema. */
import { assertSchema } from "../json_schema/assert.ts";
import { compileCheck, toValidate } from "../json_schema/check.ts";
import { subschemasOf } from "../json_schema/subschemas.ts";
import type { Members } from "../../internal/json.ts";
import type { SchemaAdapter } from "./adapter.ts";
import { isPlainSchema } from "./no_schema.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";

/**
 * Wraps a JSON Schema (2020-12) for `.input()`, `.output()` and other uses of schemas. Values are validated against all
 * keywords without code generation, and not changed: a `default` is listed, but not filled in. Two keywords are
 * limited, because they take more than linear time: `format` applies to strings of at most 2,048 characters, and
 * `uniqueItems` below `not`, `if`, `oneOf`, `anyOf` or `contains` to arrays of at most 16 items.
 *
 * @example Arguments that are described elsewhere
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { jsonSchema } from "jsr:@toolwire/toolwire/json-schema";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const numbers = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
 * const add = defineTool("add")
 *   .describe("Add two numbers")
 *   .input(jsonSchema<{ a: number; b: number }>(numbers))
 *   .handle(({ a, b }) => a + b);
 *
 * const client = testClient(createServer({ tools: [add] }));
 * console.log(await client.add({ a: 1, b: 2 })); // → 3
 * console.log(await client.$.call("add", { a: "1", b: 2 }).catch(({ code }) => code)); // → invalid_input
 * ```
 * @param schema The schema, which is not copied. References must be local. Patterns are regular expressions with the
 * flag `u`.
 * @typeParam Value Type of valid values. It is not compared with the schema.
 * @throws {TypeError} If the schema is not an object, a keyword or pattern is invalid, or a reference cannot be
 * resolved.
 */
export function jsonSchema<Value = Record<string, unknown>>(schema: JsonSchema): Schema<Value> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw new TypeError('A JSON Schema is an object, such as { type: "object", properties: { … } }');
  }
  assertSchema(schema);
  const validate = toValidate(compileCheck(schema));
  const standard = { version: 1 as const, vendor: "json-schema", validate, jsonSchema: { input: () => schema } };
  return { "~standard": standard };
}

/** Schema adapter that takes plain JSON Schema as it is, of TypeBox as well: as {@link jsonSchema} wraps it. */
export const plainJsonSchema: SchemaAdapter = {
  vendor: "json-schema",
  toSchema(given) {
    if (!isPlainSchema(given)) return undefined;
    assertOnlyData(given);
    return jsonSchema(given) as Schema;
  },
};

/** Functions of TypeBox that JSON Schema cannot have: they would not run. */
const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["~codec", "Type.Codec"],
  ["~refine", "Type.Refine"],
  ["TypeBox.Transform", "Type.Transform"],
]);

function assertOnlyData(schema: Members): void {
  const names = [
    ...Object.getOwnPropertyNames(schema),
    ...Object.getOwnPropertySymbols(schema).map((one) => one.description),
  ];
  const found = names.map((name) => FUNCTIONS.get(name ?? "")).find((name) => name !== undefined);
  if (found !== undefined) {
    throw new TypeError(
      `the function of ${found}(…) is not a part of JSON Schema and would not run; do its work in the handler`,
    );
  }
  for (const [part] of subschemasOf(schema)) assertOnlyData(part);
}
