/**
 * Rejects parts of schemas that take values without a JSON form, where a library converts them all the same: no call could pass such a
 * schema. What to write instead is in {@link remedyFor}.
 */
import { isJsonObject } from "../../internal/json.ts";
import { subschemasOf } from "../json_schema/subschemas.ts";
import type { JsonSchema, Schema } from "./standard_schema.ts";

type Members = Readonly<Record<string, unknown>>;

/** Options of `~standard.jsonSchema` for ArkType, which converts classes, dates and `bigint` to any value unless it is given these. */
export const ARKTYPE_OPTIONS: Members = {
  fallback: {
    proto: ({ proto }: Members) => refuse((proto as { readonly name?: unknown } | undefined)?.name),
    date: () => refuse("Date"),
    domain: ({ domain }: Members) => refuse(domain),
  },
};

function refuse(name: unknown): never {
  throw new TypeError(`a "${name}" has no JSON form`);
}

/**
 * Rejects what the library of a schema has converted although JSON cannot have it.
 *
 * @throws {TypeError} If a part of the schema takes such values only.
 */
export function refuseWithoutJson(schema: Schema, converted: unknown): void {
  const { vendor } = schema["~standard"];
  if (vendor === "zod" && isJsonObject(converted)) refuseFiles(converted);
  if (vendor === "effect") refuseDeclarations((schema as { readonly ast?: unknown }).ast, new Set());
}

/** Refuses `z.file()`, which zod converts to text with the encoding "binary", although it takes a `File` alone. */
function refuseFiles(schema: JsonSchema): void {
  if (schema["contentEncoding"] === "binary") refuse("file");
  for (const [part] of subschemasOf(schema)) refuseFiles(part);
}

/** Members of a node of Effect that lead to its parts. A declaration's parameters are parts of its value, not of what is sent. */
const PARTS = ["propertySignatures", "indexSignatures", "elements", "rest", "types", "type", "parameter"];

/** Nodes of Effect whose values JSON cannot have. */
const WITHOUT_JSON: ReadonlySet<unknown> = new Set(["Declaration", "BigInt", "Symbol", "UniqueSymbol"]);

/**
 * Refuses what Effect converts as it would be encoded, although its validator takes the value itself: a `Date`, bytes, a `Map`, instances
 * of classes. A transformation is read from the side of what is sent.
 */
function refuseDeclarations(node: unknown, seen: Set<unknown>): void {
  if (typeof node !== "object" || node === null || seen.has(node)) return;
  seen.add(node);
  if (Array.isArray(node)) return node.forEach((part) => refuseDeclarations(part, seen));
  const { _tag, annotations, encoding, thunk, ...parts } = node as Members;
  const sent = (encoding as readonly Members[] | undefined)?.at(-1)?.["to"];
  if (sent !== undefined) return refuseDeclarations(sent, seen);
  const { expected = _tag, toCodecJson } = (annotations ?? {}) as Members;
  // A declaration that JSON can have, such as `Schema.Json`, has no codec.
  const isJson = typeof toCodecJson === "function" && toCodecJson(parts["typeParameters"]) === undefined;
  if (WITHOUT_JSON.has(_tag) && !isJson) refuse(String(expected).replace(/^an? (valid )?/, ""));
  if (typeof thunk === "function") refuseDeclarations(thunk(), seen);
  for (const name of PARTS) refuseDeclarations(parts[name], seen);
}

/** What to write for a date, for bytes, and for a custom check, by `~standard.vendor`. */
const REMEDIES: ReadonlyMap<string, readonly [date: string, bytes: string, check: string]> = new Map([
  ["valibot", ["v.isoTimestamp()", "v.base64()", "v.check(…)"]],
  ["zod", ["z.iso.datetime()", "z.base64()", ".refine(…)"]],
  ["zod 3", ["z.string().datetime()", "z.string().base64()", ".refine(…)"]],
  ["arktype", ['"string.date.iso.parse"', '"string.base64"', ".narrow(…)"]],
  ["effect", ["Schema.DateFromString", "Schema.Uint8ArrayFromBase64", "Schema.Unknown.check(…)"]],
]);

/** Names that libraries give to schemas of files and bytes, and of instances such as those of `Uint8Array`. */
const BYTES = /file|blob|instance|custom|declaration|bytes|buffer|uint8/i;

/** Names that libraries give to schemas with a custom check. */
const OWN = /custom|declaration|predicate/i;

/** Says what to write in place of a part without a JSON form. */
export function remedyFor(schema: Schema, reason: string): string {
  const { vendor } = schema["~standard"];
  const name = vendor === "zod" && !("_zod" in schema) ? "zod 3" : vendor;
  const [date, bytes, check] = REMEDIES.get(name) ??
    ["v.isoTimestamp() or z.iso.datetime()", "v.base64() or z.base64()"];
  return `use a JSON type; for a date, text with ${date}` +
    (BYTES.test(reason) ? `; for bytes, text in base64 with ${bytes}` : "") +
    (check !== undefined && OWN.test(reason) ? `; for a custom check, a JSON type with ${check}` : "");
}
