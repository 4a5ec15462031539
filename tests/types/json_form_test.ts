/** A typed client has the types that arrive: the JSON form of what a handler returns. What has none does not compile. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../mod.ts";
import { testClient } from "../../src/entries/testing.ts";
import { type Equal, expectType } from "./equal.ts";

interface Plain {
  readonly id: number;
  readonly note?: string;
  readonly tags: readonly string[];
}
interface Row {
  readonly id: number;
  readonly at: Date;
}
interface Tree {
  at: Date;
  children: Tree[];
}
type Nested = number | Date | Nested[];
class Point {
  readonly x = 1;
  private readonly y = 2;
  sum() {
    return this.x + this.y;
  }
}
class Money {
  readonly cents = 150;
  toJSON(): { amount: string; at: Date } {
    return { amount: `${this.cents / 100} EUR`, at: new Date(0) };
  }
}

const EPOCH = "1970-01-01T00:00:00.000Z";
const at = new Date(0);
const tool = defineTool("t").describe("T");
/** Calls a tool, whose type `typed` shows as well. */
const answerOf = (handled: ReturnType<typeof tool.handle>) =>
  testClient(createServer({ tools: [handled], logger: false })).$.call("t");

test("the JSON form of an object's members is its type", async () => {
  const tools = [
    defineTool("row").describe("R").handle((): Row => ({ id: 1, at })),
    defineTool("rows").describe("R").handle(() => Promise.resolve([{ id: 1, at }])),
    defineTool("tree").describe("T").handle((): Tree => ({ at, children: [{ at, children: [] }] })),
    defineTool("money").describe("M").handle(() => new Money()),
    defineTool("point").describe("P").handle(() => new Point()),
    defineTool("link").describe("L").handle(() => new URL("http://example.test")),
    defineTool("pair").describe("P").handle(() => [1, at, undefined] as const),
    defineTool("dates").describe("D").handle((): Record<string, Date | undefined> => ({ a: at, b: undefined })),
    defineTool("gaps").describe("G").handle(() => ["a", undefined]),
    defineTool("maybe").describe("M").handle((): { name: string | undefined; n: number } => ({
      name: undefined,
      n: 1,
    })),
    defineTool("either").describe("E").handle((): Row | undefined => undefined),
  ] as const;
  const client = testClient(createServer({ tools, logger: false }));
  const row = await client.row();
  const rows = await client.rows();
  const tree = await client.tree();
  const money = await client.money();
  const point = await client.point();
  const link = await client.link();
  const pair = await client.pair();
  const dates = await client.dates();
  const gaps = await client.gaps();
  const maybe = await client.maybe();
  const either = await client.either();
  expectType<Equal<typeof row, { readonly id: number; readonly at: string }>>(true);
  expectType<Equal<typeof rows, { id: number; at: string }[]>>(true);
  expectType<Equal<typeof tree.children[0]["at"], string>>(true);
  expectType<Equal<typeof money, { amount: string; at: string }>>(true);
  expectType<Equal<typeof point, { readonly x: 1 }>>(true);
  expectType<Equal<typeof link, string>>(true);
  expectType<Equal<typeof pair, readonly [1, string, null]>>(true);
  expectType<Equal<typeof dates, { [name: string]: string | undefined }>>(true);
  expectType<Equal<typeof gaps, (string | null)[]>>(true);
  expectType<Equal<typeof maybe, { name?: string | undefined; n: number }>>(true);
  expectType<Equal<typeof either, { readonly id: number; readonly at: string } | undefined>>(true);
  deepStrictEqual(
    { row, rows, tree, money, link, pair, dates, gaps, maybe, either },
    {
      row: { id: 1, at: EPOCH },
      rows: [{ id: 1, at: EPOCH }],
      tree: { at: EPOCH, children: [{ at: EPOCH, children: [] }] },
      money: { amount: "1.5 EUR", at: EPOCH },
      link: "http://example.test/",
      pair: [1, EPOCH, null],
      dates: { a: EPOCH },
      gaps: ["a", null],
      maybe: { n: 1 },
      either: undefined,
    },
  );
});

