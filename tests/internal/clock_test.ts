import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatTimestamp, systemClock } from "../../src/internal/time.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

test("formatTimestamp() writes RFC 3339 in UTC, to the millisecond", () => {
  strictEqual(formatTimestamp(0), "1970-01-01T00:00:00.000Z");
  strictEqual(formatTimestamp(Date.UTC(2026, 1, 28, 23, 59, 59, 999)), "2026-02-28T23:59:59.999Z");
});

test("formatTimestamp() is right when moments repeat and go back", () => {
  const moment = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1 }), (moments) => {
      for (const ms of moments) {
        for (const again of [ms, ms]) strictEqual(formatTimestamp(again), new Date(ms).toISOString());
      }
    }),
    { seed: 4 },
  );
});

test("FakeClock.tick() runs what comes due on the way, in order, at its time", () => {
  const clock = new FakeClock(1000);
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(`${name}@${clock.now()}`);
  clock.after(30, note("c"));
  clock.after(10, () => {
    note("a")();
    clock.after(10, note("b"));
  });
  clock.after(20, note("never"))();
  clock.after(100, note("later"));
  clock.tick(50);
  deepStrictEqual(ran, ["a@1010", "b@1020", "c@1030"]);
  strictEqual(clock.now(), 1050);
});

test("systemClock.after() waits for delays that no timer can hold, rather than not at all", async () => {
  let ran = 0;
  const cancels = [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY].map((ms) =>
    systemClock.after(ms, () => ran++)
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const cancel of cancels) cancel();
  strictEqual(ran, 0);
});
