/**
 * Tools as signatures, in the notation of TypeScript: about a sixth of the tokens of their JSON Schema.
 *
 * @module
 */
import { isJsonObject } from "../../internal/json.ts";
import { valueAt } from "./pointer.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Values of an enumeration that a signature lists; the rest is `…`. */
const MAX_VALUES = 12;
/** Nesting of objects that a signature shows; deeper ones are `object`. */
const MAX_DEPTH = 3;

/** Returns a tool as `(city: string, days?: number) => { temperature: number }`. Lengthy parts are cut. */
export function signatureOf(inputSchema: JsonSchema, outputSchema: JsonSchema | undefined): string {
  const { properties } = inputSchema;
  const parameters = isJsonObject(properties)
    ? membersOf(inputSchema, properties, { root: inputSchema, depth: 1 }).join(", ")
    : "";
  return `(${parameters}) => ${
    outputSchema === undefined ? "unknown" : typeOf(outputSchema, { root: outputSchema, depth: 0 })
  }`;
}

/** Place of a schema within its document. */
interface Place {
  readonly root: JsonSchema;
  readonly depth: number;
}

function membersOf(schema: JsonSchema, properties: JsonSchema, place: Place): string[] {
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const names = Object.keys(properties);
  // Required ones first, as a caller has to know them.
  const sorted = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  return sorted.map((name) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${key}${required.includes(name) ? "" : "?"}: ${typeOf(properties[name], place)}`;
  });
}

function typeOf(value: unknown, place: Place): string {
  if (!isJsonObject(value)) return value === false ? "never" : "unknown";
  if (place.depth > 2 * MAX_DEPTH) return "unknown";
  const schema = resolveReference(value, place.root);
  if (schema === undefined) return "unknown";
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return unionOf(schema["enum"].map((entry) => JSON.stringify(entry)));
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) return unionOf(alternatives.map((entry) => typeOf(entry, deeper(place))));
  if (Array.isArray(schema["allOf"])) return schema["allOf"].map((entry) => typeOf(entry, deeper(place))).join(" & ");
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((entry) => typeOf({ ...schema, type: entry }, place)));
  return namedType(type ?? (isJsonObject(schema["properties"]) ? "object" : undefined), schema, place);
}

function namedType(type: unknown, schema: JsonSchema, place: Place): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return arrayOf(schema, place);
    case "object":
      return objectOf(schema, place);
    default:
      return "unknown";
  }
}

function arrayOf({ items, prefixItems }: JsonSchema, place: Place): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((entry) => typeOf(entry, deeper(place))).join(", ")}]`;
  const item = typeOf(items, deeper(place));
  return / [|&] /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectOf(schema: JsonSchema, place: Place): string {
  const { properties, additionalProperties } = schema;
  if (place.depth >= MAX_DEPTH) return "object";
  if (isJsonObject(properties) && Object.keys(properties).length > 0) {
    return `{ ${membersOf(schema, properties, deeper(place)).join(", ")} }`;
  }
  return isJsonObject(additionalProperties)
    ? `Record<string, ${typeOf(additionalProperties, deeper(place))}>`
    : "object";
}

function unionOf(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  const shown = distinct.length > MAX_VALUES ? [...distinct.slice(0, MAX_VALUES), "…"] : distinct;
  return shown.join(" | ") || "never";
}

function deeper({ root, depth }: Place): Place {
  return { root, depth: depth + 1 };
}

/** Follows local references; `undefined` for those that lead nowhere, in a circle, or out of the document. */
function resolveReference(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  let current = schema;
  for (let step = 0; step < MAX_DEPTH; step++) {
    const { $ref, ...rest } = current;
    if (typeof $ref !== "string") return current;
    const target = $ref.startsWith("#") ? valueAt(root, $ref) : undefined;
    if (!isJsonObject(target)) return undefined;
    current = { ...target, ...rest };
  }
  return undefined;
}
