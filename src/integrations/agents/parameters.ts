/** The form of a tool's input schema that every model API takes: an object with properties, without alternatives at its root. */
import { mapParts } from "../../core/json_schema/subschemas.ts";
import { valueAt } from "../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../internal/json.ts";
import { describeNotes, escapeKey, type SchemaChange } from "./keywords.ts";
import type { ParameterSchema } from "./dialects.ts";

/** The parameters that a model fills in, and their conversion to a tool's arguments. */
export interface ModelParameters {
  /** JSON Schema of an object. */
  readonly schema: ParameterSchema;
  /** Converts the model's parameters to arguments. */
  toArguments(given: unknown): unknown;
  /** Converts arguments of the tool, such as those of an example, to the model's parameters. */
  toModelArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Differences from the tool's input schema. */
  readonly changes: readonly SchemaChange[];
  /** Converts a JSON Pointer in `schema` to one in the tool's input schema. */
  toPointer(pointer: string): string;
}

/** Keywords that model APIs refuse at the root of a schema; `ChatAnthropic` of LangChain drops tools with three of them. */
const NOT_AT_ROOT = ["anyOf", "oneOf", "allOf", "not", "enum", "const"];

/** The property that holds arguments which cannot be at the root. */
const WRAPPED = "input";
const MAX_REFERENCES = 16;

/** A tool's input schema in the form that model APIs take. Alternatives at the root become the single property `input`. */
export function toParameters(schema: ParameterSchema = {}): ModelParameters {
  const root = resolveRoot(schema);
  const wrapped = NOT_AT_ROOT.filter((keyword) => Object.hasOwn(root, keyword));
  if (wrapped.length > 0) return wrap(root, wrapped);
  return {
    schema: { properties: {}, ...root, type: "object" },
    toArguments: (given) => given,
    toModelArguments: (args) => args,
    changes: root === schema ? [] : [PUT_IN_PLACE],
    toPointer: (pointer) => pointer,
  };
}

/** Puts a reference at the root in place, because APIs require the type `object` there. */
function resolveRoot(schema: ParameterSchema): ParameterSchema {
  let root = schema;
  for (let count = 0; typeof root["$ref"] === "string" && count < MAX_REFERENCES; count++) {
    const { $ref, ...rest } = root;
    const target = String($ref).startsWith("#") ? valueAt(schema, String($ref)) : undefined;
    if (!isJsonObject(target) || target === schema) return root;
    root = { ...target, ...rest };
  }
  return root;
}

function wrap(root: ParameterSchema, keywords: readonly string[]): ModelParameters {
  // References point at definitions from the root, so the definitions stay there.
  const { $defs, definitions, $schema, ...input } = root;
  const moved = mapReferences(
    input,
    (ref) => /^#\/(\$defs|definitions)\//.test(ref) ? ref : ref.replace(/^#/, `#/properties/${WRAPPED}`),
  );
  return {
    schema: {
      type: "object",
      properties: { [WRAPPED]: moved },
      required: [WRAPPED],
      additionalProperties: false,
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
      ...($schema !== undefined && { $schema }),
    },
    toArguments: (given) => isJsonObject(given) ? given[WRAPPED] : given,
    toModelArguments: (args) => ({ [WRAPPED]: args }),
    changes: keywords.map((keyword) => ({
      pointer: `/${keyword}`,
      change: "rewritten",
      reason: `model APIs refuse it at the root, so that the arguments are the property ${WRAPPED}`,
    })),
    toPointer: (pointer) => pointer.startsWith(`/properties/${WRAPPED}`) ? pointer.slice(12 + WRAPPED.length) : pointer,
  };
}

/** Names of properties that Anthropic's API takes at the root of a schema. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * {@link toParameters}, with other names for root properties whose names Anthropic refuses: one of them makes it refuse the whole request.
 * `toArguments` restores the names. Frameworks that pass tools to models of any vendor get this form, too.
 */
