import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { chain, Future, isPending, toFuture, toPromise } from "../../src/internal/future.ts";

test("steps run at once and in their order when the value arrives", () => {
  const seen: unknown[] = [];
  const future = new Future<number>();
  future.map((value) => value + 1).map((value) => `${value}!`).into({ receive: (text) => seen.push(text), fail() {} });
  deepStrictEqual(seen, []);
  future.receive(1);
  deepStrictEqual(seen, ["2!"]);
});

test("a value may arrive before its steps, and only the first one counts", () => {
  const future = new Future<number>();
  future.receive(1);
  future.receive(2);
  future.fail(new Error("late"));
  const seen: number[] = [];
  future.map((value) => value * 10).into({ receive: (value) => void seen.push(value), fail() {} });
  deepStrictEqual(seen, [10]);
});

test("a step may return a future or a promise", async () => {
  const [first, second] = [new Future<number>(), new Future<number>()];
  const mapped = first.map(() => second).map((value) => Promise.resolve(value + 1));
  first.receive(1);
  second.receive(41);
  strictEqual(await mapped, 42);
});

test("a step runs once when the value arrives, and its result waits for a consumer", async () => {
  const [first, second] = [new Future<number>(), new Future<number>()];
  let runs = 0;
  const mapped = first.map((value) => (runs++, value === 1 ? second : value));
  first.receive(1);
  first.receive(2);
  strictEqual(runs, 1);
  second.receive(42);
  strictEqual(await mapped, 42);
  strictEqual(await mapped.map((value) => value + 1), 43);
  const failed = new Future<number>();
  const broken = failed.map(() => {
    throw new Error("broken");
  });
  failed.receive(1);
  await rejects(broken.toPromise(), /broken/);
});

test("the first step of a future that is pending creates no other future", () => {
  const future = new Future<number>();
  const mapped = future.map((value) => `${value}`);
  strictEqual(mapped as unknown, future);
  strictEqual(mapped.map((text) => text.length) as unknown === future, false);
});

test("what a step throws skips the others and rejects", async () => {
  let isSkipped = true;
  const future = new Future<number>();
  const mapped = future.map(() => {
    throw new Error("broken");
  }).map(() => (isSkipped = false));
  future.receive(1);
  await rejects(mapped.toPromise(), /broken/);
  strictEqual(isSkipped, true);
  await rejects(Future.of(Promise.reject(new Error("rejected"))).map((value) => value).toPromise(), /rejected/);
});

test("it may be awaited several times, before and after its value", async () => {
  const future = new Future<number>();
  const both = Promise.all([future, future]);
  future.receive(7);
  deepStrictEqual(await both, [7, 7]);
  strictEqual(await future, 7);
});

test("chain() takes a value, a future and a promise", async () => {
  const next = (value: number) => value + 1;
  strictEqual(chain(1, next), 2);
  const future = new Future<number>();
  const chained = chain<number, number>(future, next);
  strictEqual(isPending(chained), true);
  future.receive(2);
  strictEqual(await chained, 3);
  strictEqual(await chain(Promise.resolve(3), next), 4);
  strictEqual(toFuture(4), 4);
  strictEqual(toPromise(toFuture(Promise.resolve(5))) instanceof Promise, true);
});
