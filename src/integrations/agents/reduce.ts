/**
 * Reduces a schema to the subset of JSON Schema that a vendor takes.
 *
 * Assertions that the vendor does not take move into the description; the server validates arguments against the whole schema in any case.
 * A schema is refused if values that are needed could not be expressed: strict modes close all objects, and an optional property may
 * have to become one that may be `null`, which is removed again before the call. An object without `additionalProperties` is closed.
 */
import { valueAt } from "../../core/json_schema/pointer.ts";
import { isJsonObject } from "../../internal/json.ts";
import { mergeAllOf } from "./all_of.ts";
import type { Dialect, ParameterSchema } from "./dialects.ts";
import { describeNotes, escapeKey, hasStructure, isConstraint, type SchemaChange, sortKeywords } from "./keywords.ts";
import { Inexpressible, type InexpressiblePart, type ReducedSchema, SchemaCount } from "./schema_count.ts";
import { allowsNull, inferType, isExclusive, restoreMembers, typeOfScalar, withType } from "./unions.ts";

/** Reduces the schema of a tool's arguments to what `dialect` takes, or returns why that is not possible. */
export function reduce(schema: ParameterSchema, dialect: Dialect): ReducedSchema | InexpressiblePart {
  try {
    return new Reduction(schema, dialect).convertRoot();
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return { pointer: thrown.pointer, reason: thrown.message };
    // Nested deeper than the stack: not usable as a schema for a model.
    if (thrown instanceof RangeError) return { pointer: "", reason: "it is nested too deeply" };
    throw thrown;
  }
}

/** Converts arguments that fit the reduced schema to arguments that fit the original one. */
type RestoreArguments = (given: unknown) => unknown;

/** A schema in the form that a vendor accepts. */
interface Converted {
  readonly schema: ParameterSchema;
  /** `undefined` if the reduced value is the original value. */
  readonly restore?: RestoreArguments | undefined;
  /** Text for the description. */
  readonly notes?: readonly string[];
}

/** A definition of the original schema, converted at its first use. */
interface Definition {
  readonly name: string;
  converted?: Converted;
}

/** Maximum number of definitions that are copied in place of references. */
const MAX_COPIES = 200;

/** Converts one schema to the part of JSON Schema that a vendor accepts, and notes what was changed. */
class Reduction {
  readonly #root: ParameterSchema;
  readonly #dialect: Dialect;
  readonly #changes = new Map<string, SchemaChange>();
  readonly #definitions = new Map<string, Definition>();
  /** References whose definition is being converted. */
  readonly #open = new Set<string>();
  #copies = 0;
  readonly #count: SchemaCount;

  constructor(root: ParameterSchema, dialect: Dialect) {
    this.#root = root;
    this.#dialect = dialect;
    this.#count = new SchemaCount(dialect);
  }

  convertRoot(): ReducedSchema {
    const { schema, restore } = this.#convert(this.#root, "", 0);
    const definitions = [...this.#definitions.values()].map(({ name, converted }) => [name, converted?.schema]);
    return {
      schema: definitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) },
      toArguments: restore ?? ((given) => given),
      changes: [...this.#changes.values()],
      optional: this.#count.optional,
      unions: this.#count.unions,
    };
  }

