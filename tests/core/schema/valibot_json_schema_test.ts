/**
 * The JSON Schema of valibot schemas that callers receive: from valibot's converter, without rules that do not apply to input.
 *
 * The converter is used with our rules, so that it is compared with itself where no rule applies, and with valibot elsewhere.
 */
import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { addGlobalDefs, toJsonSchema } from "@valibot/to-json-schema";
import fc from "fast-check";
import * as v from "../../../src/entries/schema.ts";
import { compileCheck } from "../../../src/core/json_schema/check.ts";
import type { Schema } from "../../../src/core/schema/standard_schema.ts";
import { convertValibot } from "../../../src/core/schema/valibot_json_schema.ts";

type AnySchema = v.GenericSchema | v.GenericSchemaAsync;
type Converted = Readonly<Record<string, unknown>>;

/** The library's result, as lenient with actions as ours. */
function oracle(schema: AnySchema): Converted {
  const { $schema: _, ...converted } = toJsonSchema(schema as v.GenericSchema, {
    target: "draft-2020-12",
    typeMode: "input",
    definitions: {},
    // The library lists loose objects as objects that drop other names.
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === "loose_object" ? { ...jsonSchema, additionalProperties: true } : undefined,
    overrideAction: ({ jsonSchema, errors }) => (errors === undefined ? undefined : jsonSchema),
  });
  return converted;
}

function convert(schema: AnySchema): Converted {
  return convertValibot(schema as Schema);
}

/** With the way back that an enum of numbers has. */
const Numbers = { One: 1, Two: 2, 1: "One", 2: "Two" } as const;
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
const Leaf = v.picklist(["a"]);
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
  "one schema twice": v.tuple([Leaf, Leaf]),
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
  "metadata of other types": v.pipe(
    v.string(),
    v.metadata({ title: 1, description: null, examples: "x", type: "text" }),
  ),
  "description of an object": v.pipe(v.object({ a: v.pipe(v.number(), v.description("A")) }), v.description("All")),
};

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
  v.brand("B"),
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

for (const [name, schema] of Object.entries(SCHEMAS)) {
  test(`convertValibot() converts ${name} as the library does`, () => deepStrictEqual(convert(schema), oracle(schema)));
}

for (const check of TEXT_CHECKS) {
  test(`convertValibot() converts v.string() with ${check.type} as the library does`, () => {
    for (const schema of [piped(v.string(), [check]), piped(v.any(), [check])]) {
      deepStrictEqual(convert(schema), oracle(schema));
    }
  });
}

/** Steps that make something else of a value, or may. */
const TEXT_STEPS = [
  v.trim(),
  v.toUpperCase(),
  v.toLowerCase(),
  v.normalize(),
  v.transform((text: string) => text + text),
  v.pipe(v.string(), v.trim()),
] as unknown as typeof TEXT_CHECKS;
const ARRAY_STEPS = [
  v.filterItems((item) => item !== "x"),
  v.mapItems((item) => `${item}1`),
  v.sortItems(),
  v.transform((items: string[]) => [...items, "z", "z"]),
] as unknown as typeof ARRAY_CHECKS;

const TEXTS = [
  "",
  "a",
  "x",
  "z",
  " x ",
  "X",
  "Y",
  "aa",
  "ab.",
  "a.b",
  "xx (x|y)* y",
  "$^z",
  "ann@example.com",
  "1.5",
  "0xFF",
]
  .concat([
    "2026-11-22",
    "2026-11-22T10:00:00Z",
    "127.0.0.1",
    "::1",
    "https://example.com/a?b",
    "1234567890",
    "two words",
  ]);

/** A schema of one value in several wrappers, with checks within and around. */
function wrapped<Value>(
  base: v.GenericSchema<Value>,
  items: readonly v.PipeItem<Value, Value, v.BaseIssue<unknown>>[],
): fc.Arbitrary<v.GenericSchema> {
  const some = fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 3 });
  return fc.tuple(some, some).chain(([first, then]) => {
    const inner = piped(base, first) as v.GenericSchema<Value>;
    return fc.constantFrom<v.GenericSchema>(
      inner,
      piped(inner, then),
      piped(v.optional(inner) as unknown as v.GenericSchema<Value>, then),
      piped(v.nullable(inner) as unknown as v.GenericSchema<Value>, then),
      piped(v.union([inner, v.null()]) as unknown as v.GenericSchema<Value>, then),
    );
  });
}

