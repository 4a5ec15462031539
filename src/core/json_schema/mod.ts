/**
 * Plain JSON Schema in place of a schema library, for external schemas.
 *
 * @module
 */
import { assertSchema } from "./assert.ts";
import { compileCheck, toValidate } from "./check.ts";
import type { JsonSchema, Schema } from "../schema/standard_schema.ts";

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
