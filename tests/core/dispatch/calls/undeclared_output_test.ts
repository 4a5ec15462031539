/** Members of an output that its schema does not have: left out, kept or refused as the schema's library does by default. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import { Schema as E } from "effect";
import { z } from "zod";
import * as v from "../../../../src/entries/schema.ts";
import { createServer, defineTool, type Schema } from "../../../../mod.ts";
import { jsonSchema } from "../../../../src/entries/json_schema.ts";
import { budget } from "../../../../src/entries/answers.ts";
import { testClient } from "../../../../src/entries/testing.ts";

/** Effect's schemas become Standard Schemas by two of its helpers. */
function standard(schema: E.ConstraintDecoder<unknown>): Schema {
  return E.toStandardJSONSchemaV1(E.toStandardSchemaV1(schema)) as unknown as Schema;
}

const REFUSED = Symbol("refused");
const GIVEN = { n: 1, secret: "s" };
const PICKED = { n: 1 };

const shape = { type: "object", properties: { n: { type: "number" } } } as const;

interface Row {
  readonly name: string;
  readonly schema: unknown;
  readonly returned: unknown;
  readonly received: unknown;
}

function row(name: string, schema: unknown, returned: unknown, received: unknown): Row {
  return { name, schema, returned, received };
}

class Stored {
  readonly #hash = "h";
  readonly secret = "s";
  readonly n = 1;
  hash() {
    return this.#hash;
  }
}

class Written {
  readonly n = 1;
  toJSON() {
    return GIVEN;
  }
}

interface Tree {
  readonly n: number;
  readonly below: readonly Tree[];
}
const zodTree: z.ZodType<Tree> = z.object({
  n: z.number(),
  get below() {
    return z.array(zodTree);
  },
});
const nested = { at: [GIVEN, GIVEN] };

const valibotObject = v.object({ n: v.number() });
const zodObject = z.object({ n: z.number() });

/** Members whose names every object inherits, so that a library's result seems to have them. */
const INHERITED: readonly Row[] = Object.getOwnPropertyNames(Object.prototype).filter((name) =>
  // The assertions of workerd call it.
  name !== "propertyIsEnumerable"
).flatMap((name) =>
  (["s", { secret: "s" }, ["s"], null] as const).flatMap((member) => [
    row(`valibot, ${name}: ${JSON.stringify(member)}`, valibotObject, withOwn(name, member), PICKED),
    row(`zod, ${name}: ${JSON.stringify(member)}`, zodObject, withOwn(name, member), PICKED),
  ])
);

function withOwn(name: string, member: unknown): object {
  return Object.fromEntries([["n", 1], [name, member]]);
}

/** Results of libraries whose members cannot be matched with those of the value: the schema alone decides. */
const UNMATCHED: readonly Row[] = [
  row("valibot, items beyond a tuple", v.tuple([valibotObject]), [GIVEN, GIVEN], [PICKED]),
  row("valibot, items beyond a loose tuple", v.looseTuple([valibotObject]), [GIVEN, GIVEN], [PICKED, GIVEN]),
  row("valibot, the rest of a tuple", v.tupleWithRest([valibotObject], valibotObject), [GIVEN, GIVEN], [
    PICKED,
    PICKED,
  ]),
  row("valibot, a tuple in an object", v.object({ at: v.tuple([valibotObject]) }), { at: [GIVEN, 2], secret: "s" }, {
    at: [PICKED],
  }),
  row(
    "valibot, a filter",
    v.pipe(v.array(valibotObject), v.filterItems((_, at) => at > 0)),
    [GIVEN, GIVEN],
    [PICKED, PICKED],
  ),
  row("valibot, a transform to a number", v.pipe(valibotObject, v.transform(({ n }) => n)), GIVEN, PICKED),
  row("valibot, a transform to a list", v.pipe(valibotObject, v.transform((one) => [one])), GIVEN, PICKED),
  row(
    "valibot, a transform of a loose object",
    v.pipe(v.looseObject({ n: v.number() }), v.transform(({ n }) => n)),
    GIVEN,
    GIVEN,
  ),
  row(
    "valibot, a transform of a record",
    v.pipe(v.record(v.string(), valibotObject), v.transform((all) => Object.keys(all))),
    { a: GIVEN },
    { a: PICKED },
  ),
  row("valibot, a transform below the root", v.object({ at: v.pipe(valibotObject, v.transform(({ n }) => n)) }), {
    at: GIVEN,
    secret: "s",
  }, { at: PICKED }),
];

