/**
 * Plain JSON Schema in the place of a schema library: for schemas that come from elsewhere.
 *
 * @module
 */
import { assertSchema } from "./assert.ts";
import { compileCheck, toValidate } from "./check.ts";
import type { JsonSchema, Schema } from "../schema/standard_schema.ts";

/**
 * A JSON Schema (2020-12) as a schema for `.input()`, `.output()` and wherever else one is wanted. Values are checked against all of
 * it, without code generation, and are not changed: a `default` is told to callers, and not filled in. What would take more than
 * linear time is bounded: `format` is asked of texts up to 2,048 characters, and `uniqueItems` below `not`, `if`, `oneOf`, `anyOf` or
 * `contains` of arrays up to 16 items.
 *
 * @example Arguments that are described elsewhere
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { jsonSchema } from "jsr:@toolwire/toolwire/json-schema";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { rejects, strictEqual } from "node:assert/strict";
 *
 * const numbers = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
 * const add = defineTool("add")
 *   .describe("Add two numbers")
 *   .input(jsonSchema<{ a: number; b: number }>(numbers))
 *   .handle(({ a, b }) => a + b);
 *
 * const client = testClient(createServer({ tools: [add] }));
 * strictEqual(await client.add({ a: 1, b: 2 }), 3);
 * await rejects(client.$.call("add", { a: "1", b: 2 }), { code: "invalid_input" });
 * ```
 * @param schema The schema, which is kept as it is. References lead into itself; what is patterned is so by regular expressions
 * with the flag `u`.
 * @typeParam Value What fits it: nobody checks that this is what the schema says.
 * @throws {TypeError} If it is no object, a keyword has a value that it cannot have, a pattern is none, or a reference leads nowhere.
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