test("what is JSON already keeps its name", () => {
  const plain = tool.handle((): Plain => ({ id: 1, tags: [] }));
  const list = tool.handle((): Plain[] => []);
  const open = tool.handle((): unknown => 1);
  const some = tool.handle(() => ({ any: JSON.parse("1") as unknown }));
  const nested = tool.handle((): Nested => [1, [at]]);
  const nothing = tool.handle(() => {});
  type Output<T extends { readonly "~types"?: { readonly output: unknown } | undefined }> = NonNullable<
    T["~types"]
  >["output"];
  expectType<Equal<Output<typeof plain>, Plain>>(true);
  expectType<Equal<Output<typeof list>, Plain[]>>(true);
  expectType<Equal<Output<typeof open>, unknown>>(true);
  expectType<Equal<Output<typeof some>, { any: unknown }>>(true);
  expectType<Output<typeof nested> extends string | number | readonly unknown[] ? true : false>(true);
  expectType<Equal<Output<typeof nothing>, void>>(true);
});

test("pieces, pages and the answers of external work have their JSON form", async () => {
  const tools = [
    defineTool("pieces").describe("P").handle(async function* () {
      yield { at };
    }),
    defineTool("outside").describe("O").external({ start: () => 1, check: () => ({ at }) }),
  ] as const;
  const client = testClient(createServer({ tools, logger: false }));
  const stream = client.pieces.stream();
  for await (const piece of stream) {
    expectType<Equal<typeof piece, { at: string }>>(true);
    deepStrictEqual(piece, { at: EPOCH });
  }
  const pieces = await stream.result;
  expectType<Equal<typeof pieces, { at: string }[]>>(true);
  const outside = await client.outside();
  expectType<Equal<typeof outside, { at: string }>>(true);
  deepStrictEqual(outside, { at: EPOCH });
});

test("what cannot be sent is refused by the compiler, and when it runs", async () => {
  const refused = { code: "internal" };
  // @ts-expect-error: a Map
  await rejects(answerOf(tool.handle(() => new Map([["a", 1]]))), refused);
  // @ts-expect-error: a Set within a list of objects
  await rejects(answerOf(tool.handle(() => ({ rows: [{ tags: new Set(["a"]) }] }))), refused);
  // @ts-expect-error: a Response, here as a promise
  await rejects(answerOf(tool.handle(() => Promise.resolve(Response.json({ a: 1 })))), refused);
  // @ts-expect-error: a promise that is not awaited
  await rejects(answerOf(tool.handle(() => ({ page: Promise.resolve(1) }))), refused);
  // @ts-expect-error: a BigInt
  await rejects(answerOf(tool.handle(() => [1n])), refused);
  // @ts-expect-error: a function
  await rejects(answerOf(tool.handle(() => () => 1)), refused);
  // @ts-expect-error: an expression
  await rejects(answerOf(tool.handle(() => ({ pattern: /a/ }))), refused);
  // @ts-expect-error: numbers that are not bytes
  await rejects(answerOf(tool.handle(() => new Float64Array(1))), refused);
  // @ts-expect-error: an iterator
  await rejects(answerOf(tool.handle(() => new Map([["a", 1]]).values())), refused);
  // @ts-expect-error: pieces that cannot be sent
  const pieces = tool.handle(async function* () {
    yield new Map([["a", 1]]);
  });
  await rejects(answerOf(pieces), refused);
});

test("a handler in a generic function compiles", async () => {
  const say = <Value>(value: Value) => tool.handle(() => value);
  const later = <Value>(value: Value) => tool.handle(() => Promise.resolve({ value }));
  deepStrictEqual(await answerOf(say("a")), "a");
  deepStrictEqual(await answerOf(later(1)), { value: 1 });
});
