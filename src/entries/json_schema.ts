/**
 * Plain JSON Schema in place of a schema library, for external schemas.
 *
 * @module
 */
export { jsonSchema } from "../core/schema/plain_json_schema.ts";
