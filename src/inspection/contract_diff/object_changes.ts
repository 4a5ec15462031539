/** Compares the keywords of objects and arrays. */
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";
import { isJsonObject, type Members } from "../../internal/json.ts";
import { compareAssertions, compareLimit, compareOpaque, isDifferent } from "./scalar_changes.ts";
import { changeHere, changesAt, type PartComparer, type ValueChange } from "./schema_change.ts";

/** A schema that is an object, and the root of its references. */
export interface ObjectPlace extends SchemaPlace {
  readonly schema: Members;
}

/** Compares the object keywords of two schemas, such as `properties` and `required`. Returns the changes. */
export function compareObjects(before: ObjectPlace, after: ObjectPlace, parts: PartComparer): ValueChange[] {
  return [
    ...compareProperties(before, after, parts),
    ...compareRequired(before.schema, after.schema),
    ...compareOthers(before, after, parts),
    ...compareOpaque(["patternProperties"], before.schema, after.schema),
    ...compareAssertions(["propertyNames", "dependentRequired", "dependentSchemas"], before.schema, after.schema),
    ...["minProperties", "maxProperties"].flatMap((keyword) => {
      return compareLimit(keyword, before.schema[keyword], after.schema[keyword]);
    }),
  ];
}

function compareProperties(before: ObjectPlace, after: ObjectPlace, parts: PartComparer): ValueChange[] {
  const [known, current] = [propertiesOf(before.schema), propertiesOf(after.schema)];
  const changes: ValueChange[] = [];
  for (const [name, schema] of known) {
    const now = current.get(name);
    if (now !== undefined) {
      changes.push(...changesAt(name, parts.compare({ ...before, schema }, { ...after, schema: now })));
    } else if (schema !== false) changes.push({ path: [name], effect: "removed", message: "it is no longer declared" });
  }
  const required = requiredOf(after.schema);
  for (const [name, schema] of current) {
    if (known.has(name) || schema === false) continue;
    changes.push(...compareAdded({ ...after, schema }, before, parts));
    if (!required.has(name)) changes.push(changeHere("added", "an optional member was added"));
  }
  return changes;
}

/**
 * Compares a new member with what was valid in its place. An object that says nothing of other members may get new ones; in one that
 * describes them, the new member may have had another type.
 */
function compareAdded(added: SchemaPlace, before: ObjectPlace, parts: PartComparer): ValueChange[] {
  const { additionalProperties: others = false, patternProperties } = before.schema;
  if (patternProperties !== undefined || others === true) {
    return [changeHere("uncertain", "a member was declared that could have another type before")];
  }
  if (others === false) return [];
  return parts.compare({ ...before, schema: others }, added).map((change) => ({
    ...change,
    path: ["*", ...change.path],
  }));
}

function compareRequired(before: Members, after: Members): ValueChange[] {
  const [known, required, current] = [propertiesOf(before), requiredOf(before), requiredOf(after)];
  const lost = [...required].filter((name) => !current.has(name));
  const added = [...current].filter((name) => !required.has(name));
  return [
    ...lost.map((name): ValueChange => ({ path: [name], effect: "wider", message: "it is no longer required" })),
    ...added.map((name): ValueChange => {
      return known.has(name)
        ? { path: [name], effect: "narrower", message: "it is required now" }
        : changeHere("narrower", "a required member was added");
    }),
  ];
}

/** Compares the schemas of members that are not declared. */
function compareOthers(before: ObjectPlace, after: ObjectPlace, parts: PartComparer): ValueChange[] {
  const [one = true, other = true] = [before, after].map(({ schema }) => schema["additionalProperties"]);
  if (one !== false && other === false) {
    return [changeHere("narrower", "members that are not declared are refused now")];
  }
  if (one === false && other !== false) return [changeHere("wider", "members that are not declared are accepted now")];
  return changesAt("*", parts.compare({ ...before, schema: one }, { ...after, schema: other }));
}

function propertiesOf({ properties }: Members): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(isJsonObject(properties) ? properties : {}).filter(([, schema]) => schema !== undefined),
  );
}

/** Names in the keyword `required` of a schema; empty if it is missing or malformed. */
export function requiredOf({ required }: Members): ReadonlySet<string> {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return new Set(names.filter((name) => typeof name === "string"));
}

/** Compares the array keywords of two schemas: items by position, lengths, `uniqueItems` and `contains`. Returns the changes. */
export function compareArrays(before: ObjectPlace, after: ObjectPlace, parts: PartComparer): ValueChange[] {
  const [items, current] = [itemsOf(before.schema), itemsOf(after.schema)];
  const positions = [...Array(Math.max(items.first.length, current.first.length)).keys()];
  const compareAt = (one: unknown, other: unknown) =>
    parts.compare({ ...before, schema: one }, { ...after, schema: other });
  return [
    ...positions.flatMap((index) => changesAt(index, compareAt(itemAt(items, index), itemAt(current, index)))),
    ...changesAt("[]", compareAt(items.rest, current.rest)),
    ...compareLimit("minItems", before.schema["minItems"], after.schema["minItems"]),
    ...compareLimit("maxItems", items.most, current.most),
    ...compareAssertions(["uniqueItems"], uniqueOf(before.schema), uniqueOf(after.schema)),
    ...compareContains(before.schema, after.schema),
  ];
}

/** What a schema states about the items of an array. */
interface Items {
  readonly first: readonly unknown[];
  /** Schema of the items that follow. */
  readonly rest: unknown;
  /** Maximum number of items. */
  readonly most: unknown;
}

/** The items of an array; of older drafts, too, in which `items` has the first ones. */
function itemsOf({ items, prefixItems, additionalItems, maxItems }: Members): Items {
  const isOld = Array.isArray(items);
  const first: readonly unknown[] = isOld ? items : Array.isArray(prefixItems) ? prefixItems : [];
  const others = (isOld ? additionalItems : items) ?? true;
  const isClosed = others === false || (typeof maxItems === "number" && maxItems <= first.length);
  if (!isClosed) return { first, rest: others, most: maxItems };
  return { first, rest: false, most: typeof maxItems === "number" ? Math.min(maxItems, first.length) : first.length };
}

/** Positions that no value has accept nothing. */
function itemAt({ first, rest, most }: Items, index: number): unknown {
  return typeof most === "number" && index >= most ? false : first[index] ?? rest;
}

function uniqueOf({ uniqueItems }: Members): Members {
  return uniqueItems === true ? { uniqueItems } : {};
}

/** Without `contains`, the limits of its number have no effect. */
function compareContains(before: Members, after: Members): ValueChange[] {
  const hasLimits = ["minContains", "maxContains"].some((name) => isDifferent(before[name], after[name]));
  return hasLimits
    ? [changeHere("uncertain", "minContains or maxContains changed")]
    : compareAssertions(["contains"], before, after);
}