export function toNamedParameters(given: ParameterSchema | undefined): ModelParameters {
  const parameters = toParameters(given);
  const { schema, changes } = parameters;
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return parameters;
  const names = mapNames(Object.keys(properties), PROPERTY_NAME);
  const renamed = [...names].filter(([name, other]) => name !== other);
  if (renamed.length === 0) return parameters;
  const originals = new Map(renamed.map(([name, other]) => [other, name]));
  const nameOf = (name: string) => names.get(name) ?? name;
  const originalOf = (name: string) => originals.get(name) ?? name;
  const members = Object.entries(properties).map((
    [name, member],
  ) => [nameOf(name), nameMember(member, name, nameOf(name))]);
  const moved = mapReferences({ ...schema, properties: Object.fromEntries(members) }, renameIn(nameOf));
  return {
    schema: Array.isArray(required) ? { ...moved, required: required.map((name) => nameOf(String(name))) } : moved,
    toArguments: (given) => isJsonObject(given) ? renameMembers(given, originalOf) : given,
    toModelArguments: (args) => renameMembers(args, nameOf),
    changes: [...changes, ...renamed.map(toChange)],
    toPointer: renameIn(originalOf),
  };
}

function renameMembers(
  record: Readonly<Record<string, unknown>>,
  rename: (name: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [rename(name), value]));
}

const PUT_IN_PLACE: SchemaChange = {
  pointer: "/$ref",
  change: "rewritten",
  reason: "model APIs require the type object at the root, so that the definition is put in place",
};

function toChange([name, renamed]: readonly [string, string]): SchemaChange {
  const reason = `Anthropic refuses the name of the property, so that it is ${renamed}`;
  return { pointer: `/properties/${escapeKey(name)}`, change: "rewritten", reason };
}

function nameMember(member: unknown, name: string, renamed: string): unknown {
  return name === renamed || !isJsonObject(member) ? member : describeNotes(member, [`name: ${JSON.stringify(name)}`]);
}

/** Renames the property at the root that a pointer, plain or in a fragment, leads through. */
function renameIn(rename: (name: string) => string): (pointer: string) => string {
  return (pointer) =>
    pointer.replace(/^(#?\/properties\/)([^/]*)/, (_, start: string, key: string) => {
      const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
      return start + escapeKey(rename(name));
    });
}

function mapReferences(schema: ParameterSchema, change: (reference: string) => string): ParameterSchema {
  const mapped = mapParts(schema, (part) => mapReferences(part, change));
  const { $ref } = mapped;
  return typeof $ref === "string" ? { ...mapped, $ref: change($ref) } : mapped;
}

/** Longest name that every vendor takes. */
const MAX_NAME = 64;

/**
 * Maps each name to a unique name that is allowed.
 *
 * An allowed name is kept. In other names invalid characters become `_`; if the result is too long or taken, a digest of the
 * whole name is appended, so that it does not depend on the order of the names.
 *
 * @param allowed Matches names of at most 64 characters, among them all of `A-Za-z0-9_` that start with a letter.
 * @returns The allowed names, by the given ones.
 */
export function mapNames(names: readonly string[], allowed: RegExp): ReadonlyMap<string, string> {
  const taken = new Set(names.filter((name) => allowed.test(name)));
  return new Map(names.map((original) => {
    if (allowed.test(original)) return [original, original];
    const base = toAllowed(original, allowed);
    let name = base;
    for (let attempt = 0; name.length > MAX_NAME || taken.has(name); attempt++) {
      name = `${base.slice(0, MAX_NAME - 9)}_${digest(attempt === 0 ? original : `${original} ${attempt}`)}`;
    }
    taken.add(name);
    return [original, name];
  }));
}

/** Replaces invalid characters. The result may be too long. */
function toAllowed(name: string, allowed: RegExp): string {
  const base = name.replaceAll(/[^A-Za-z0-9_-]/g, "_") || "_";
  const isAllowed = (candidate: string) => allowed.test(candidate.slice(0, MAX_NAME));
  return [base, base.replaceAll("-", "_")].find(isAllowed) ?? `_${base.replaceAll("-", "_")}`;
}

/** FNV-1a, 32 bits, in hexadecimal. Distinguishes names; not a secure hash. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
