/**
 * Compares two schemas: which values became valid or invalid, place by place.
 *
 * Each change is found by comparing parts, such that a change without `narrower`, `uncertain` and `removed` accepts every value that was
 * valid, and one without `wider`, `uncertain` and `removed` accepts no other. What is not understood is `uncertain`. References are
 * followed as a graph; a pair of schemas is compared once, so that recursion ends.
 */
import type { SchemaPlace } from "../../core/json_schema/type_node.ts";
import { isJsonObject, type Members } from "../../internal/json.ts";
import { compareArrays, compareObjects, type ObjectPlace } from "./object_changes.ts";
import {
  compareNotes,
  compareNumbers,
  compareOpaque,
  compareStrings,
  compareTypes,
  isDifferent,
  jsonTypesOf,
} from "./scalar_changes.ts";
import { isSameDocument, resolvePlace } from "./resolve_place.ts";
import { boundChanges, changeHere, type PartComparer, type ValueChange } from "./schema_change.ts";
import { compareValues, referencesIn } from "./schema_values.ts";
import { alternativesOf, compareAlternatives } from "./union_changes.ts";

/** Maximum number of pairs of schemas that one comparison looks at. Unions multiply them. */
const MAX_PAIRS = 20_000;

/** Returns how the set of valid values changed between two schemas: in the order of the first one, and each change once. */
export function compareSchemas(before: SchemaPlace, after: SchemaPlace): readonly ValueChange[] {
  const changes = new SchemaComparer(before.root, after.root).compare(before, after);
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}

/** Compares two schemas, which may refer to themselves, and names the changes that break callers. */
class SchemaComparer implements PartComparer {
  readonly #areRootsEqual: boolean;
  /** Changes of pairs that were compared. */
  readonly #pairs = new Map<unknown, Map<unknown, readonly ValueChange[]>>();
  /** Pairs that are being compared, with their depth. They are assumed to be equal. */
  readonly #open = new Map<unknown, Map<unknown, number>>();
  #depth = 0;
  /** Depth of the outermost pair that was assumed to be equal. */
  #assumed = Infinity;
  #left = MAX_PAIRS;

  constructor(before: unknown, after: unknown) {
    this.#areRootsEqual = !isDifferent(before, after);
  }

