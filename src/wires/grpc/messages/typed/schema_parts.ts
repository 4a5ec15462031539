/** Resolves references and `allOf`: the schemas that a value has to fit together. */
import { valueAt } from "../../../../core/json_schema/pointer.ts";
import { hasOwnBase } from "../../../../core/json_schema/subschemas.ts";
import { isJsonObject, type Members } from "../../../../internal/json.ts";

/** A schema without references, and the schema that references in it are relative to. */
export interface SchemaPart {
  readonly schema: Members;
  readonly root: unknown;
}

/** Maximum number of schemas that are joined. */
const MAX_PARTS = 64;

/** Keywords that do not restrict the type of a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "$defs", "definitions", "$comment", "title", "description", "default", "examples"],
  ...["deprecated", "readOnly", "writeOnly"],
]);

/** Returns the parts of a schema; `undefined` if there are too many or none, or if a reference leads nowhere. */
export function resolveParts(schema: Members, root: unknown): readonly SchemaPart[] | undefined {
  const parts: SchemaPart[] = [];
  const seen = new Set<unknown>();
  const open: unknown[] = [{ schema, root }];
  for (let next = open.shift() as SchemaPart | undefined; next !== undefined; next = open.shift() as typeof next) {
    if (!isJsonObject(next.schema) || seen.size > MAX_PARTS) return undefined;
    if (seen.has(next.schema)) continue;
    seen.add(next.schema);
    const base = hasOwnBase(next.schema) ? next.schema : next.root;
    const { $ref: reference, allOf, ...own } = next.schema;
    if (Object.keys(own).some((keyword) => !ANNOTATIONS.has(keyword))) {
      parts.push({ schema: reference === undefined && allOf === undefined ? next.schema : own, root: base });
    }
    if (typeof reference === "string") open.push({ schema: valueAt(base, reference), root: base });
    if (Array.isArray(allOf)) open.push(...allOf.map((part: unknown) => ({ schema: part, root: base })));
  }
  return parts.length === 0 ? undefined : parts;
}
