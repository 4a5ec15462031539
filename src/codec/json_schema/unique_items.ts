/**
 * The keyword `uniqueItems` for long arrays, which the library tells by comparing each item with each other: a megabyte of
 * small numbers takes it half a minute.
 *
 * The keyword is rewritten so that the library compares short arrays alone, and says of each longer one that it is too long;
 * whether such an array is of unique items is told here, in time in proportion to its length.
 *
 * @module
 */
import { canonicalJson } from "../../internal/canonical_json.ts";
import { isJsonObject } from "../../internal/json.ts";
import { DATA, SCHEMA_MAPS } from "../../internal/schema_keywords.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Longest array whose items the library compares: each of them may be large. */
const MAX_COMPARED = 16;

/** One thing that the library finds wrong. */
interface Finding {
  readonly keyword: string;
  readonly keywordLocation: string;
}

/** Whether a schema says `uniqueItems` anywhere. */
export function saysUniqueItems(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(saysUniqueItems);
  return isJsonObject(node) && (node["uniqueItems"] === true || Object.values(node).some(saysUniqueItems));
}

/**
 * The same schema, where `uniqueItems` compares short arrays alone.
 *
 * @param passes Whether longer ones pass; else they are found to be too long, see {@link isTooLong}.
 */
export function boundUniqueItems(schema: JsonSchema, passes: boolean): JsonSchema {
  const { uniqueItems, ...rest } = schema;
  const bounded = Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => {
      if (DATA.has(keyword)) return [keyword, value];
      if (!SCHEMA_MAPS.has(keyword) || !isJsonObject(value)) return [keyword, boundParts(value, passes)];
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, part]) => [name, boundParts(part, passes)])),
      ];
    }),
  );
  if (uniqueItems !== true) return uniqueItems === undefined ? bounded : { ...bounded, uniqueItems };
  const all = Array.isArray(bounded["allOf"]) ? bounded["allOf"] : [];
  const shortAlone = {
    if: { maxItems: MAX_COMPARED },
    then: { uniqueItems },
    else: passes || { maxItems: MAX_COMPARED },
  };
  return { ...bounded, allOf: [...all, shortAlone] };
}

function boundParts(value: unknown, passes: boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => boundParts(part, passes));
  return isJsonObject(value) ? boundUniqueItems(value, passes) : value;
}

/** Whether it is found there that an array is too long to be compared. */
export function isTooLong({ keyword, keywordLocation }: Finding): boolean {
  return keyword === "maxItems" && /\/allOf\/\d+\/else\/maxItems$/.test(keywordLocation);
}

/** Whether no two items of an array are equal, as JSON Schema has it. */
export function hasUniqueItems(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length;
}