const samples:
  readonly (readonly [name: string, schema: fc.Arbitrary<v.GenericSchema>, value: fc.Arbitrary<unknown>])[] = [
    ["texts", wrapped(v.string(), [...TEXT_CHECKS, ...TEXT_STEPS, ...TEXT_STEPS]), fc.constantFrom(...TEXTS)],
    [
      "numbers",
      wrapped(v.number(), NUMBER_CHECKS),
      fc.oneof(fc.integer({ min: -3, max: 12 }), fc.double({ noNaN: true })),
    ],
    [
      "arrays",
      wrapped(v.array(v.string()), [...ARRAY_CHECKS, ...ARRAY_STEPS, ...ARRAY_STEPS]),
      fc.array(fc.constantFrom("x", "y"), { maxLength: 6 }),
    ],
    [
      "objects",
      wrapped(v.record(v.string(), v.unknown()), OBJECT_CHECKS),
      fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e", "f"), fc.constant(1), { noNullPrototype: true }),
    ],
  ];

for (const [name, schema, value] of samples) {
  test(`convertValibot() tells callers nothing of ${name} that refuses what valibot takes`, () => {
    let taken = 0;
    const property = fc.property(schema, fc.array(value, { minLength: 8, maxLength: 8 }), (one, values) => {
      const check = compileCheck(convert(one));
      for (const sent of values) {
        if (!v.safeParse(one, sent).success) continue;
        taken++;
        deepStrictEqual([sent, check(sent)], [sent, []]);
      }
    });
    fc.assert(property, { seed: 20, numRuns: 1_500 });
    ok(taken > 500, `${taken} values were taken`);
  });
}

/** Pipelines of any checks in any order, on the type they are for and on one that says nothing of its type. */
function pipelines<Value>(
  base: v.GenericSchema<Value>,
  checks: readonly v.PipeItem<Value, Value, v.BaseIssue<unknown>>[],
): fc.Arbitrary<v.GenericSchema> {
  const items = fc.array(fc.constantFrom(...checks), { minLength: 1, maxLength: 5 });
  return fc.tuple(fc.constantFrom(base, v.any()), items).map(([schema, some]) => piped(schema, some));
}

const leaves: fc.Arbitrary<v.GenericSchema> = fc.oneof(
  pipelines(v.string(), TEXT_CHECKS),
  pipelines(v.number(), NUMBER_CHECKS),
  pipelines(v.array(v.string()), ARRAY_CHECKS),
  pipelines(v.record(v.string(), v.unknown()), OBJECT_CHECKS),
  pipelines(v.picklist(["x", "y"]) as unknown as v.GenericSchema<string>, TEXT_CHECKS),
  pipelines(v.literal(3) as unknown as v.GenericSchema<number>, NUMBER_CHECKS),
  fc.constantFrom<v.GenericSchema>(v.boolean(), v.null(), v.unknown(), v.never(), Tree, Odd, v.lazy(() => Even)),
);

const { schema: schemas } = fc.letrec<{ schema: v.GenericSchema; entries: v.ObjectEntries }>((tie) => ({
  entries: fc.dictionary(fc.stringMatching(/^[a-z$/~ ]{1,4}$/), tie("schema"), { maxKeys: 4, noNullPrototype: true }),
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaves,
    fc.tuple(tie("schema"), fc.jsonValue()).chain(([inner, value]) =>
      fc.constantFrom<v.GenericSchema>(
        v.array(inner),
        v.optional(inner),
        v.optional(inner, value),
        v.exactOptional(inner, () => value),
        v.nullable(inner),
        v.nullable(inner, value),
        v.nullish(inner, () => value),
        v.undefinedable(inner),
        v.record(v.string(), inner),
        v.lazy(() => inner),
        v.pipe(inner, v.title("Of a wrapper"), v.metadata({ examples: [value] })),
        v.pipe(inner, v.transform(String), v.string(), v.maxLength(3), v.description("Of what is made")),
      )
    ),
    tie("entries").chain((entries) =>
      fc.constantFrom<v.GenericSchema>(v.object(entries), v.looseObject(entries), v.strictObject(entries))
    ),
    fc.tuple(tie("entries"), tie("schema")).map(([entries, rest]) => v.objectWithRest(entries, rest)),
    fc.array(tie("schema"), { maxLength: 3 }).chain((items) =>
      fc.constantFrom<v.GenericSchema>(
        v.tuple(items),
        v.looseTuple(items),
        v.strictTuple(items),
        v.tupleWithRest(items, v.number()),
        v.union(items),
        v.intersect(items),
      )
    ),
  ),
}));

