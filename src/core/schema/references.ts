/** Checks the references of JSON Schemas. */
import { hasOwnBase, subschemasOf } from "../json_schema/subschemas.ts";
import { resolveReference } from "./json_schema.ts";
import type { JsonSchema } from "./standard_schema.ts";

/** Checks that each `$ref` leads to a part of the same schema. @throws {TypeError} If one cannot be resolved. */
export function assertReferences(root: JsonSchema, where: string): void {
  for (const reference of referencesIn(root)) {
    if (resolveReference(reference, root) === undefined) {
      throw new TypeError(
        `${where} refers to ${JSON.stringify(reference)}, which it does not contain: define it under $defs`,
      );
    }
  }
}

function* referencesIn(schema: JsonSchema): Generator<string> {
  if (typeof schema["$ref"] === "string") yield schema["$ref"];
  for (const [part] of subschemasOf(schema)) if (!hasOwnBase(part)) yield* referencesIn(part);
}
