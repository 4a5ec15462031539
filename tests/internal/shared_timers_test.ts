/** Timers that many share: the exception of one callback reaches the runtime, and does not hold back the others. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { DueQueue } from "../../src/jobs/engines/memory/due_queue.ts";
import { Deadlines } from "../../src/internal/deadlines.ts";
import { PendingList } from "../../src/internal/pending_list.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** A clock that counts the timers that are set. */
class CountingClock extends FakeClock {
  readonly timers = new Set<object>();

  override after(delayMs: number, callback: () => void): () => void {
    const timer = {};
    this.timers.add(timer);
    const cancel = super.after(delayMs, () => {
      this.timers.delete(timer);
      callback();
    });
    return () => {
      this.timers.delete(timer);
      cancel();
    };
  }
}

/** Adds a callback that is to be called after some time. */
type Add = (callback: () => void) => void;

const SHARED: Readonly<Record<string, (clock: CountingClock) => Add>> = {
  Deadlines: (clock) => {
    const deadlines = new Deadlines(clock);
    return (callback) => void deadlines.add(100, callback);
  },
  "Deadlines of several durations": (clock) => {
    const deadlines = new Deadlines(clock);
    let durationMs = 100;
    return (callback) => void deadlines.add(durationMs++, callback);
  },
  DueQueue: (clock) => {
    const queue = new DueQueue<() => void>(clock, (callback) => callback());
    let delayMs = 100;
    return (callback) => void queue.add(callback, delayMs++);
  },
  PendingList: (clock) => {
    const list = new PendingList(clock);
    return (callback) => list.add({ earlier: undefined, later: undefined, onStillPending: callback });
  },
};

for (const [name, create] of Object.entries(SHARED)) {
  test(`${name}: the others are called after an exception, each once`, () => {
    const clock = new CountingClock(0);
    const add = create(clock);
    const called: string[] = [];
    const fail = (message: string) => () => {
      called.push(message);
      throw new Error(message);
    };
    for (const callback of [fail("first"), () => called.push("second"), fail("third"), () => called.push("fourth")]) {
      add(callback);
    }
    for (const message of ["first", "third"]) throws(() => clock.tick(10_000), { message });
    clock.tick(10_000);
    deepStrictEqual(called, ["first", "second", "third", "fourth"]);
    strictEqual(clock.timers.size, 0, "no timer is left");
  });
}
