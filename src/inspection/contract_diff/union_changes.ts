/** Compares alternatives: `anyOf`, lists of types, and `oneOf` whose alternatives have no value in common. */
import { hasOwnBase } from "../../core/json_schema/subschemas.ts";
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";
import { canonicalJson, isJsonObject, type Members } from "../../internal/json.ts";
import { type ObjectPlace, requiredOf } from "./object_changes.ts";
import { jsonTypesOf } from "./scalar_changes.ts";
import { changeHere, type PartComparer, type ValueChange } from "./schema_change.ts";

/** Keywords that may be beside the alternatives, as they restrict nothing. */
const NEUTRAL: ReadonlySet<string> = new Set(
  "anyOf oneOf title description default examples deprecated $comment $defs definitions $schema $id discriminator"
    .split(" "),
);

/** Returns the alternatives of `anyOf`, of a disjoint `oneOf`, or one for each type in a list of types; otherwise the schema itself. */
export function alternativesOf(place: ObjectPlace): readonly SchemaPlace[] {
  const { schema, root } = place;
  const { anyOf, oneOf, type } = schema;
  const isPlain = Object.keys(schema).every((name) => NEUTRAL.has(name));
  const parts = anyOf === undefined ? oneOf : oneOf === undefined ? anyOf : undefined;
  if (isPlain && Array.isArray(parts) && parts.length > 0 && (parts === anyOf || areDistinct(parts))) {
    return parts.flatMap((part) => {
      return isJsonObject(part) && !hasOwnBase(part)
        ? alternativesOf({ schema: part, root })
        : [{ schema: part, root }];
    });
  }
  if (!Array.isArray(type) || type.length < 2) return [place];
  return type.map((one) => ({ schema: { ...schema, type: one }, root }));
}

/** Compares the alternatives of two schemas: each with an equal one, else with a similar one. Others were removed or added. */
export function compareAlternatives(
  before: readonly SchemaPlace[],
  after: readonly SchemaPlace[],
  parts: PartComparer,
): ValueChange[] {
  const left = new Set(after);
  const changes: ValueChange[] = [];
  const changed = before.filter((one) => {
    const same = [...left].find((other) => parts.compare(one, other).every(({ effect }) => effect === "note"));
    if (same === undefined) return true;
    changes.push(...parts.compare(one, same));
    return !left.delete(same);
  });
  for (const one of changed) {
    const nearest = [...left].find((other) => areAlike(one.schema, other.schema));
    if (nearest !== undefined) {
      left.delete(nearest);
      changes.push(...parts.compare(one, nearest));
    } else if (!after.some((other) => isWithin(parts.compare(one, other), "narrower"))) {
      changes.push(changeHere("narrower", `${describe(one.schema)} was removed`));
    }
  }
  for (const other of left) {
    const isCovered = before.some((one) => isWithin(parts.compare(one, other), "wider"));
    if (!isCovered) changes.push(changeHere("wider", "an alternative was added"));
  }
  return changes;
}

/** Whether the changes do not have an effect, so that one schema accepts all values of the other. */
function isWithin(changes: readonly ValueChange[], effect: "narrower" | "wider"): boolean {
  return changes.every((change) =>
    change.effect !== effect && change.effect !== "uncertain" && change.effect !== "removed"
  );
}

/** Whether two alternatives are meant to be the same one: the same types, and the same constants. */
function areAlike(one: unknown, other: unknown): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  if (one["$ref"] !== undefined || other["$ref"] !== undefined) return one["$ref"] === other["$ref"];
  const [types, others] = [jsonTypesOf(one), jsonTypesOf(other)];
  const haveCommonType = types !== undefined && others !== undefined && [...types].some((type) => others.has(type));
  return haveCommonType && !areDistinct([one, other]);
}

/** Whether no value is valid for two of the schemas: by their types, or by constants of the same required member. */
function areDistinct(schemas: readonly unknown[]): boolean {
  return schemas.every((one, index) => schemas.slice(index + 1).every((other) => areApart(one, other)));
}

function areApart(one: unknown, other: unknown): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const [types, others] = [jsonTypesOf(one), jsonTypesOf(other)];
  if (types !== undefined && others !== undefined && ![...types].some((type) => others.has(type))) return true;
  if (one["type"] !== "object" || other["type"] !== "object") return false;
  const [constants, otherConstants] = [constantsOf(one), constantsOf(other)];
  return [...constants].some(([name, values]) => {
    const otherValues = otherConstants.get(name);
    return otherValues !== undefined && !values.some((value) => otherValues.includes(value));
  });
}

/** Values of required members that list them, as canonical JSON. */
function constantsOf(schema: Members): ReadonlyMap<string, readonly string[]> {
  const { properties } = schema;
  const required = requiredOf(schema);
  return new Map(
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, part]) => {
      const values = isJsonObject(part) ? ("const" in part ? [part["const"]] : part["enum"]) : undefined;
      return required.has(name) && Array.isArray(values) ? [[name, values.map(canonicalJson)] as const] : [];
    }),
  );
}

function describe(schema: unknown): string {
  const type = isJsonObject(schema) ? schema["type"] : undefined;
  const isType = typeof type === "string" && jsonTypesOf({ type }) !== undefined;
  return isType ? `an alternative of the type ${type}` : "an alternative";
}
