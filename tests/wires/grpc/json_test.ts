/** `toJsonObject()`: the copy is always what `JSON.parse(JSON.stringify(value))` returns. */
import { deepStrictEqual, notStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toJsonObject } from "../../../src/wires/grpc/messages/json.ts";

/** Copy by JSON text, or name of the exception. */
function byText(value: unknown): unknown {
  try {
    return { value: JSON.parse(JSON.stringify({ value })).value };
  } catch (thrown) {
    return (thrown as Error).name;
  }
}

function byCopy(value: unknown): unknown {
  try {
    return { value: toJsonObject({ value })["value"] };
  } catch (thrown) {
    return (thrown as Error).name;
  }
}

test("toJsonObject() gives what JSON's text gives, of anything", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    key: fc.oneof(fc.string(), fc.constantFrom("__proto__", "toJSON", "length", "0")),
  });
  fc.assert(
    fc.property(anything, (value) => deepStrictEqual(byCopy(value), byText(value))),
    { seed: 1, numRuns: 3_000 },
  );
});

test("toJsonObject() gives what JSON's text gives, of plain data", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
      (value) => deepStrictEqual(byCopy(value), byText(value)),
    ),
    { seed: 1, numRuns: 1_000 },
  );
});

class Money {
  readonly amount = 5;
  readonly #secret = 1;

  get double(): number {
    return this.amount * 2 * this.#secret;
  }
}

class Text extends Array<unknown> {
  toJSON(): string {
    return this.join();
  }
}

const shared = { one: 1 };
const cycle: { self?: unknown } = {};
cycle.self = cycle;
const wideCycle: Record<string, unknown> = {};
for (let index = 0; index < 30; index++) wideCycle[`k${index}`] = wideCycle;

function nested(levels: number): unknown {
  let deep: unknown = [];
  for (let level = 1; level < levels; level++) deep = level % 2 === 0 ? [deep] : { deep };
  return deep;
}

const VALUES: Readonly<Record<string, unknown>> = {
  "-0": [-0, { zero: -0 }],
  "numbers that JSON has not": [NaN, Infinity, { nan: NaN }],
  "members that are undefined": { one: undefined, two: 2, three: () => 1, four: Symbol("four") },
  "items that are undefined": [undefined, () => 1, Symbol("three")],
  "a hole": Object.assign(new Array<unknown>(3), { 1: "one", name: "left out" }),
  "dates": { at: new Date(0), never: new Date(NaN) },
  "boxes": [Object(1), Object("text"), Object(false)],
  "a bigint": { big: 1n },
  "a boxed bigint": Object(1n),
  "toJSON of an object": { toJSON: (key: string) => `as ${key}`, left: "out" },
  "toJSON that is no function": { toJSON: 1 },
  "toJSON of an array": Text.of(1, 2),
  "an instance": new Money(),
  "a map and a set": [new Map([[1, 2]]), new Set([1])],
  "an object without prototype": Object.assign(Object.create(null), { a: 1 }),
  "an object that inherits": Object.assign(Object.create({ inherited: 1 }), { own: 1 }),
  "a key that is __proto__": Object.fromEntries([["__proto__", { polluted: true }], ["a", 1]]),
  "a getter": {
    get one() {
      return 1;
    },
  },
  "what is not enumerable": Object.defineProperty({ a: 1 }, "hidden", { value: 1, enumerable: false }),
  "a symbol's member": { [Symbol("s")]: 1, a: 1 },
  "an array that is iterated otherwise": Object.assign([1, 2], { [Symbol.iterator]: () => [3].values() }),
  "one thing twice": [shared, shared, { shared }],
  "what contains itself": cycle,
  "what contains itself many times": wideCycle,
  "text that is not Unicode": { "\ud800": "\udfff" },
  "keys that are numbers": { b: 1, 2: 2, 1: 1 },
  "levels that are copied": nested(60),
  "levels that are not": nested(70),
  "typed arrays": new Uint8Array([1, 2]),
  "raw JSON": (JSON as { rawJSON?: (text: string) => unknown }).rawJSON?.("1e2"),
};

for (const [name, value] of Object.entries(VALUES)) {
  test(`toJsonObject() reads ${name} as JSON does`, () => deepStrictEqual(byCopy(value), byText(value)));
}

test("toJsonObject() asks a prototype that was given a toJSON", () => {
  const numbers = [1, 2];
  Object.setPrototypeOf(numbers, Object.assign(Object.create(Array.prototype), { toJSON: () => "asked" }));
  strictEqual(toJsonObject({ numbers })["numbers"], "asked");
});

test("toJsonObject() copies, and asks each getter once", () => {
  let asked = 0;
  const item = {
    get count() {
      return ++asked;
    },
  };
  const members = { items: [item] };
  const copy = toJsonObject(members);
  deepStrictEqual(copy, { items: [{ count: 1 }] });
  notStrictEqual(copy["items"], members.items);
});

test("toJsonObject() throws what a getter throws", () => {
  const thrown = new RangeError("mine");
  throws(() =>
    toJsonObject({
      get value(): never {
        throw thrown;
      },
    }), (caught) => caught === thrown);
});
