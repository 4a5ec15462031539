import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../src/internal/time.ts";
import { type Deadline, Deadlines } from "../../src/internal/deadlines.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";

/** A clock that counts the timers it has armed. */
class CountingClock extends FakeClock {
  armed = 0;
  pending = 0;

  override after(delayMs: number, callback: () => void): () => void {
    this.armed++;
    this.pending++;
    return super.after(delayMs, () => {
      this.pending--;
      callback();
    });
  }
}

test("Deadlines expire on time, in order of expiry, once", () => {
  const clock = new FakeClock(0);
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  const add = (ms: number, name: string) => deadlines.add(ms, () => expired.push(`${name}@${clock.now()}`));
  add(1000, "a");
  add(500, "b");
  clock.tick(100);
  add(1000, "c");
  clock.tick(399);
  deepStrictEqual(expired, []);
  clock.tick(1);
  deepStrictEqual(expired, ["b@500"]);
  clock.tick(10_000);
  deepStrictEqual(expired, ["b@500", "a@1000", "c@1100"]);
});

test("a deadline that is added late counts from its start, though a later one has the timer", () => {
  const clock = new FakeClock(0);
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  clock.tick(90);
  deadlines.add(100, () => expired.push(`second@${clock.now()}`));
  deadlines.add(100, () => expired.push(`first@${clock.now()}`), 0);
  deadlines.add(100, () => expired.push(`past@${clock.now()}`), -50);
  clock.tick(200);
  deepStrictEqual(expired, ["past@90", "first@100", "second@190"]);
});

test("deadlines that have all passed set one timer", () => {
  const clock = new CountingClock(0);
  const deadlines = new Deadlines(clock);
  clock.tick(1_000);
  for (let index = 0; index < 100; index++) deadlines.add(100, () => {}, index);
  strictEqual(clock.armed, 1);
});

test("deadlines of thousands of durations share a timer, and expire on time", () => {
  const clock = new CountingClock(0);
  const deadlines = new Deadlines(clock);
  const late: number[] = [];
  for (let ms = 5_000; ms > 0; ms--) deadlines.add(30_000 + ms / 8, () => late.push(clock.now() - 30_000 - ms / 8));
  const cleared = Array.from({ length: 5_000 }, (_, ms) => deadlines.add(40_000 + ms / 8, () => late.push(NaN)));
  clock.armed = 0;
  clock.tick(3_000);
  ok(clock.armed <= 13, `${clock.armed} timers in 3 s`);
  strictEqual(clock.pending, 1);
  for (const deadline of cleared) deadline.clear();
  clock.tick(30_000);
  strictEqual(late.length, 5_000);
  ok(late.every((ms) => ms === 0), "each on time");
  clock.tick(250);
  strictEqual(clock.pending, 0);
});

test("durations whose deadlines were all cleared fire no timer, while another deadline is pending", () => {
  const clock = new CountingClock(0);
  const deadlines = new Deadlines(clock);
  const last = deadlines.add(60_000, () => {});
  for (let ms = 0; ms < 5_000; ms++) deadlines.add(10_000 + ms, () => {}).clear();
  clock.tick(9_000);
  clock.armed = 0;
  clock.tick(10_000);
  ok(clock.armed <= 41, `${clock.armed} timers in 10 s`);
  last.clear();
  clock.tick(250);
  strictEqual(clock.pending, 0);
});

test("a deadline that never comes sets no timer that fires at once", () => {
  const clock = new CountingClock(0);
  const deadlines = new Deadlines(clock);
  let expired = 0;
  deadlines.add(Infinity, () => expired++);
  clock.tick(1_000);
  ok(clock.armed <= 5, `${clock.armed} timers in 1 s`);
  deadlines.expireAll();
  strictEqual(expired, 1);
});

test("Deadline.clear() takes it back, twice over, and after it has passed", () => {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  const [a, b, c] = ["a", "b", "c"].map((name) => deadlines.add(100, () => expired.push(name))) as [
    Deadline,
    Deadline,
    Deadline,
  ];
  b.clear();
  b.clear();
  clock.tick(100);
  deepStrictEqual(expired, ["a", "c"]);
  a.clear();
  c.renew();
  b.renew();
  clock.tick(1000);
  deepStrictEqual(expired, ["a", "c"]);
});

