/** Alternatives, and properties that become alternatives of a value and `null`. */
import { isJsonObject } from "../../internal/json.ts";
import type { ParameterSchema } from "./dialects.ts";

/** Whether at most one alternative can match: they have different types, or a required property with different constants. */
export function isExclusive(branches: readonly unknown[]): boolean {
  if (!branches.every(isJsonObject)) return false;
  const types = branches.map(({ type }) => type === "integer" ? "number" : type);
  if (types.every((type) => typeof type === "string") && new Set(types).size === branches.length) return true;
  const [first = {}] = branches;
  const names = isJsonObject(first["properties"]) ? Object.keys(first["properties"]) : [];
  const isDiscriminator = (name: string) => {
    const constants = branches.flatMap((branch) => constantsOf(branch, name));
    return constants.length === branches.length && new Set(constants).size === branches.length;
  };
  return names.some(isDiscriminator);
}

function constantsOf({ properties, required }: ParameterSchema, name: string): readonly unknown[] {
  const member = isJsonObject(properties) && Array.isArray(required) && required.includes(name) && properties[name];
  return isJsonObject(member) && Object.hasOwn(member, "const") ? [member["const"]] : [];
}

/**
 * Whether the schema may allow `null`. `false` is certain, `true` is not. Each definition is visited once.
 *
 * @param resolve Returns the schema that a reference is for.
 */
export function allowsNull(
  schema: unknown,
  resolve: (reference: unknown) => unknown,
  seen: Set<unknown> = new Set(),
): boolean {
  if (!isJsonObject(schema)) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { $ref, allOf, type = inferType(schema) } = schema;
  if (Object.hasOwn(schema, "const")) return schema["const"] === null;
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(null);
  if (type !== undefined) return Array.isArray(type) ? type.includes("null") : type === "null";
  if (typeof $ref === "string") return allowsNull(resolve($ref), resolve, seen);
  if (Array.isArray(allOf)) return allOf.every((part) => allowsNull(part, resolve, seen));
  const branches = schema["anyOf"] ?? schema["oneOf"];
  return !Array.isArray(branches) || branches.some((branch) => allowsNull(branch, resolve, seen));
}

/** The type of a schema without `type`: `object` or `array` if it has properties or items, otherwise `undefined`. */
export function inferType(schema: ParameterSchema): string | undefined {
  if (schema["properties"] !== undefined) return "object";
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? "array" : undefined;
}

/** Converts the properties that a model wrote to those of the tool, by `restore`. Those whose value becomes `undefined` are left out. */
export function restoreMembers(
  given: ParameterSchema,
  members: ReadonlyMap<string, { readonly restore?: ((given: unknown) => unknown) | undefined }>,
): unknown {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const restore = members.get(name)?.restore;
      const restored = restore === undefined ? value : restore(value);
      return restored === undefined ? [] : [[name, restored]];
    }),
  );
}

/** Gives an alternative the `type` that is beside the alternatives, unless it has a type, values, a reference or alternatives itself. */
export function withType(branch: unknown, type: unknown): unknown {
  if (type === undefined || !isJsonObject(branch)) return branch;
  const isTyped = ["type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf"].some((keyword) => keyword in branch);
  return isTyped ? branch : { type, ...branch };
}

/** The type of a value; `undefined` if it is an object or an array. */
export function typeOfScalar(value: unknown): string | undefined {
  if (value === null) return "null";
  return ["string", "number", "boolean"].includes(typeof value) ? typeof value : undefined;
}