const DEEP: unknown = Array.from({ length: 500 }).reduce<unknown>((inner) => [inner], 1);

const ROWS: readonly Row[] = [
  row(
    "valibot, a transform beside what has no schema",
    v.pipe(v.object({ n: v.number(), at: v.unknown() }), v.transform(() => 1)),
    {
      ...GIVEN,
      at: DEEP,
    },
    { n: 1, at: DEEP },
  ),
  ...INHERITED,
  ...UNMATCHED,
  row("zod, object", z.object({ n: z.number() }), GIVEN, PICKED),
  row("zod, loose object", z.looseObject({ n: z.number() }), GIVEN, GIVEN),
  row("zod, strict object", z.strictObject({ n: z.number() }), GIVEN, REFUSED),
  row("zod, catchall", z.object({ n: z.number() }).catchall(z.string()), GIVEN, GIVEN),
  row("zod, record", z.record(z.string(), z.unknown()), GIVEN, GIVEN),
  row("zod, below the root", z.object({ at: z.array(z.object({ n: z.number() })) }), nested, { at: [PICKED, PICKED] }),
  row("zod, in a tuple", z.tuple([z.object({ n: z.number() })]), [GIVEN], [PICKED]),
  row("zod, in a record", z.record(z.string(), z.object({ n: z.number() })), { a: GIVEN }, { a: PICKED }),
  row("zod, no members", z.object({}), GIVEN, {}),
  row(
    "zod, the option of a union",
    z.discriminatedUnion("k", [
      z.object({ k: z.literal("a"), n: z.number() }),
      z.object({ k: z.literal("b"), secret: z.string() }),
    ]),
    { k: "a", ...GIVEN },
    { k: "a", n: 1 },
  ),
  row("zod, both parts of an intersection", z.intersection(z.object({ n: z.number() }), z.object({ m: z.number() })), {
    ...GIVEN,
    m: 2,
  }, { n: 1, m: 2 }),
  row("zod, recursive", zodTree, { n: 1, below: [{ ...GIVEN, below: [] }] }, { n: 1, below: [{ n: 1, below: [] }] }),
  row("zod, any", z.object({ n: z.any() }), { n: GIVEN, secret: 1 }, { n: GIVEN }),
  row("zod, no default is added", z.object({ n: z.number(), m: z.number().default(5) }), GIVEN, PICKED),
  row("zod, no transform applies", z.object({ n: z.number().transform(String) }), GIVEN, PICKED),
  row("zod, a renaming transform", z.object({ n: z.number() }).transform(({ n }) => ({ m: n })), GIVEN, PICKED),
  row("zod, a picking transform", z.object({ n: z.number(), m: z.number() }).transform(({ n }) => ({ n })), {
    ...GIVEN,
    m: 2,
  }, { n: 1, m: 2 }),
  row("zod, an asynchronous check", z.object({ n: z.number() }).refine(() => Promise.resolve(true)), GIVEN, PICKED),
  row("zod, an instance of a class", z.object({ n: z.number() }), new Stored(), PICKED),
  row("zod, toJSON", z.object({ n: z.number() }), new Written(), PICKED),
  row("valibot, object", v.object({ n: v.number() }), GIVEN, PICKED),
  row("valibot, loose object", v.looseObject({ n: v.number() }), GIVEN, GIVEN),
  row("valibot, strict object", v.strictObject({ n: v.number() }), GIVEN, REFUSED),
  row("valibot, rest", v.objectWithRest({ n: v.number() }, v.string()), GIVEN, GIVEN),
  row("valibot, below the root", v.object({ at: v.array(v.object({ n: v.number() })) }), nested, {
    at: [PICKED, PICKED],
  }),
  row(
    "valibot, the option of a union",
    v.variant("k", [
      v.object({ k: v.literal("a"), n: v.number() }),
      v.object({ k: v.literal("b"), secret: v.string() }),
    ]),
    { k: "a", ...GIVEN },
    { k: "a", n: 1 },
  ),
  row("valibot, not compiled", v.object({ n: v.pipe(v.number(), v.check(() => true)) }), GIVEN, PICKED),
  row("ArkType keeps by default", type({ n: "number" }), GIVEN, GIVEN),
  row("ArkType, delete", type({ "+": "delete", n: "number" }), GIVEN, PICKED),
  row("ArkType, reject", type({ "+": "reject", n: "number" }), GIVEN, REFUSED),
  row("Effect, struct", standard(E.Struct({ n: E.Number })), GIVEN, PICKED),
  row("Effect, below the root", standard(E.Struct({ at: E.Array(E.Struct({ n: E.Number })) })), nested, {
    at: [PICKED, PICKED],
  }),
  row("Effect, record", standard(E.Record(E.String, E.Unknown)), GIVEN, GIVEN),
  row("JSON Schema without a word", jsonSchema(shape), GIVEN, GIVEN),
  row("JSON Schema that refuses others", jsonSchema({ ...shape, additionalProperties: false }), GIVEN, REFUSED),
];