test("Deadline.renew() starts the duration anew, and lets the others of its lane pass", () => {
  const clock = new FakeClock(0);
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  const [a] = ["a", "b"].map((name) => deadlines.add(100, () => expired.push(`${name}@${clock.now()}`)));
  clock.tick(60);
  a?.renew();
  clock.tick(60);
  deepStrictEqual(expired, ["b@100"]);
  clock.tick(39);
  deepStrictEqual(expired, ["b@100"]);
  clock.tick(1);
  deepStrictEqual(expired, ["b@100", "a@160"]);
});

test("Deadlines.expireAll() expires all of them at once, each once, and leaves no timer behind", () => {
  const clock = new CountingClock();
  const deadlines = new Deadlines(clock);
  const expired: number[] = [];
  for (const ms of [100, 100, 2000, 30_000]) deadlines.add(ms, () => expired.push(ms));
  deadlines.expireAll();
  deepStrictEqual(expired.toSorted((a, b) => a - b), [100, 100, 2000, 30_000]);
  clock.tick(60_000);
  strictEqual(expired.length, 4);
  strictEqual(clock.pending, 0);
});

test("Deadlines arm one timer for many, and none 250 ms after the last has gone", () => {
  const clock = new CountingClock();
  const deadlines = new Deadlines(clock);
  for (let index = 0; index < 1000; index++) deadlines.add(30_000, () => {}).clear();
  strictEqual(clock.armed, 1);
  clock.tick(250);
  strictEqual(clock.pending, 0);
});

test("Deadlines can be added and cleared while others expire", () => {
  const clock = new FakeClock(0);
  const deadlines = new Deadlines(clock);
  const expired: string[] = [];
  deadlines.add(100, () => {
    expired.push("a");
    b.clear();
    deadlines.add(100, () => expired.push(`c@${clock.now()}`));
  });
  const b = deadlines.add(100, () => expired.push("b"));
  clock.tick(1000);
  deepStrictEqual(expired, ["a", "c@200"]);
});

test("Deadlines agree with one timer for each, whatever happens", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), ms: fc.constantFrom(10, 300, 1000) }),
    fc.record({ kind: fc.constantFrom("clear" as const, "renew" as const), index: fc.nat({ max: 20 }) }),
    fc.record({ kind: fc.constant("tick" as const), ms: fc.nat({ max: 600 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const clock = new FakeClock(0);
      const deadlines = new Deadlines(clock);
      const made: { deadline: Deadline; ms: number; dueMs: number | undefined; expiredAt: number | undefined }[] = [];
      for (const one of [...steps, { kind: "tick" as const, ms: 5000 }]) {
        if (one.kind === "add") {
          const entry = { ms: one.ms, dueMs: clock.now() + one.ms, expiredAt: undefined as number | undefined };
          const deadline = deadlines.add(one.ms, () => (entry.expiredAt = clock.now()));
          made.push(Object.assign(entry, { deadline }));
        } else if (one.kind === "tick") clock.tick(one.ms);
        else {
          const entry = made[one.index];
          if (entry === undefined) continue;
          entry.deadline[one.kind]();
          if (entry.expiredAt !== undefined || entry.dueMs === undefined) continue;
          entry.dueMs = one.kind === "clear" ? undefined : clock.now() + entry.ms;
        }
      }
      deepStrictEqual(made.map((entry) => entry.expiredAt), made.map((entry) => entry.dueMs));
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("systemClock runs a callback later, and not when it was cancelled", async () => {
  const startedMs = systemClock.now();
  const ran: string[] = [];
  const cancel = systemClock.after(1, () => ran.push("cancelled"));
  await new Promise<void>((resolve) => {
    systemClock.after(5, resolve);
    cancel();
  });
  deepStrictEqual(ran, []);
  ok(systemClock.now() >= startedMs);
});