  compare(before: SchemaPlace, after: SchemaPlace): readonly ValueChange[] {
    if (this.#areRootsEqual && !isDifferent(before.schema, after.schema)) return [];
    const [one, other] = [resolvePlace(before), resolvePlace(after)];
    if (one === undefined || other === undefined) {
      return isSameDocument(before, after) ? [] : [changeHere("uncertain", "a reference cannot be resolved")];
    }
    const known = this.#pairs.get(one.schema)?.get(other.schema);
    if (known !== undefined) return known;
    const openDepth = this.#open.get(one.schema)?.get(other.schema);
    if (openDepth !== undefined) {
      this.#assumed = Math.min(this.#assumed, openDepth);
      return [];
    }
    if (this.#left-- <= 0) return [changeHere("uncertain", "the schemas are too large to be compared")];
    return this.#comparePair(one, other);
  }

  #comparePair(before: ObjectPlace, after: ObjectPlace): readonly ValueChange[] {
    const outer = this.#assumed;
    const depth = this.#depth++;
    this.#assumed = Infinity;
    entryOf(this.#open, before.schema).set(after.schema, depth);
    const changes = boundChanges(this.#compareResolved(before, after));
    this.#open.get(before.schema)?.delete(after.schema);
    this.#depth--;
    // What follows from the assumption about an outer pair is true together with it alone.
    const dependsOnOuter = this.#assumed < depth;
    if (!dependsOnOuter) entryOf(this.#pairs, before.schema).set(after.schema, changes);
    this.#assumed = dependsOnOuter ? Math.min(outer, this.#assumed) : outer;
    return changes;
  }

  #compareResolved(before: ObjectPlace, after: ObjectPlace): ValueChange[] {
    const notes = compareNotes(before.schema, after.schema);
    if (acceptsNothing(before.schema) || acceptsNothing(after.schema)) {
      return [...notes, ...compareEmptiness(acceptsNothing(before.schema), acceptsNothing(after.schema))];
    }
    if (hasList(before.schema) || hasList(after.schema)) return [...notes, ...compareValues(before, after)];
    const [ones, others] = [alternativesOf(before), alternativesOf(after)];
    const [one, other] = [onlyOf(ones), onlyOf(others)];
    if (one === undefined || other === undefined) return [...notes, ...compareAlternatives(ones, others, this)];
    if (one === before && other === after) return [...notes, ...this.#compareKeywords(before, after)];
    return [...notes, ...this.compare(one, other)];
  }

  #compareKeywords(before: ObjectPlace, after: ObjectPlace): ValueChange[] {
    const schemas = [before.schema, after.schema] as const;
    const types = schemas.map(jsonTypesOf);
    const may = (type: "number" | "integer" | "string" | "array" | "object") =>
      types.every((one) => one?.has(type) ?? true);
    return [
      ...compareTypes(...schemas),
      ...may("integer") || may("number") ? compareNumbers(...schemas) : [],
      ...may("string") ? compareStrings(...schemas) : [],
      ...may("array") ? compareArrays(before, after, this) : [],
      ...may("object") ? compareObjects(before, after, this) : [],
      ...this.#compareCombinations(before, after),
      ...compareOpaque(opaqueKeywords(...schemas), ...schemas),
      ...this.#compareHidden(before, after),
    ];
  }

  /** Compares `allOf`, `anyOf` and `oneOf` beside other keywords. */
  #compareCombinations(before: ObjectPlace, after: ObjectPlace): ValueChange[] {
    return COMBINATIONS.flatMap((keyword) => {
      const [ones, others] = [before.schema[keyword], after.schema[keyword]];
      if (ones === others || (this.#areRootsEqual && !isDifferent(ones, others))) return [];
      if (others === undefined) return [changeHere("wider", `${keyword} was removed`)];
      if (ones === undefined) return [changeHere("narrower", `${keyword} was added`)];
      if (!Array.isArray(ones) || !Array.isArray(others)) return [changeHere("uncertain", `${keyword} changed`)];
      const [parts, current] = [placesOf(ones, before), placesOf(others, after)];
      if (keyword === "anyOf") return compareAlternatives(parts, current, this);
      const changes = this.#compareAll(parts, current);
      // A value that is valid for more parts of oneOf may be valid for too many.
      const isAllOf = keyword === "allOf" || changes.every(({ effect }) => effect === "note");
      return isAllOf ? changes : [changeHere("uncertain", "oneOf changed")];
    });
  }

  /** Compares what the references below keywords lead to whose effect is not determined here. */
  #compareHidden(before: ObjectPlace, after: ObjectPlace): ValueChange[] {
    if (["unevaluatedProperties", "unevaluatedItems"].some((name) => name in before.schema || name in after.schema)) {
      return [changeHere("uncertain", "an object or array that refuses what is not evaluated changed")];
    }
    if (this.#areRootsEqual) return [];
    const names = Object.keys(before.schema).filter((name) => !FOLLOWED.has(name) && name in after.schema);
    return names.filter((name) => {
      return referencesIn(before.schema[name]).some(($ref) => {
        const changes = this.compare({ ...before, schema: { $ref } }, { ...after, schema: { $ref } });
        return changes.some(({ effect }) => effect !== "note");
      });
    }).map((name) => changeHere("uncertain", `what ${name} refers to changed`));
  }

  /** Compares the parts of `allOf`: a value has to be valid for each. */
  #compareAll(before: readonly SchemaPlace[], after: readonly SchemaPlace[]): ValueChange[] {
    const changes = before.flatMap((part, index) => {
      const now = after[index];
      return now === undefined ? [changeHere("wider", "a part of allOf was removed")] : this.compare(part, now);
    });
    return after.length > before.length ? [...changes, changeHere("narrower", "a part of allOf was added")] : changes;
  }
}

function onlyOf<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

const COMBINATIONS = ["allOf", "anyOf", "oneOf"] as const;

function placesOf(parts: readonly unknown[], { root }: ObjectPlace): readonly SchemaPlace[] {
  return parts.map((schema) => ({ schema, root }));
}

function entryOf<Value>(map: Map<unknown, Map<unknown, Value>>, key: unknown): Map<unknown, Value> {
  const entry = map.get(key) ?? new Map<unknown, Value>();
  map.set(key, entry);
  return entry;
}

/** Keywords whose subschemas are compared, or that have none. */
const FOLLOWED: ReadonlySet<string> = new Set([
  ..."type minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format".split(" "),
  ..."items prefixItems additionalItems minItems maxItems uniqueItems minContains maxContains".split(" "),
  ..."properties required additionalProperties dependentRequired minProperties maxProperties".split(" "),
  ..."title description default examples example deprecated readOnly writeOnly".split(" "),
  ..."contentEncoding contentMediaType contentSchema xml externalDocs discriminator".split(" "),
  ..."$schema $id $comment $defs definitions".split(" "),
  ...COMBINATIONS,
]);

/** Keywords with subschemas that are compared as a whole. */
const WHOLE: ReadonlySet<string> = new Set(["contains", "patternProperties", "propertyNames", "dependentSchemas"]);

function opaqueKeywords(...schemas: readonly Members[]): string[] {
  const names = new Set(schemas.flatMap((schema) => Object.keys(schema)));
  return [...names].filter((name) => !FOLLOWED.has(name) && !WHOLE.has(name) && !name.startsWith("x-")).sort();
}

function hasList(schema: Members): boolean {
  return Object.hasOwn(schema, "const") || Array.isArray(schema["enum"]);
}

/** Whether no value is valid. */
function acceptsNothing({ not, enum: values }: Members): boolean {
  const isEverything = not === true || (isJsonObject(not) && Object.keys(not).length === 0);
  return isEverything || (Array.isArray(values) && values.length === 0);
}

function compareEmptiness(before: boolean, after: boolean): ValueChange[] {
  if (before === after) return [];
  return [after ? changeHere("narrower", "no value is valid now") : changeHere("wider", "values are valid now")];
}
