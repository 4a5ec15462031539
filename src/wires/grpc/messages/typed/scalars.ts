/** Scalar types of JSON Schemas. */
import { valueAt } from "../../../../core/json_schema/pointer.ts";
import { hasOwnBase } from "../../../../core/json_schema/subschemas.ts";
import { isJsonObject, type Members } from "../../../../internal/json.ts";
import type { ScalarKind } from "./types.ts";

/** Scalar type of protobuf that holds every value that a JSON Schema accepts, but `null`. */
export interface ScalarType {
  readonly kind: ScalarKind;
  readonly isNullable: boolean;
}

const MAX_REFERENCES = 16;
const MIN_INT32 = -(2 ** 31);
const MAX_INT32 = 2 ** 31 - 1;
const MAX_UINT32 = 2 ** 32 - 1;

/** Returns the scalar type of a schema; `undefined` if it has none, or only `null`. */
export function scalarOf(schema: unknown, root: unknown): ScalarType | undefined {
  const found = kindsOf(schema, root, MAX_REFERENCES);
  if (found === undefined) return undefined;
  const kind = joinKinds(found.filter((kind) => kind !== "null"));
  return kind === undefined ? undefined : { kind, isNullable: found.includes("null") };
}

type Kind = ScalarKind | "null";

/** Kinds of the values that fit; `undefined` if others fit as well. */
function kindsOf(schema: unknown, outer: unknown, depth: number): readonly Kind[] | undefined {
  if (!isJsonObject(schema) || depth === 0) return undefined;
  const root = hasOwnBase(schema) ? schema : outer;
  const { const: constant, enum: values, $ref: reference, anyOf, oneOf, allOf, type } = schema;
  if (Object.hasOwn(schema, "const")) return kindsOfValues([constant]);
  if (Array.isArray(values)) return kindsOfValues(values);
  if (typeof reference === "string") return kindsOf(valueAt(root, reference), root, depth - 1);
  const alternatives = anyOf ?? oneOf;
  if (type === undefined && Array.isArray(alternatives)) return eachKind(alternatives, root, depth);
  if (type === undefined && Array.isArray(allOf)) return allOf.length === 1 ? eachKind(allOf, root, depth) : undefined;
  return everyKind([type].flat().map((one) => kindOf(one, schema)));
}

function eachKind(schemas: readonly unknown[], root: unknown, depth: number): readonly Kind[] | undefined {
  return everyKind(schemas.map((schema) => kindsOf(schema, root, depth - 1)));
}

function everyKind(kinds: readonly (readonly Kind[] | Kind | undefined)[]): readonly Kind[] | undefined {
  return kinds.includes(undefined) ? undefined : kinds.flat() as Kind[];
}

function kindOf(type: unknown, schema: Members): Kind | undefined {
  switch (type) {
    case "string":
    case "null":
      return type;
    case "boolean":
      return "bool";
    case "number":
      return "double";
    case "integer":
      return integerKind(lowest(schema), highest(schema));
    default:
      return undefined;
  }
}

function lowest({ minimum, exclusiveMinimum }: Members): number {
  return Math.max(...[minimum, exclusiveMinimum].map((bound) => typeof bound === "number" ? bound : -Infinity));
}

function highest({ maximum, exclusiveMaximum }: Members): number {
  return Math.min(...[maximum, exclusiveMaximum].map((bound) => typeof bound === "number" ? bound : Infinity));
}

/** `int32` if the bounds fit it, else `uint32` if they fit that, else `int64`. */
function integerKind(least: number, most: number): ScalarKind {
  if (least >= MIN_INT32 && most <= MAX_INT32) return "int32";
  return least >= 0 && most <= MAX_UINT32 ? "uint32" : "int64";
}

function kindsOfValues(values: readonly unknown[]): readonly Kind[] | undefined {
  return everyKind(values.map((value) => {
    if (value === null) return "null";
    if (typeof value === "string") return "string";
    if (typeof value === "boolean") return "bool";
    if (typeof value !== "number") return undefined;
    return Number.isSafeInteger(value) ? integerKind(value, value) : "double";
  }));
}

/** The type that holds the values of all kinds. */
function joinKinds(kinds: readonly ScalarKind[]): ScalarKind | undefined {
  const distinct = [...new Set(kinds)];
  if (distinct.length <= 1) return distinct[0];
  if (distinct.some((kind) => kind === "string" || kind === "bool")) return undefined;
  return distinct.includes("double") ? "double" : "int64";
}
