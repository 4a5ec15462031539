/**
 * The compiled check of valibot's schemas against valibot: what it accepts, the schema accepts and leaves as it is.
 *
 * `TOOLWIRE_PAIRS=1000000 bun test tests/core/schema/exact_check_test.ts` compares a million pairs of schema and value.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { compileExactCheck } from "../../../src/core/schema/exact_check.ts";
import { createClient, createServer, defineTool, memoryTransport, ToolError } from "../../../mod.ts";

const SEED = 20261122;
const VALUES_A_SCHEMA = 25;

/** Whether code may be made of text, without which nothing is accepted. Workers may while they load, and not later. */
function canCompile(): boolean {
  try {
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}

function pairs(): number {
  try {
    const { process } = globalThis as {
      readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
    };
    return Number(process?.env?.["TOOLWIRE_PAIRS"] ?? 50_000);
  } catch {
    return 50_000;
  }
}

let state = SEED;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
function below(count: number): number {
  return Math.floor(random() * count);
}
function oneOf<Value>(values: readonly Value[]): Value {
  return values[below(values.length)] as Value;
}
function many<Value>(make: () => Value, most: number): Value[] {
  return Array.from({ length: below(most + 1) }, make);
}

/** A schema, and values that mostly fit it. */
interface Sample {
  readonly schema: v.GenericSchema;
  readonly value: () => unknown;
}

const NAMES = ["a", "b", "c", "toString", "constructor", "__proto__", "a b", 'q"\\', "kind"];
const TEXTS = ["", "a", "ab", "abc", "x".repeat(12), "ann@example.com", "2026-11-22", "1", "ünï😀"];
const NUMBERS = [0, -0, 1, -1, 1.5, 3, 7, 10, 2 ** 53, -(2 ** 53), 1e300, 0.1];

const STRING_RULES: readonly (() => v.PipeItem<string, string, v.BaseIssue<unknown>>)[] = [
  () => v.minLength(below(4)),
  () => v.maxLength(below(8)),
  () => v.length(below(4)),
  () => v.nonEmpty(),
  () => v.regex(oneOf([/^a/, /b$/u, /a/g, /a/y, /[é-ü]/i])),
  () => v.email(),
  () => v.isoDate(),
  () => v.startsWith("a"),
  () => v.description("said"),
  () => v.trim(),
  () => v.toUpperCase(),
  () => v.check((text) => text !== "abc"),
  () => v.brand("b"),
];
const NUMBER_RULES: readonly (() => v.PipeItem<number, number, v.BaseIssue<unknown>>)[] = [
  () => v.minValue(oneOf([-1, 0, 1, 1.5])),
  () => v.maxValue(oneOf([0, 3, 10, Infinity])),
  () => v.gtValue(oneOf([0, -1])),
  () => v.ltValue(oneOf([3, 7])),
  () => v.integer(),
  () => v.safeInteger(),
  () => v.finite(),
  () => v.multipleOf(2),
  () => v.transform((number: number) => number + 1),
  () => v.title("said"),
];

const LEAVES: readonly (() => Sample)[] = [
  () => ({ schema: v.pipe(v.string(), ...many(() => oneOf(STRING_RULES)(), 2)), value: () => oneOf(TEXTS) }),
  () => ({ schema: v.pipe(v.number(), ...many(() => oneOf(NUMBER_RULES)(), 2)), value: () => oneOf(NUMBERS) }),
  () => ({ schema: v.boolean(), value: () => random() < 0.5 }),
  () => ({ schema: v.null(), value: () => null }),
  () => ({ schema: v.any(), value: anything }),
  () => ({ schema: v.unknown(), value: anything }),
  () => {
    const literal = oneOf([...TEXTS, 0, 1.5, true, false]);
    return { schema: v.literal(literal), value: () => literal };
  },
  () => {
    const options = [oneOf(TEXTS), oneOf(NUMBERS), oneOf(TEXTS)];
    return { schema: v.picklist(options), value: () => oneOf(options) };
  },
  () => ({ schema: v.enum({ A: "a", B: 3 }), value: () => oneOf(["a", 3]) }),
  () => ({ schema: v.fallback(v.string(), "fallen"), value: () => oneOf(TEXTS) }),
];

function sample(depth: number): Sample {
  return depth === 0 || random() < 0.3 ? oneOf(LEAVES)() : oneOf(PARENTS)(depth - 1);
}

const PARENTS: readonly ((depth: number) => Sample)[] = [
  objectOf,
  objectOf,
  objectOf,
  (depth) => {
    const item = sample(depth);
    const array = v.array(item.schema);
    return { schema: random() < 0.3 ? v.pipe(array, v.minLength(1)) : array, value: () => many(item.value, 4) };
  },
  (depth) => {
    const items = many(() => sample(depth), 3);
    const schemas = items.map(({ schema }) => schema);
    const schema = oneOf([() => v.tuple(schemas), () => v.strictTuple(schemas), () => v.looseTuple(schemas)])();
    return { schema, value: () => items.map(({ value }) => value()) };
  },
  (depth) => {
    const value = sample(depth);
    const key = random() < 0.5 ? v.string() : v.pipe(v.string(), v.maxLength(2));
    return {
      schema: v.record(key, value.schema),
      value: () => Object.fromEntries(many(() => [oneOf(NAMES), value.value()], 3)),
    };
  },
  (depth) => {
    const options = [sample(depth), sample(depth), ...many(() => sample(depth), 1)];
    return { schema: v.union(options.map(({ schema }) => schema)), value: () => oneOf(options).value() };
  },
  (depth) => {
    const kinds = ["x", "y", "z"].slice(0, 1 + below(3)).map((kind) => ({ kind, rest: sample(depth) }));
    const schema = v.variant(
      "kind",
      kinds.map(({ kind, rest }) => v.object({ kind: v.literal(random() < 0.1 ? "x" : kind), rest: rest.schema })),
    );
    return {
      schema,
      value: () => {
        const { kind, rest } = oneOf(kinds);
        return { kind, rest: rest.value() };
      },
    };
  },
  (depth) => {
    const inner = sample(depth);
    const schema = random() < 0.3 ? v.nullable(inner.schema, null) : v.nullable(inner.schema);
    return { schema, value: () => random() < 0.3 ? null : inner.value() };
  },
];

function objectOf(depth: number): Sample {
  const members = many(() => ({ name: oneOf(NAMES), isOptional: random() < 0.4, ...sample(depth) }), 4);
  const entries = Object.fromEntries(
    members.map(({ name, isOptional, schema }) => [name, isOptional ? optional(schema) : schema]),
  );
  return {
    schema: oneOf([() => v.object(entries), () => v.strictObject(entries), () => v.looseObject(entries)])(),
    value: () =>
      Object.fromEntries(
        members.filter(({ isOptional }) => !isOptional || random() < 0.6).map(({ name, value }) => [name, value()]),
      ),
  };
}

function optional(schema: v.GenericSchema): v.GenericSchema {
  return oneOf([
    () => v.optional(schema),
    () => v.exactOptional(schema),
    () => v.nullish(schema),
    () => v.optional(schema, null),
    () => v.nullish(schema, 5),
  ])();
}

function anything(): unknown {
  return oneOf([
    ...TEXTS,
    ...NUMBERS,
    null,
    true,
    [],
    {},
    { a: 1 },
    [1, "a"],
    { ["__proto__"]: 1 },
    JSON.parse('{"__proto__":2}'),
  ]);
}

/** Something else here and there. */
function damaged(value: unknown): unknown {
  const dice = random();
  if (dice < 0.15) return anything();
  if (Array.isArray(value)) {
    if (dice < 0.3) return [...value, anything()];
    if (dice < 0.4) return value.slice(1);
    return value.map((item) => random() < 0.4 ? damaged(item) : item);
  }
  if (typeof value !== "object" || value === null) return dice < 0.5 ? anything() : value;
  const members = Object.entries(value);
  if (dice < 0.4) members.push([oneOf(NAMES), anything()]);
  else if (dice < 0.5) members.shift();
  return Object.fromEntries(members.map(([name, member]) => [name, random() < 0.4 ? damaged(member) : member]));
}

test("what the compiled check accepts, valibot accepts and leaves as it is", () => {
  let accepted = 0;
  let known = 0;
  let fitting = 0;
  const wanted = pairs();
  for (let made = 0; made < wanted; made += VALUES_A_SCHEMA) {
    const { schema, value } = sample(3);
    const check = compileExactCheck(schema);
    let isKnown = false;
    for (let nth = 0; nth < VALUES_A_SCHEMA; nth++) {
      const tried = nth % 2 === 0 ? value() : damaged(value());
      const before = structuredClone(tried);
      const isAccepted = check.accepts(tried);
      const checked = v.safeParse(schema, tried);
      const isKept = checked.success && isSame(checked.output, before);
      if (isKept) fitting++;
      if (!isAccepted) continue;
      ok(isKept, `${JSON.stringify(schema)} accepts ${JSON.stringify(tried)}, which valibot does not`);
      deepStrictEqual(tried, before);
      const copy = check.copy(tried);
      deepStrictEqual(copy, before);
      ok(sharesAsMuch(copy, tried, checked.output), `${JSON.stringify(schema)} shares ${JSON.stringify(tried)}`);
      accepted++;
      isKnown = true;
    }
    if (isKnown) known++;
  }
  if (!canCompile()) return strictEqual(accepted, 0);
  const schemas = wanted / VALUES_A_SCHEMA;
  ok(known > schemas / 4, `${known} of ${schemas} schemas were known`);
  ok(accepted > fitting / 3, `${accepted} of ${fitting} values that fit were accepted`);
});

/** Whether a copy shares no object with its original that valibot's does not share. */
function sharesAsMuch(copy: unknown, original: unknown, made: unknown): boolean {
  if (typeof copy !== "object" || copy === null) return true;
  if (copy === original) return made === original;
  return Object.entries(copy).every(([name, member]) =>
    sharesAsMuch(member, (original as Record<string, unknown>)[name], (made as Record<string, unknown>)[name])
  );
}

/** With the prototype that a value of JSON has. */
function isSame(one: unknown, other: unknown): boolean {
  try {
    deepStrictEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

test("the compiled check accepts nothing of an output that valibot refuses, whatever handlers return", () => {
  class Point {
    readonly a = 1;
    get b() {
      return 2;
    }
  }
  const inherited = Object.assign(Object.create({ a: 1 }), { zzz: 1 });
  const strange: readonly unknown[] = [
    undefined,
    NaN,
    Infinity,
    1n,
    Symbol("a"),
    () => 1,
    new Date(0),
    new Map(),
    new Point(),
    inherited,
    Object.create(null),
    Object.assign([], { a: 1 }),
    { a: undefined },
    { a: NaN },
    { a: 1, b: undefined },
    {
      get a() {
        return 1;
      },
    },
    new Proxy({ a: 1 }, {}),
    Object("text"),
    [undefined],
    new Array(2),
    new Uint8Array(2),
  ];
  const schemas: readonly v.GenericSchema[] = [
    v.object({}),
    v.strictObject({}),
    v.object({ a: v.number() }),
    v.strictObject({ a: v.number() }),
    v.object({ a: v.optional(v.number()) }),
    v.object({ a: v.any(), b: v.any() }),
    v.record(v.string(), v.any()),
    v.array(v.any()),
    v.array(v.number()),
    v.tuple([v.any(), v.any()]),
    v.number(),
    v.pipe(v.number(), v.integer()),
    v.string(),
    v.boolean(),
    v.any(),
    v.nullable(v.object({ a: v.unknown() })),
  ];
  for (const schema of schemas) {
    const check = compileExactCheck(schema);
    strange.forEach((value, at) => {
      if (check.accepts(value)) ok(v.is(schema, value), `${schema.type} accepts the strange value ${at}`);
    });
  }
});

test("names and texts of a schema are never code", () => {
  const evil = '"];globalThis.wasRun=true;//\u2028';
  const schema = v.object({
    [evil]: v.literal(evil),
    other: v.picklist([evil, "`${globalThis.wasRun=true}`"]),
    least: v.pipe(v.string(), v.regex(/"\];globalThis.wasRun=true;/)),
  });
  const value = { [evil]: evil, other: evil, least: '"];globalThis.wasRun=true;' };
  strictEqual(compileExactCheck(schema).accepts(value), canCompile());
  deepStrictEqual(compileExactCheck(schema).copy(value), value);
  strictEqual(compileExactCheck(schema).accepts({ ...value, [evil]: "no" }), false);
  strictEqual("wasRun" in globalThis, false);
});

test("a limit that is no number is not written into code", () => {
  const limit = { toString: () => "globalThis.wasRun=true" } as unknown as number;
  strictEqual(compileExactCheck(v.pipe(v.number(), v.minValue(limit))).accepts(5), false);
  strictEqual("wasRun" in globalThis, false);
});

/** A handler that does with its input what it likes, and asks. */
const order = defineTool("order")
  .describe("Order, and shipping")
  .input(v.object({ items: v.array(v.string()) }))
  .handle(async ({ items }, ctx) => {
    items.push("shipping");
    const { action } = await ctx.elicit("sure", { message: "Sure?", schema: v.object({}) });
    return [action, ...items];
  });

test("the arguments of a call stay as they came, whatever a handler does with its input", async () => {
  const seen: unknown[] = [];
  const server = createServer({
    tools: [order],
    keys: `k1:${"k".repeat(32)}`,
    middleware: [async (ctx, next) => {
      const outcome = await next();
      seen.push(ctx.call.args);
      return outcome;
    }],
  });
  const client = createClient<typeof server>(memoryTransport(server), {
    onElicitation: () => ({ action: "accept", content: {} }),
  });
  deepStrictEqual(await client.order({ items: ["a"] }), ["accept", "a", "shipping"]);
  deepStrictEqual(seen, [{ items: ["a"] }, { items: ["a"] }]);
});

test("a job that runs again has the arguments that came", async () => {
  const seen: unknown[] = [];
  const tool = defineTool("take")
    .describe("Takes what it is given apart")
    .input(v.object({ list: v.array(v.number()) }))
    .promise({ budgetMs: 1, retries: 1 })
    .handle(async ({ list }, ctx) => {
      seen.push([...list]);
      list.splice(0);
      await Promise.resolve();
      if (ctx.attempt === 1) throw new ToolError("unavailable", "Not now");
      return "taken";
    });
  const server = createServer({ tools: [tool], keys: `k1:${"k".repeat(32)}` });
  const client = createClient<typeof server>(memoryTransport(server));
  // A job from the start: the handler may otherwise end before the run has become one.
  const promised = await client.take.start({ list: [1, 2] });
  strictEqual(await promised.result(), "taken");
  deepStrictEqual(seen, [[1, 2], [1, 2]]);
  await server.close();
});