test("convertValibot() converts random schemas as the library does", () => {
  fc.assert(fc.property(schemas, (schema) => deepStrictEqual(convert(schema), oracle(schema))), { numRuns: 1_000 });
});

const REFUSED: Readonly<Record<string, AnySchema>> = {
  bigint: v.bigint(),
  blob: v.blob(),
  custom: v.custom(() => true),
  date: v.date(),
  file: v.file(),
  function: v.function(),
  instance: v.instance(URL),
  map: v.map(v.string(), v.string()),
  nan: v.nan(),
  nonNullable: v.nonNullable(v.nullable(v.string())),
  nonNullish: v.nonNullish(v.nullish(v.string())),
  nonOptional: v.nonOptional(v.optional(v.string())),
  promise: v.promise(),
  set: v.set(v.string()),
  symbol: v.symbol(),
  undefined: v.undefined(),
  void: v.void(),
  "literal of a bigint": v.literal(1n),
  "literal of a symbol": v.literal(Symbol.iterator),
  "literal of NaN": v.literal(Number.NaN),
  "picklist with a bigint": v.picklist(["a", 1n]),
  "picklist with Infinity": v.picklist([Number.POSITIVE_INFINITY]),
  "record by picklist": v.record(v.picklist(["a"]), v.string()),
  "record by union": v.record(v.union([v.literal("a"), v.string()]), v.string()),
  "a getter that waits": v.lazyAsync(() => Promise.resolve(v.string())),
};

for (const [name, schema] of Object.entries(REFUSED)) {
  test(`convertValibot() refuses ${name}, at the root and inside, as the library does`, () => {
    const inside = v.object({ a: v.optional(v.array(v.union([v.string(), schema as v.GenericSchema]))) });
    for (const refused of [schema, inside]) {
      throws(() => oracle(refused));
      throws(() => convert(refused), { name: "TypeError", message: /JSON form|keys of v\.string\(\)/ });
    }
  });
}

/** Where callers receive something else than the library gives. */
const DIFFERENCES: Readonly<Record<string, readonly [schema: AnySchema, converted: Converted]>> = {
  "a check after a transformation is not about what is sent": [
    v.pipe(v.string(), v.minLength(1), v.trim(), v.maxLength(3), v.title("T")),
    { type: "string", minLength: 1, title: "T" },
  ],
  "a number of items after a filter is not the number that is sent": [
    v.pipe(v.array(v.string()), v.filterItems(Boolean), v.maxLength(3)),
    { type: "array", items: { type: "string" } },
  ],
  "a brand changes nothing, and neither does a type guard": [
    v.pipe(
      v.string(),
      v.brand("B"),
      v.guard((text: unknown): text is string & v.Brand<"B"> => text === "a"),
      v.maxLength(3),
    ),
    { type: "string", maxLength: 3 },
  ],
  "a pattern with a flag is not told, as it would refuse what is right": [
    v.pipe(v.string(), v.regex(/^x$/i), v.regex(/^y$/s)),
    { type: "string" },
  ],
  "flag u is how JSON Schema reads patterns": [v.pipe(v.string(), v.regex(/^\p{L}$/u)), {
    type: "string",
    pattern: "^\\p{L}$",
  }],
  "of two patterns the first is told": [v.pipe(v.string(), v.regex(/^x/), v.regex(/y$/)), {
    type: "string",
    pattern: "^x",
  }],
  "a pattern stays when one with a flag follows": [v.pipe(v.string(), v.startsWith("a"), v.regex(/x/i)), {
    type: "string",
    pattern: "^a",
  }],
  "checks by pattern that are newer than the library": [v.pipe(v.string(), v.isoDateTimeSecond()), {
    type: "string",
    pattern: v.isoDateTimeSecond().requirement.source,
  }],
  "a member called __proto__ is one": [
    v.object(Object.fromEntries([["__proto__", v.string()]])),
    {
      type: "object",
      properties: Object.fromEntries([["__proto__", { type: "string" }]]),
      required: ["__proto__"],
    },
  ],
};

test("convertValibot() lists none of the definitions that a program has made global", () => {
  addGlobalDefs({ Leaf });
  deepStrictEqual(convert(v.object({ a: Leaf })), {
    type: "object",
    properties: { a: { enum: ["a"], type: "string" } },
    required: ["a"],
  });
});

for (const [name, [schema, converted]] of Object.entries(DIFFERENCES)) {
  test(`convertValibot(): ${name}`, () => deepStrictEqual(convert(schema), converted));
}
