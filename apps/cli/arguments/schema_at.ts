/** Finds the schema of a member or item of a value, through references, unions and intersections. */
import { valueAt } from "../../../src/core/json_schema/pointer.ts";
import { isJsonObject, type Members } from "../../../src/internal/json.ts";

/** Maximum number of references that are followed, and of nested unions. */
const MAX_DEPTH = 16;

/** A schema: `true` accepts every value, `false` none. */
export type SchemaNode = Members | boolean;

/**
 * Returns the schema of a member, or of an item. It combines all parts of the schema that mention the key.
 *
 * @param schema Schema of the object or array.
 * @param key Name of the member, index of the item.
 * @param root Document of the schema, for its references.
 * @returns `undefined` if the schema does not mention the key.
 */
export function schemaAt(
  schema: SchemaNode,
  key: string | number,
  root: Members,
  depth: number = 0,
): SchemaNode | undefined {
  const resolved = resolve(schema, root);
  if (typeof resolved === "boolean" || depth > MAX_DEPTH) return undefined;
  const within = (part: unknown) => isNode(part) ? schemaAt(part, key, root, depth + 1) : undefined;
  const own = typeof key === "number" ? itemOf(resolved, key) : memberOf(resolved, key);
  const parts = [
    own,
    ...listOf(resolved["allOf"]).map(within),
    unionOf(listOf(resolved["anyOf"]).map(within)),
    unionOf(listOf(resolved["oneOf"]).map(within)),
    unionOf([within(resolved["then"]), within(resolved["else"])]),
  ].filter((part) => part !== undefined);
  return parts.length > 1 ? { allOf: parts } : parts[0];
}

/** Whether an object's schema refuses members that it does not mention. Parts of `allOf` and unions are not searched. */
export function isClosed(schema: SchemaNode, root: Members): boolean {
  const resolved = resolve(schema, root);
  if (typeof resolved === "boolean") return false;
  return resolved["additionalProperties"] === false || resolved["unevaluatedProperties"] === false;
}

/** Names of the members that a schema has in `properties`, also through local references, `allOf`, `anyOf` and `oneOf`. */
export function memberNames(schema: SchemaNode, root: Members, depth: number = 0): readonly string[] {
  const resolved = resolve(schema, root);
  if (typeof resolved === "boolean" || depth > MAX_DEPTH) return [];
  const { properties } = resolved;
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listOf(resolved[keyword])).filter(isNode);
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return [...new Set([...names, ...parts.flatMap((part) => memberNames(part, root, depth + 1))])];
}

function memberOf(schema: Members, key: string): SchemaNode | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) return nodeOf(properties[key]);
  const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : [];
  const matching = patterns.find(([pattern]) => matches(pattern, key));
  if (matching !== undefined) return nodeOf(matching[1]);
  return isJsonObject(additionalProperties) ? additionalProperties : undefined;
}

function itemOf({ prefixItems, items }: Members, index: number): SchemaNode | undefined {
  return nodeOf(Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items);
}

/** Alternatives that mention the key. The others say nothing about its value. */
function unionOf(parts: readonly (SchemaNode | undefined)[]): SchemaNode | undefined {
  const alternatives = parts.filter((part) => part !== undefined);
  return alternatives.length > 1 ? { anyOf: alternatives } : alternatives[0];
}

/** Follows local references. A reference that leads nowhere accepts everything. */
function resolve(schema: SchemaNode, root: Members): SchemaNode {
  let current = schema;
  for (let step = 0; step < MAX_DEPTH && typeof current !== "boolean"; step++) {
    const { $ref, ...rest } = current as Members;
    if (typeof $ref !== "string") return current;
    const target = $ref.startsWith("#") ? valueAt(root, $ref) : undefined;
    if (!isJsonObject(target)) return Object.keys(rest).length === 0 ? true : rest;
    current = { ...target, ...rest };
  }
  return true;
}

function matches(pattern: string, key: string): boolean {
  try {
    return new RegExp(pattern, "u").test(key);
  } catch {
    return false;
  }
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === "boolean" || isJsonObject(value);
}

function nodeOf(value: unknown): SchemaNode | undefined {
  return isNode(value) ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
