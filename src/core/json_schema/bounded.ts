/**
 * Schemas whose checks take time in proportion to what is checked, whatever that is.
 *
 * The library tells `uniqueItems` by comparing each item with each other, so that a megabyte of small numbers takes it half a
 * minute, and `format` by patterns that go over a text again and again, some of them without an end. The keywords are rewritten:
 * the library compares short arrays alone, and says of each longer one that it is too long; whether such an array is of unique
 * items is told here. Formats are asked of short texts alone: a longer one passes, as formats say what a text is meant to be.
 *
 * @module
 */
import { canonicalJson, isJsonObject } from "../../internal/json.ts";
import { mapParts } from "./subschemas.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Longest array whose items the library compares: each of them may be large. */
const MAX_COMPARED = 16;

/** Longest text that is held to a format, in characters: there, what takes the square of that is done in a millisecond. */
const MAX_FORMATTED = 2_048;

/** The library's pattern of `url`, which is no format of JSON Schema, takes for ever over thirty letters. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([["url", "uri"]]);

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
 * The same schema, where `uniqueItems` compares short arrays alone, and `format` looks at short texts alone.
 *
 * @param passes Whether longer ones pass; else they are found to be too long, see {@link isTooLong}.
 */
export function boundSchema(schema: JsonSchema, passes: boolean): JsonSchema {
  const { uniqueItems, format, ...rest } = schema;
  const bounded = mapParts(rest, (part) => boundSchema(part, passes));
  const added: JsonSchema[] = [];
  if (uniqueItems === true) {
    const tooLong = passes || { maxItems: MAX_COMPARED };
    added.push({ if: { maxItems: MAX_COMPARED }, then: { uniqueItems }, else: tooLong });
  }
  if (typeof format === "string") {
    added.push({ if: { maxLength: MAX_FORMATTED }, then: { format: FORMATS.get(format) ?? format } });
  }
  if (added.length === 0) return bounded;
  const all = Array.isArray(bounded["allOf"]) ? bounded["allOf"] : [];
  return { ...bounded, allOf: [...all, ...added] };
}

/** Whether it is found there that an array is too long to be compared. */
export function isTooLong({ keyword, keywordLocation }: Finding): boolean {
  return keyword === "maxItems" && /\/allOf\/\d+\/else\/maxItems$/.test(keywordLocation);
}

/** Whether no two items of an array are equal, as JSON Schema has it. */
export function hasUniqueItems(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length;
}
