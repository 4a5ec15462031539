/**
 * Rewrites schemas so that validation takes time proportional to the size of the value.
 *
 * For `uniqueItems` the library compares each pair of items: a megabyte of small numbers takes half a minute. For
 * `format` it uses patterns with backtracking, some of them unbounded. After rewriting, the library compares short
 * arrays only and reports longer ones as too long; their items are compared here. `format` is checked for short strings
 * only, because formats express intent.
 */
import { canonicalJson, isJsonObject } from "../../internal/json.ts";
import { mapParts } from "./subschemas.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Maximum length of an array whose items the library compares. Each item may be large. */
const MAX_COMPARED = 16;

/**
 * Maximum length, in characters, of a string that is checked against `format`. A check in quadratic time takes a
 * millisecond at this length.
 */
const MAX_FORMATTED = 2_048;

/** The library's pattern for `url`, which is not a JSON Schema format, does not terminate for thirty letters. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([["url", "uri"]]);

/** An error found by the library. */
interface Finding {
  readonly keyword: string;
  readonly keywordLocation: string;
}

/** Whether a schema contains `uniqueItems: true` at any depth. */
export function containsUniqueItems(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(containsUniqueItems);
  return isJsonObject(node) && (node["uniqueItems"] === true || Object.values(node).some(containsUniqueItems));
}

/**
 * Returns a copy of a schema that applies `uniqueItems` to arrays of at most 16 items, and `format` to strings of at most 2,048 characters.
 *
 * @param passes Whether longer arrays pass. Otherwise they are reported as too long, see {@link isTooLong}.
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

/** Whether the library's error is that of the limit which {@link boundSchema} adds for `uniqueItems`, not of the schema itself. */
export function isTooLong({ keyword, keywordLocation }: Finding): boolean {
  return keyword === "maxItems" && /\/allOf\/\d+\/else\/maxItems$/.test(keywordLocation);
}

/** Whether no two items of an array are equal in terms of JSON Schema. */
export function hasUniqueItems(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length;
}
