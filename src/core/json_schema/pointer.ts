/**
 * JSON pointers (RFC 6901), plain or in a URL fragment.
 *
 * @module
 */

import { pointerKeys } from "../../internal/json.ts";

/** Splits a JSON Pointer (RFC 6901) into keys. Keys that could be array indexes become numbers, even if they are names of members. */
export function parsePointer(pointer: string): (string | number)[] {
  return pointerKeys(pointer).map((key) => /^(0|[1-9]\d*)$/.test(key) ? Number(key) : key);
}

/** Returns the value at a pointer. `undefined` if the pointer leads nowhere. */
export function valueAt(root: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce(memberOf, root);
}

/** Returns the value of a keyword in a schema at a location through `$ref`, as validators report it. Local references are followed. */
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
