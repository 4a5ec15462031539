/** The rules of the argument editor, as functions of a schema and a value. The form never changes a value by itself. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Schema = Readonly<Record<string, unknown>>;

/** A path within the arguments. */
export type Path = readonly (string | number)[];

/** Follows references, and merges the keywords beside them, as JSON Schema 2020-12 has it. */
export function resolve(schema: unknown, root: Schema): Schema {
  let at = asSchema(schema);
  for (let depth = 0; typeof at["$ref"] === "string" && depth < 16; depth++) {
    const { $ref: reference, ...siblings } = at;
    at = { ...asSchema(lookUp(reference as string, root)), ...siblings };
  }
  return at;
}

function lookUp(reference: string, root: Schema): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return {};
  const keys = reference.slice(2).split("/").map((key) => decode(key).replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>((at, key) => asObject(at)[key], root);
}

/** Decodes a part of a URI; text that is not encoded stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function asSchema(schema: unknown): Schema {
  return asObject(schema);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {};
}

export function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Types that a schema names; none if it names none. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : [];
}

/** The alternatives of a schema: of `anyOf`, of `oneOf`, or of a list of types. Empty for none. */
export function alternatives(schema: Schema, root: Schema): readonly Schema[] {
  const listed = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(listed)) return listed.map((one) => resolve(one, root));
  const types = typesOf(schema);
  if (types.length < 2 || schema["enum"] !== undefined) return [];
  const { type: _, ...rest } = schema;
  return types.map((type) => type === "null" ? { type } : { ...rest, type });
}

/** Whether a value has the shape of a schema: enough to choose an alternative, not a validation. */
export function fits(given: Schema, value: Json, root: Schema, depth = 0): boolean {
  const schema = resolve(given, root);
  if (depth > 8) return true;
  if ("const" in schema) return same(schema["const"], value);
  if (Array.isArray(schema["enum"])) return schema["enum"].some((one) => same(one, value));
  const options = alternatives(schema, root);
  if (options.length > 0) return options.some((option) => fits(option, value, root, depth + 1));
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (!isObject(value)) return true;
  const required = Array.isArray(schema["required"]) ? schema["required"] as string[] : [];
  if (required.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(asObject(schema["properties"])).every(([name, member]) => {
    return !Object.hasOwn(value, name) || fits(resolve(member, root), value[name] as Json, root, depth + 1);
  });
}

/**
 * Index of the alternative that a value is shown as: the first that it fits, else the first that it may become, so that a form stays
 * while a required member is left out. -1 for none.
 */
export function chosenAmong(options: readonly Schema[], value: Json | undefined, root: Schema): number {
  if (value === undefined) return -1;
  const index = options.findIndex((option) => fits(option, value, root));
  if (index >= 0 || !isObject(value)) return index;
  return options.findIndex((option) => {
    const { required: _, ...rest } = resolve(option, root);
    return isObject(asObject(rest)["properties"] as Json) && fits(rest, value, root);
  });
}

function isOfType(value: Json, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  const kind: string = typeof value;
  return kind === type;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The value that a person starts from: the default, else the least that is required. */
export function first(given: Schema, root: Schema, depth = 0): Json {
  const schema = resolve(given, root);
  if ("default" in schema) return schema["default"] as Json;
  if ("const" in schema) return schema["const"] as Json;
  if (Array.isArray(schema["enum"])) return (schema["enum"][0] ?? null) as Json;
  const [option] = alternatives(schema, root);
  if (option !== undefined && depth < 8) return first(option, root, depth + 1);
  const [type] = typesOf(schema);
  if (type === "object" || schema["properties"] !== undefined) return firstObject(schema, root, depth);
  if (type === "array" || schema["prefixItems"] !== undefined) return firstArray(schema, root, depth);
  if (type === "number" || type === "integer") return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
  if (type === "boolean") return false;
  return type === "null" ? null : "";
}

function firstObject(schema: Schema, root: Schema, depth: number): Json {
  if (depth > 6) return {};
  const properties = asObject(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? schema["required"] as string[] : [];
  return Object.fromEntries(
    required.filter((name) => Object.hasOwn(properties, name))
      .map((name) => [name, first(resolve(properties[name], root), root, depth + 1)]),
  );
}

function firstArray(schema: Schema, root: Schema, depth: number): Json {
  if (depth > 3) return [];
  const { prefixItems, minItems } = schema;
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => first(resolve(item, root), root, depth + 1));
  const count = typeof minItems === "number" ? Math.min(minItems, 8) : 0;
  return Array.from({ length: count }, () => first(resolve(schema["items"], root), root, depth + 1));
}

/** The members that only `const` and `required` force. What else there is, a person has to begin. */
export function start(given: Schema, root: Schema): Json {
  const schema = resolve(given, root);
  const properties = asObject(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? schema["required"] as string[] : [];
  return Object.fromEntries(
    required.flatMap((name) => {
      const member = resolve(properties[name], root);
      return "const" in member ? [[name, member["const"] as Json]] : [];
    }),
  );
}

/** An own member of a value: not one that every object inherits, such as `constructor`. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value with another one at a path; `undefined` leaves it out. */
export function set(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  if (typeof key === "number") {
    const items = Array.isArray(value) ? [...value] as Json[] : [];
    const item = set(items[key], rest, next);
    if (item === undefined) items.splice(key, 1);
    else items[key] = item;
    return items;
  }
  const members = isObject(value) ? { ...value } : {};
  const member = set(memberOf(members, key), rest, next);
  if (member !== undefined) return { ...members, [key]: member };
  delete (members as Record<string, Json>)[key];
  return members;
}

/** Switches to another alternative, and keeps the members that both have. */
export function switchTo(schema: Schema, value: Json | undefined, root: Schema): Json {
  const begun = first(schema, root);
  if (!isObject(begun) || value === undefined || !isObject(value)) return begun;
  const properties = asObject(schema["properties"]);
  const kept = Object.entries(value).filter(([name, member]) => {
    return Object.hasOwn(properties, name) && fits(resolve(properties[name], root), member, root);
  });
  return { ...begun, ...Object.fromEntries(kept) };
}

/** A short name of a schema, for a choice. */
export function labelOf(schema: Schema): string {
  if (typeof schema["title"] === "string") return schema["title"];
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const constant = Object.values(asObject(schema["properties"])).map(asObject).find((member) => "const" in member);
  if (constant !== undefined) return String(constant["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((one) => JSON.stringify(one)).join(" | ").slice(0, 40);
  const listed = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(listed)) return listed.map((one) => labelOf(asSchema(one))).join(" | ").slice(0, 60);
  if (typeof schema["$ref"] === "string") return schema["$ref"].split("/").at(-1) ?? "any";
  const types = typesOf(schema);
  return types.length > 0 ? types.join(" | ") : schema["properties"] === undefined ? "any" : "object";
}

/** A path as a JSON Pointer. */
export function pointerOf(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
