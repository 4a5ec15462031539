/** The converter of valibot schemas, against the library that valibot's authors offer. */
import { deepStrictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import fc from "fast-check";
import * as v from "valibot";
import type { Schema } from "../../src/schema/schema.ts";
import { convertValibot } from "../../src/schema/valibot_json_schema.ts";

type AnySchema = v.GenericSchema | v.GenericSchemaAsync;
type Converted = Readonly<Record<string, unknown>>;

/** What the library makes of it, as lenient with actions as we are. */
function oracle(schema: AnySchema): Converted {
  const { $schema: _, ...converted } = toJsonSchema(schema as v.GenericSchema, {
    target: "draft-2020-12",
    typeMode: "input",
    overrideAction: ({ jsonSchema, errors }) => (errors === undefined ? undefined : jsonSchema),
  });
  return schema.type === "loose_object" ? { additionalProperties: true, ...converted } : converted;
}

function convert(schema: AnySchema): Converted {
  return convertValibot(schema as Schema);
}

enum Numbers {
  One = 1,
  Two = 2,
}
const Words = { a: "x", b: "y" } as const;
const Mixed = { a: "x", b: 1 } as const;

interface Tree {
  readonly value: number;
  readonly children: readonly Tree[];
}
const Tree: v.GenericSchema<Tree> = v.object({ value: v.number(), children: v.array(v.lazy(() => Tree)) });
/** Two that lead to each other, with pipelines, defaults and a getter that makes a schema each time. */
const Even: v.GenericSchema = v.pipe(
  v.object({ odd: v.optional(v.lazy(() => Odd)), fresh: v.optional(v.lazy(() => v.nullable(v.lazy(() => Even)))) }),
  v.description("Even"),
);
const Odd: v.GenericSchema = v.strictObject({ even: v.nullish(v.lazy(() => Even), null) });
const makeText = () => v.string();

const SCHEMAS: Readonly<Record<string, AnySchema>> = {
  any: v.any(),
  unknown: v.unknown(),
  never: v.never(),
  null: v.null(),
  string: v.string(),
  number: v.number(),
  boolean: v.boolean(),
  array: v.array(v.string()),
  "array of arrays": v.array(v.array(v.boolean())),
  tuple: v.tuple([v.string(), v.number()]),
  "empty tuple": v.tuple([]),
  looseTuple: v.looseTuple([v.string()]),
  strictTuple: v.strictTuple([v.string(), v.optional(v.number())]),
  tupleWithRest: v.tupleWithRest([v.string()], v.boolean()),
  object: v.object({ a: v.string(), b: v.optional(v.number()), c: v.exactOptional(v.null()), d: v.nullish(v.any()) }),
  "required members": v.object({ a: v.undefinedable(v.string()), b: v.nullable(v.string()), c: v.unknown() }),
  "optional with a pipeline": v.object({ a: v.pipe(v.optional(v.string(), "x"), v.description("A")) }),
  "empty object": v.object({}),
  looseObject: v.looseObject({ a: v.string() }),
  "looseObject with a pipeline": v.pipe(v.looseObject({}), v.title("Any")),
  "looseObject inside": v.object({ a: v.looseObject({}) }),
  strictObject: v.strictObject({ a: v.string() }),
  objectWithRest: v.objectWithRest({ a: v.string() }, v.number()),
  record: v.record(v.string(), v.number()),
  "record with checked keys": v.record(v.pipe(v.string(), v.maxLength(3), v.regex(/^[a-z]+$/)), v.unknown()),
  optional: v.optional(v.string()),
  "optional with a default": v.optional(v.string(), "x"),
  "optional with a made default": v.optional(v.array(v.string()), () => ["x"]),
  "optional with a falsy default": v.optional(v.number(), 0),
  "optional with null": v.optional(v.nullable(v.string()), null),
  exactOptional: v.exactOptional(v.string(), "x"),
  undefinedable: v.undefinedable(v.string(), "x"),
  nullable: v.nullable(v.pipe(v.string(), v.minLength(1))),
  "nullable with a default": v.nullable(v.string(), null),
  nullish: v.nullish(v.string()),
  "nullish with a default": v.nullish(v.number(), 3),
  literal: v.literal("x"),
  "literal number": v.literal(1.5),
  "literal false": v.literal(false),
  "enum of numbers": v.enum(Numbers),
  "enum of words": v.enum(Words),
  "enum of both": v.enum(Mixed),
  picklist: v.picklist(["a", "b"]),
  "picklist of numbers": v.picklist([1, 2]),
  "picklist of both": v.picklist([1, "b"]),
  "empty picklist": v.picklist([]),
  union: v.union([v.string(), v.object({ a: v.number() })]),
  variant: v.variant("kind", [
    v.object({ kind: v.literal("a"), n: v.number() }),
    v.strictObject({ kind: v.picklist(["b", "c"]) }),
  ]),
  intersect: v.intersect([v.object({ a: v.string() }), v.looseObject({ b: v.number() })]),
  "recursive object": Tree,
  "recursive object inside": v.object({ a: Tree, b: v.array(Tree) }),
  "mutual recursion": Even,
  "mutual recursion, from the other side": Odd,
  "lazy root": v.lazy(() => Tree),
  "lazy without recursion": v.object({ a: v.lazy(makeText), b: v.lazy(makeText), c: v.lazy(() => v.string()) }),
  "lazy with a default": v.optional(v.lazy(() => v.string()), "x"),
  "one schema twice": v.tuple([Words_(), Words_()]),
  "pipeline of pipelines": v.pipe(
    v.pipe(v.string(), v.minLength(1), v.maxLength(9)),
    v.pipe(v.string(), v.minLength(3)),
    v.title("T"),
  ),
  "extended pipeline": v.pipe(v.pipe(v.string(), v.minLength(1)), v.minLength(3), v.maxLength(9)),
  asynchronous: v.objectAsync({
    a: v.optionalAsync(v.string(), "x"),
    b: v.arrayAsync(v.pipeAsync(v.string(), v.minLength(2), v.checkAsync(() => Promise.resolve(true)))),
    c: v.nullableAsync(v.unionAsync([v.string(), v.looseObjectAsync({})])),
  }),
  description: v.pipe(v.string(), v.description("D")),
  "last description": v.pipe(v.string(), v.description("D"), v.title("T"), v.description("E")),
  examples: v.pipe(v.string(), v.examples(["a"]), v.examples(["b", "c"])),
  metadata: v.pipe(
    v.string(),
    v.examples(["a"]),
    v.metadata({ title: "T", description: "D", examples: ["b"], deprecated: true, "x-any": { a: [1] } }),
  ),
  "metadata of other types": v.pipe(v.string(), v.metadata({ title: 1, description: null, examples: "x", type: "text" })),
  "description of an object": v.pipe(v.object({ a: v.pipe(v.number(), v.description("A")) }), v.description("All")),
};

function Words_(): AnySchema & v.GenericSchema {
  return v.picklist(["a"]);
}

const TEXT_CHECKS: readonly v.PipeItem<string, string, v.BaseIssue<unknown>>[] = [
  v.base64(),
  v.bic(),
  v.cuid2(),
  v.decimal(),
  v.digits(),
  v.domain(),
  v.email(),
  v.emoji(),
  v.endsWith("a.b"),
  v.empty(),
  v.hash(["md5", "sha1"]),
  v.hexadecimal(),
  v.hexColor(),
  v.includes("(x|y)*"),
  v.ip(),
  v.ipv4(),
  v.ipv6(),
  v.isoDate(),
  v.isoDateTime(),
  v.isoTime(),
  v.isoTimeSecond(),
  v.isoTimestamp(),
  v.isoWeek(),
  v.isrc(),
  v.jwsCompact(),
  v.ksuid(),
  v.length(4),
  v.mac(),
  v.mac48(),
  v.mac64(),
  v.maxLength(7),
  v.maxLength(8),
  v.minLength(2),
  v.minLength(3),
  v.minLength(-1),
  v.minLength(1.5),
  v.minLength(Number.NaN),
  v.nanoid(),
  v.nonEmpty(),
  v.octal(),
  v.regex(/^[a-z]$/),
  v.rfcEmail(),
  v.slug(),
  v.startsWith("$^"),
  v.ulid(),
  v.url(),
  v.uuid(),
  v.value("x"),
  v.values(["x", "y"]),
  v.notValue("z"),
  v.notValues(["z", "w"]),
  v.notValues([]),
  v.minValue("a"),
  v.maxBytes(3),
  v.minGraphemes(3),
  v.words("en", 2),
  v.creditCard(),
  v.imei(),
  v.isbn(),
  v.check(() => true),
  v.rawCheck(() => {}),
  v.brand("B"),
  v.flavor("F"),
  v.readonly(),
  v.title("Title"),
  v.examples(["e"]),
];

const NUMBER_CHECKS: readonly v.PipeItem<number, number, v.BaseIssue<unknown>>[] = [
  v.integer(),
  v.safeInteger(),
  v.finite(),
  v.minValue(1),
  v.minValue(-2),
  v.minValue(Number.NEGATIVE_INFINITY),
  v.maxValue(10),
  v.maxValue(11),
  v.maxValue(Number.MAX_VALUE),
  v.gtValue(0),
  v.gtValue(5),
  v.ltValue(9),
  v.multipleOf(0.5),
  v.value(3),
  v.value(4),
  v.values([3, 4, 5]),
  v.values([4, 6, 4]),
  v.values([7]),
  v.notValue(5),
  v.notValue(Number.NaN),
  v.notValues([8, 8, 9]),
  v.notValues([Number.POSITIVE_INFINITY]),
  v.brand("B"),
  v.description("Number"),
];

const ARRAY_CHECKS: readonly v.PipeItem<string[], string[], v.BaseIssue<unknown>>[] = [
  v.minLength(1),
  v.minLength(3),
  v.maxLength(5),
  v.maxLength(4),
  v.length(4),
  v.length(-4),
  v.nonEmpty(),
  v.empty(),
  v.everyItem(() => true),
  v.someItem(() => true),
  v.checkItems(() => true),
  v.includes("x"),
  v.readonly(),
  v.description("Array"),
];

const OBJECT_CHECKS: readonly v.PipeItem<Record<string, unknown>, Record<string, unknown>, v.BaseIssue<unknown>>[] = [
  v.minEntries(1),
  v.minEntries(2),
  v.maxEntries(7),
  v.maxEntries(6),
  v.entries(5),
  v.entries(0.5),
  v.partialCheck([["a"]], () => true),
  v.forward(v.check(() => true), ["a"]),
  v.readonly(),
  v.metadata({ title: "Object" }),
];

function piped<Value>(
  base: v.GenericSchema<Value>,
  items: readonly v.PipeItem<Value, Value, v.BaseIssue<unknown>>[],
): v.GenericSchema {
  return v.pipe(base, ...items as [v.PipeItem<Value, Value, v.BaseIssue<unknown>>]);
}