  #record(pointer: string, change: SchemaChange["change"], reason: string): void {
    this.#changes.set(`${pointer} ${change}`, { pointer, change, reason });
  }

  #convert(given: unknown, at: string, depth: number): Converted {
    const { levels } = this.#dialect.limits;
    if (depth > levels) throw new Inexpressible(at, `it is nested deeper than ${levels} levels`);
    const whole = given === true ? {} : given;
    if (!isJsonObject(whole)) throw new Inexpressible(at, "it allows no value");
    const schema = this.#flatten(whole, at);
    if (schema["$ref"] !== undefined) return this.#convertReference(schema, at, depth);
    const { kept, notes, changes } = sortKeywords(schema, at, this.#dialect);
    for (const { pointer, change, reason } of changes) this.#record(pointer, change, reason);
    const { schema: structure, restore, notes: more = [] } = this.#convertStructure(schema, at, depth);
    return { schema: describeNotes({ ...kept, ...structure }, [...notes, ...more]), restore };
  }

  /** Merges `allOf` into the schema that has it. */
  #flatten(schema: ParameterSchema, at: string): ParameterSchema {
    if (schema["allOf"] === undefined) return schema;
    const { name } = this.#dialect;
    const merged = mergeAllOf(schema, (reference) => this.#resolve(reference));
    if (merged !== undefined) {
      this.#record(`${at}/allOf`, "rewritten", `${name} does not take it, so that its parts are merged`);
      return merged;
    }
    if (this.#dialect.isStrict) throw new Inexpressible(`${at}/allOf`, "its parts cannot be merged");
    this.#record(`${at}/allOf`, "described", `${name} ignores it, and its parts cannot be merged`);
    const { allOf, ...rest } = schema;
    return describeNotes(rest, [`allOf: ${JSON.stringify(allOf)}`]);
  }

  #resolve(reference: unknown): unknown {
    return typeof reference === "string" && reference.startsWith("#") ? valueAt(this.#root, reference) : undefined;
  }

  #convertReference(schema: ParameterSchema, at: string, depth: number): Converted {
    const { $ref, ...beside } = schema;
    const reference = String($ref);
    const target = this.#resolve(reference);
    if (target === undefined) throw new Inexpressible(`${at}/$ref`, `no definition is at ${reference}`);
    if (!this.#dialect.isRecursive && this.#open.has(reference)) {
      throw new Inexpressible(`${at}/$ref`, `${reference} contains itself`);
    }
    const isAlone = !Object.keys(beside).some((one) =>
      one !== "type" && (isConstraint(one) || ANNOTATIONS.includes(one))
    );
    if (isAlone) return this.#refer(reference, target);
    if (!this.#dialect.isRecursive) return this.#copy(reference, target, beside, depth);
    this.#record(
      `${at}/$ref`,
      "rewritten",
      `${this.#dialect.name} takes nothing beside a reference, so that it is the only alternative`,
    );
    const { schema: referred, restore } = this.#refer(reference, target);
    const { kept, notes } = this.#describeAll(beside, at);
    return { schema: describeNotes({ ...kept, anyOf: [referred] }, notes), restore };
  }

  /** Moves all assertions beside a reference into the description. */
  #describeAll(beside: ParameterSchema, at: string): { kept: ParameterSchema; notes: readonly string[] } {
    const { description } = beside;
    const names = Object.keys(beside).filter((name) => name !== "type" && isConstraint(name));
    for (const name of names) this.#record(`${at}/${escapeKey(name)}`, "described", "it is beside a reference");
    const { notes } = sortKeywords({ default: beside["default"], examples: beside["examples"] }, at, this.#dialect);
    return {
      kept: description === undefined ? {} : { description },
      notes: [
        ...names.map((name) => `${name}: ${JSON.stringify(beside[name])}`),
        ...notes.filter((note) => !note.endsWith("undefined")),
      ],
    };
  }

  /** Puts a definition in place of a reference that has other keywords beside it. */
  #copy(reference: string, target: unknown, beside: ParameterSchema, depth: number): Converted {
    const merged = isJsonObject(target) && mergeAllOf({ ...beside, allOf: [target] }, (one) => this.#resolve(one));
    if (!merged) {
      throw new Inexpressible(
        reference.slice(1),
        "a definition cannot be merged with what is beside its reference",
      );
    }
    if (this.#copies++ > MAX_COPIES) {
      throw new Inexpressible(reference.slice(1), `it is copied more than ${MAX_COPIES} times`);
    }
    this.#open.add(reference);
    const converted = this.#convert(merged, reference.slice(1), depth);
    this.#open.delete(reference);
    return converted;
  }

  #refer(reference: string, target: unknown): Converted {
    const known = this.#definitions.get(reference) ?? this.#define(reference, target);
    return {
      schema: { $ref: `#/$defs/${known.name}` },
      // A definition that contains itself is not yet converted.
      restore: known.converted === undefined
        ? (given) => known.converted?.restore?.(given) ?? given
        : known.converted.restore,
    };
  }

  #define(reference: string, target: unknown): Definition {
    const base = reference === "#" ? "root" : (reference.split("/").at(-1) || "_").replaceAll(/[^\w.-]/g, "_");
    const taken = new Set([...this.#definitions.values()].map(({ name }) => name));
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    const definition: Definition = { name };
    // Registered before it is converted: a definition may refer to itself.
    this.#definitions.set(reference, definition);
    this.#open.add(reference);
    definition.converted = this.#convert(target, reference.slice(1), 0);
    this.#open.delete(reference);
    return definition;
  }

  #convertStructure(schema: ParameterSchema, at: string, depth: number): Converted {
    const { anyOf, oneOf } = schema;
    if (anyOf !== undefined || oneOf !== undefined) return this.#convertUnion(schema, at, depth);
    if (Object.hasOwn(schema, "const") || schema["enum"] !== undefined) return this.#convertValues(schema, at);
    return this.#convertTyped(schema, at, depth);
  }

  #convertUnion(schema: ParameterSchema, at: string, depth: number): Converted {
    const keyword = schema["anyOf"] === undefined ? "oneOf" : "anyOf";
    const { [keyword]: branches, ...rest } = schema;
    if (!Array.isArray(branches) || branches.length === 0) {
      throw new Inexpressible(`${at}/${keyword}`, "it has no alternatives");
    }
    if (hasStructure(rest) && this.#dialect.isStrict) return this.#describeUnion(rest, keyword, branches, at, depth);
    this.#count.unions++;
    const converted = branches.map((branch, index) =>
      this.#convert(withType(branch, rest["type"]), `${at}/${keyword}/${index}`, depth)
    );
    const [restore] = converted.flatMap((branch) => branch.restore ?? []);
    // The alternative that the model chose is ambiguous, except for `null`.
    const others = converted.filter((branch) => branch.schema["type"] !== "null");
    if (restore !== undefined && others.length > 1) {
      throw new Inexpressible(`${at}/${keyword}`, "null in an alternative could mean null or left out");
    }
    const beside = hasStructure(rest) ? this.#convertStructure(rest, at, depth).schema : {};
    const notes = keyword === "oneOf" ? this.#rewriteOneOf(branches, at) : [];
    return { schema: { ...beside, anyOf: converted.map((branch) => branch.schema) }, restore, notes };
  }

  #rewriteOneOf(branches: readonly unknown[], at: string): readonly string[] {
    this.#record(`${at}/oneOf`, "rewritten", `${this.#dialect.name} takes anyOf instead`);
    return isExclusive(branches) ? [] : ["exactly one alternative fits"];
  }

  /** Describes alternatives that are beside other keywords, such as those that require one of two properties. */
  #describeUnion(
    rest: ParameterSchema,
    keyword: string,
    branches: readonly unknown[],
    at: string,
    depth: number,
  ): Converted {
    const { properties } = rest;
    const names = branches.flatMap((branch) => isJsonObject(branch) ? Object.keys(branch["properties"] ?? {}) : []);
    if (!names.every((name) => isJsonObject(properties) && Object.hasOwn(properties, name))) {
      throw new Inexpressible(`${at}/${keyword}`, "its alternatives have other properties than the object");
    }
    this.#record(`${at}/${keyword}`, "described", `${this.#dialect.name} does not take it beside other keywords`);
    const { notes = [], ...converted } = this.#convertStructure(rest, at, depth);
    return { ...converted, notes: [...notes, `${keyword}: ${JSON.stringify(branches)}`] };
  }

  #convertValues(schema: ParameterSchema, at: string): Converted {
    const { isStrict, isConstantEnum } = this.#dialect;
    const keyword = Object.hasOwn(schema, "const") ? "const" : "enum";
    const values: unknown = keyword === "const" ? [schema["const"]] : schema["enum"];
    if (!Array.isArray(values) || values.length === 0) {
      throw new Inexpressible(`${at}/${keyword}`, "it has no values");
    }
    const types = [...new Set(values.map(typeOfScalar))];
    if (isStrict && types.includes(undefined)) {
      throw new Inexpressible(`${at}/${keyword}`, "a value is an object or an array");
    }
    this.#count.addValues(values, at);
    if (keyword === "const" && isConstantEnum) {
      this.#record(`${at}/const`, "rewritten", `${this.#dialect.name} takes enum instead`);
    }
    const type = schema["type"] ?? (types.length === 1 ? types[0] : types);
    const members = keyword === "const" && isConstantEnum ? { enum: values } : { [keyword]: schema[keyword] };
    return { schema: types.includes(undefined) ? members : { type, ...members } };
  }

  #convertTyped(schema: ParameterSchema, at: string, depth: number): Converted {
    const type = schema["type"] ?? inferType(schema);
    if (type === undefined && this.#dialect.isStrict) throw new Inexpressible(at, "it allows any value");
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (type !== undefined && !types.every((one) => TYPES.has(one)) || types.length === 0) {
      throw new Inexpressible(`${at}/type`, "it is not a type of JSON Schema");
    }
    if (types.length > 1) this.#count.unions++;
    const parts = [
      types.includes("object") ? this.#convertObject(schema, at, depth) : KEPT,
      types.includes("array") ? this.#convertArray(schema, at, depth) : KEPT,
    ];
    return {
      schema: Object.assign(type === undefined ? {} : { type }, ...parts.map((part) => part.schema)),
      restore: parts.some(({ restore }) => restore !== undefined)
        ? (given) => parts.reduce((value, { restore }) => restore === undefined ? value : restore(value), given)
        : undefined,
    };
  }

  #convertArray(schema: ParameterSchema, at: string, depth: number): Converted {
    const { hasTuples, needsItems, isStrict } = this.#dialect;
    const { items } = schema;
    const tuple: unknown = schema["prefixItems"] ?? (Array.isArray(items) ? items : undefined);
    if (tuple !== undefined && !hasTuples) throw new Inexpressible(at, "it is a tuple");
    const keyword = Array.isArray(items) ? "items" : "prefixItems";
    const positions = Array.isArray(tuple) &&
      tuple.map((item, index) => this.#convert(item, `${at}/${keyword}/${index}`, depth + 1).schema);
    const isAny = items === undefined || items === true ||
      isJsonObject(items) && !Object.keys(items).some(isConstraint);
    if (isAny && needsItems) throw new Inexpressible(at, "it is an array of any values");
    if (isAny && isStrict || Array.isArray(items) || items === undefined || items === false) {
      return { schema: positions ? { prefixItems: positions } : {} };
    }
    const { schema: converted, restore } = this.#convert(items, `${at}/items`, depth + 1);
    return {
      schema: { ...(positions && { prefixItems: positions }), items: converted },
      restore: restore && ((given) => Array.isArray(given) ? given.map(restore) : given),
    };
  }

  #convertObject(schema: ParameterSchema, at: string, depth: number): Converted {
    const { properties = {}, required = [] } = schema;
    if (!isJsonObject(properties) || !Array.isArray(required)) {
      throw new Inexpressible(at, "its properties are not an object, or the required ones not an array");
    }
    return this.#dialect.isStrict
      ? this.#close(schema, properties, required, at, depth)
      : { schema: this.#convertOpen(schema, properties, at, depth) };
  }

  #convertOpen(schema: ParameterSchema, properties: ParameterSchema, at: string, depth: number): ParameterSchema {
    const { additionalProperties, required } = schema;
    const members = Object.entries(properties).map(([name, member]) => {
      return [name, this.#convert(member, `${at}/properties/${escapeKey(name)}`, depth + 1).schema];
    });
    return {
      ...(schema["properties"] !== undefined && { properties: Object.fromEntries(members) }),
      ...(required !== undefined && { required }),
      ...(isJsonObject(additionalProperties) && {
        additionalProperties: this.#convert(additionalProperties, `${at}/additionalProperties`, depth + 1).schema,
      }),
      ...(typeof additionalProperties === "boolean" && { additionalProperties }),
    };
  }

  #close(
    schema: ParameterSchema,
    properties: ParameterSchema,
    required: readonly unknown[],
    at: string,
    depth: number,
  ): Converted {
    const names = Object.keys(properties);
    this.#assertClosed(schema, names, required, at);
    const { isOptionalNullable } = this.#dialect;
    const members = new Map(names.map((name) => {
      const pointer = `${at}/properties/${escapeKey(name)}`;
      const convert = required.includes(name) || !isOptionalNullable ? this.#convert : this.#convertOptional;
      return [name, convert.call(this, properties[name], pointer, depth + 1)];
    }));
    const restorable = [...members.values()].some(({ restore }) => restore !== undefined);
    return {
      schema: {
        properties: Object.fromEntries([...members].map(([name, member]) => [name, member.schema])),
        required: isOptionalNullable ? names : required,
        additionalProperties: false,
      },
      restore: restorable ? (given) => isJsonObject(given) ? restoreMembers(given, members) : given : undefined,
    };
  }

  #assertClosed(schema: ParameterSchema, names: readonly string[], required: readonly unknown[], at: string): void {
    const { additionalProperties } = schema;
    // An object schema without keywords allows any members.
    const isClosed = additionalProperties === false || additionalProperties === undefined && names.length > 0;
    if (!isClosed || schema["patternProperties"] !== undefined) {
      throw new Inexpressible(at, "it is an object that allows properties with any name");
    }
    if (additionalProperties === undefined) {
      this.#record(`${at}/additionalProperties`, "rewritten", `${this.#dialect.name} requires false`);
    }
    if (!required.every((name) => names.includes(String(name)))) {
      throw new Inexpressible(`${at}/required`, "it names a property that is not described");
    }
    this.#count.addProperties(names, new Set(required).size, at);
  }

  /** Makes an optional property nullable. */
  #convertOptional(member: unknown, at: string, depth: number): Converted {
    // Otherwise `null` would be ambiguous.
    if (!isJsonObject(member) || allowsNull(member, (reference) => this.#resolve(reference))) {
      throw new Inexpressible(at, "it may be null or left out, which cannot be distinguished");
    }
    const { default: fallback, ...rest } = member;
    const { schema, restore } = this.#convert(rest, at, depth);
    const { description: described, ...bare } = schema;
    const branches = Array.isArray(bare["anyOf"]) ? bare["anyOf"] : [bare];
    const meaning = fallback === undefined ? "left out" : JSON.stringify(fallback);
    this.#record(at, "rewritten", `${this.#dialect.name} requires every property, so that null is for: ${meaning}`);
    return {
      schema: {
        anyOf: [...branches, { type: "null" }],
        ...describeNotes(described === undefined ? {} : { description: described }, [`null: ${meaning}`]),
      },
      restore: (given) => given === null ? undefined : restore === undefined ? given : restore(given),
    };
  }
}

/** Annotations that are kept if they are beside a reference. */
const ANNOTATIONS = ["description", "default", "examples"];
const KEPT: Converted = { schema: {} };
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);
