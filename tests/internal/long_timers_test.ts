import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { MAX_TIMER_MS, systemClock } from "../../src/internal/time.ts";

/** Runs work with timers that fire only when the test says so. */
function withTimers(work: (fire: () => number | undefined, active: () => number) => void): void {
  const original = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const timers = new Map<number, { readonly callback: () => void; readonly delayMs: number }>();
  let lastId = 0;
  const fire = (): number | undefined => {
    const [[id, timer] = []] = timers;
    if (id === undefined || timer === undefined) return undefined;
    timers.delete(id);
    timer.callback();
    return timer.delayMs;
  };
  Object.assign(globalThis, {
    setTimeout: (callback: () => void, delayMs: number) => {
      timers.set(++lastId, { callback, delayMs });
      return lastId;
    },
    clearTimeout: (id: number) => timers.delete(id),
  });
  try {
    work(fire, () => timers.size);
  } finally {
    Object.assign(globalThis, original);
  }
}

test("systemClock.after() waits for the whole of a delay that no single timer can hold", () => {
  withTimers((fire, active) => {
    let fired = 0;
    systemClock.after(2 * MAX_TIMER_MS + 5, () => fired++);
    deepStrictEqual([fire(), fire(), fired], [MAX_TIMER_MS, MAX_TIMER_MS, 0]);
    deepStrictEqual([fire(), fired, active()], [5, 1, 0]);
  });
});

test("a long delay can be cancelled at each of its timers", () => {
  for (const fires of [0, 1, 2]) {
    withTimers((fire, active) => {
      let fired = 0;
      const cancel = systemClock.after(2 * MAX_TIMER_MS + 5, () => fired++);
      for (let timer = 0; timer < fires; timer++) fire();
      cancel();
      deepStrictEqual([active(), fired], [0, 0]);
    });
  }
  strictEqual(typeof globalThis.setTimeout, "function");
});
