/**
 * Plain JSON Schema in place of a schema library. It is needed for schemas that exist already, such as those of a document or of another
 * server.
 *
 * @example A tool with a JSON Schema
 * ```ts
 * import { defineTool } from "jsr:@toolwire/toolwire";
 * import { jsonSchema } from "jsr:@toolwire/toolwire/json-schema";
 *
 * const Input = jsonSchema<{ name: string }>({ type: "object", properties: { name: { type: "string" } }, required: ["name"] });
 * const greet = defineTool("greet").describe("Greet").input(Input).handle(({ name }) => `Hello ${name}`);
 * console.log(greet.name); // → greet
 * ```
 *
 * @module
 */
export { jsonSchema } from "../core/schema/plain_json_schema.ts";