for (const { name, schema, returned, received } of ROWS) {
  const output = schema as Schema;
  const answer = defineTool("answer").describe("Answers").output(output).handle(() => returned);
  const pieces = defineTool("pieces").describe("Streams").partial(output).handle(async function* () {
    yield returned;
  });
  const client = testClient(createServer({ tools: [answer, pieces], logger: false }));

  test(`${name}: the output`, async () => {
    const before = structuredClone(returned instanceof Stored || returned instanceof Written ? {} : returned);
    if (received === REFUSED) return await rejects(client.$.call("answer", {}), { code: "internal" });
    deepStrictEqual(await client.$.call("answer", {}), received);
    if (!(returned instanceof Stored || returned instanceof Written)) deepStrictEqual(returned, before);
  });

  test(`${name}: a piece`, async () => {
    const stream = client.pieces.stream({});
    const collect = async () => {
      const all: unknown[] = [];
      for await (const piece of stream) all.push(piece);
      return all;
    };
    if (received === REFUSED) {
      stream.result.catch(() => {});
      return await rejects(collect(), { code: "internal" });
    }
    deepStrictEqual(await collect(), [received]);
    deepStrictEqual(await client.$.call("pieces", {}), [received]);
  });
}

test("the object of the handler is not changed, and a value that fits is sent without a copy", async () => {
  const fits = { n: 1, below: { n: 2 } };
  const seen: unknown[] = [];
  const tool = defineTool("fits").describe("Fits").output(
    z.object({ n: z.number(), below: z.object({ n: z.number() }) }),
  )
    .render((output) => String(seen.push(output))).handle(() => fits);
  deepStrictEqual(await testClient(createServer({ tools: [tool], logger: false })).fits({}), fits);
  strictEqual(seen.length <= 1, true);
  ok(seen.every((output) => output === fits));
});

test("the data of a failure, and the items of a page, are without what their schemas do not have", async () => {
  const locked = defineTool("locked").describe("Fails").errors({ locked: z.object({ n: z.number() }) })
    .handle((_, ctx) => {
      throw ctx.fail("locked", "Locked", GIVEN);
    });
  const pages = defineTool("pages").describe("Pages").output(z.array(z.object({ n: z.number() })))
    .annotate({ readOnlyHint: true }).answer(budget({ maxTokens: 1_000 })).handle(() => [GIVEN, GIVEN]);
  const client = testClient(createServer({ tools: [locked, pages], logger: false }));
  const outcome = await client.locked.outcome({});
  deepStrictEqual(outcome.kind === "failure" && outcome.data, PICKED);
  deepStrictEqual(await client.pages({}), { items: [PICKED, PICKED], total: 2 });
});
