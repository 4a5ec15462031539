/**
 * Generates the check of a valibot schema.
 *
 * Reads the structure of valibot's objects without importing the library, as the conversion to JSON Schema does.
 */
import {
  ANY,
  anyOf,
  BOOLEAN_CHECK,
  type CheckWriter,
  compared,
  type Condition,
  condition,
  FINITE,
  identity,
  INTEGER,
  lengthOf,
  matching,
  NotCompilable,
  NULL,
  SAFE_INTEGER,
  STRING,
} from "./check_writer.ts";
import type { ValibotSchema } from "./valibot_json_schema.ts";

/** Converts a valibot schema to the condition of its check. @throws {NotCompilable} If a part of the schema is not supported. */
export function checkValibot(schema: ValibotSchema, writer: CheckWriter): Condition {
  const { pipe } = schema;
  if (schema.async === true || "fallback" in schema || "cache" in schema) throw new NotCompilable(schema.type);
  if (pipe === undefined) return checkBaseType(schema, writer);
  const [first, ...rest] = pipe;
  if (first === undefined) throw new NotCompilable("pipe");
  return writer.all([
    checkValibot(first, writer),
    ...rest.filter(({ kind, type }) => kind !== "metadata" && !LEAVES_VALUE.test(type)).map((part) =>
      part.kind === "schema" ? checkValibot(part, writer) : checkAction(part, writer)
    ),
  ]);
}

/** Transformations without an effect at run time. */
const LEAVES_VALUE = /^(brand|flavor|readonly)$/;

function checkBaseType(schema: ValibotSchema, writer: CheckWriter): Condition {
  const { type, options, wrapped } = schema;
  const read = (part: ValibotSchema) => checkValibot(part, writer);
  switch (type) {
    case "any":
    case "unknown":
      return ANY;
    case "boolean":
      return BOOLEAN_CHECK;
    case "null":
      return NULL;
    case "string":
      return STRING;
    case "number":
      // Any number but NaN.
      return condition((v) => `typeof ${v}==="number"&&${v}===${v}`);
    case "literal":
      return writer.oneOf([schema.literal]);
    case "enum":
    case "picklist":
      return writer.oneOf(options);
    case "array":
      return writer.array(read(schema.item));
    case "tuple":
    case "strict_tuple":
      return writer.tuple(schema.items.map(read));
    case "object":
    case "strict_object":
      return writer.object(
        Object.fromEntries(Object.entries(schema.entries).map(([name, entry]) => [name, read(entry)])),
      );
    case "record":
      return writer.record(read(schema.key), read(schema.value));
    case "optional":
    case "exact_optional":
      return { ...read(wrapped), mayBeAbsent: schema.default === undefined };
    case "nullable":
    case "nullish":
      return orNull(schema, read(wrapped));
    case "union":
      return writer.first(options.map(read));
    case "variant":
      return variant(schema, writer);
    default:
      throw new NotCompilable(type);
  }
}

function orNull({ type, default: preset }: ValibotSchema, wrapped: Condition): Condition {
  if (preset !== undefined) return { ...wrapped, on: (v) => `${v}!==null&&${wrapped.on(v)}`, isLossless: false };
  return { ...anyOf([NULL, wrapped]), isLossless: wrapped.isLossless === true, mayBeAbsent: type === "nullish" };
}

/** Options that differ in a literal. */
function variant({ key, options }: ValibotSchema, writer: CheckWriter): Condition {
  const name = String(key);
  const literals = options.map(({ entries, type, pipe }) => {
    const discriminator = entries?.[name];
    if (
      !/^(strict_)?object$/.test(type) || pipe !== undefined || discriminator?.type !== "literal" ||
      discriminator.pipe !== undefined
    ) {
      throw new NotCompilable(type);
    }
    return discriminator.literal;
  });
  if (new Set(literals).size < literals.length) throw new NotCompilable(name);
  return anyOf(options.map((option) => checkValibot(option, writer)));
}

function checkAction({ kind, type, requirement }: ValibotSchema, writer: CheckWriter): Condition {
  if (kind !== "validation") throw new NotCompilable(type);
  switch (type) {
    case "min_length":
      return compared(lengthOf, ">=", requirement);
    case "max_length":
      return compared(lengthOf, "<=", requirement);
    case "length":
      return compared(lengthOf, "===", requirement);
    case "non_empty":
      return compared(lengthOf, ">", 0);
    case "min_value":
      return compared(identity, ">=", requirement);
    case "max_value":
      return compared(identity, "<=", requirement);
    case "gt_value":
      return compared(identity, ">", requirement);
    case "lt_value":
      return compared(identity, "<", requirement);
    case "integer":
      return INTEGER;
    case "safe_integer":
      return SAFE_INTEGER;
    case "finite":
      return FINITE;
    default:
      // The remaining validations with a regular expression only test it.
      return matching(requirement, writer);
  }
}
