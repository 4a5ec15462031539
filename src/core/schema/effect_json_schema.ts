/**
 * JSON Schema of Effect without what its validators refuse. Effect describes its codec for JSON, which writes `undefined` as `null`, and `NaN` and
 * `Infinity` as text; a Standard Schema of it validates values, and accepts neither. A model that believes the list is refused.
 */
import { isJsonObject } from "../../internal/json.ts";
import { mapSchemas } from "../json_schema/subschemas.ts";
import type { Schema } from "./standard_schema.ts";

/** The parts of Effect's description of a schema that are read. */
interface Ast {
  readonly _tag?: string;
  readonly types?: readonly Ast[];
  readonly propertySignatures?: readonly { readonly name: PropertyKey; readonly type: Ast }[];
  readonly elements?: readonly Ast[];
  readonly rest?: readonly Ast[];
}

/** What Effect converted of a schema, without these alternatives. Structs of Effect are functions that have its description as a member. */
export function narrowEffect(converted: unknown, schema: Schema): unknown {
  return withoutCodec(converted, (schema as Schema & { readonly ast?: Ast }).ast);
}

/** The schema without these alternatives. `ast` is Effect's description of it, if it is known. */
function withoutCodec(schema: unknown, ast: Ast | undefined): unknown {
  if (!isJsonObject(schema)) return schema;
  const { anyOf, ...rest } = schema;
  const others = mapSchemas(rest, (part, keyword, place) => withoutCodec(part, partOf(ast, keyword, place)));
  if (!Array.isArray(anyOf)) return others;
  const all = membersOf(ast);
  const types = all.filter(({ _tag }) => _tag !== "Undefined");
  const hasNull = types.length === all.length || types.some(({ _tag }) => _tag === "Null");
  // `optional(NullOr(…))` has null twice.
  const kept = anyOf.filter((part: unknown, index) => {
    return !isNumberAsText(part) && (!isNull(part) || (hasNull && anyOf.findIndex(isNull) === index));
  });
  const parts = kept.map((part: unknown, index) => {
    return withoutCodec(part, kept.length === types.length ? types[index] : undefined);
  });
  const [only] = parts;
  return parts.length === 1 && isJsonObject(only) ? { ...only, ...others } : { ...others, anyOf: parts };
}

/** Members of a union, those of unions in it included. */
function membersOf(ast: Ast | undefined): readonly Ast[] {
  return ast?._tag === "Union"
    ? (ast.types ?? []).flatMap((type) => type._tag === "Union" ? membersOf(type) : [type])
    : [];
}

/** Effect's description of a subschema, if it is known. */
function partOf(ast: Ast | undefined, keyword: string, place: string | number | undefined): Ast | undefined {
  if (keyword === "properties") return ast?.propertySignatures?.find(({ name }) => name === place)?.type;
  return keyword === "items" ? ast?.rest?.[0] : keyword === "prefixItems" ? ast?.elements?.[Number(place)] : undefined;
}

/** Whether it is what Effect writes for the numbers that JSON lacks. */
function isNumberAsText(part: unknown): boolean {
  return isJsonObject(part) && JSON.stringify(part["enum"]) === '["Infinity","-Infinity","NaN"]';
}

function isNull(part: unknown): boolean {
  return isJsonObject(part) && part["type"] === "null";
}
