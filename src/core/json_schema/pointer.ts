/**
 * Where something is in a JSON document: pointers (RFC 6901), also as they stand in a URL.
 *
 * @module
 */

import { pointerKeys } from "../../internal/json.ts";

/** The keys that a pointer names, the root's left out. */
export function parsePointer(pointer: string): (string | number)[] {
  return pointerKeys(pointer).map((key) => /^(0|[1-9]\d*)$/.test(key) ? Number(key) : key);
}

/** What a pointer leads to; `undefined`, if nothing is there. */
export function valueAt(root: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce(memberOf, root);
}

/** What a keyword of a schema says, by its location: a path that goes through references. */
export function keywordAt(root: unknown, location: string): unknown {
  return parsePointer(location).reduce<unknown>((node, key) => {
    const found = memberOf(node, key);
    return key === "$ref" && typeof found === "string" && found.startsWith("#") ? valueAt(root, found) : found;
  }, root);
}

function memberOf(node: unknown, key: string | number): unknown {
  if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
  return (node as Readonly<Record<string | number, unknown>>)[key];
}
