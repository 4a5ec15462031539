import { deepStrictEqual, doesNotThrow, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../../../src/core/dispatch/engine.ts";
import { memoryEngine } from "../../../src/jobs/engines/memory/memory_engine.ts";
import { type Clock, MAX_TIMER_MS } from "../../../src/internal/time.ts";
import { FakeClock } from "../../../src/testing/fake_clock.ts";
import { changed, newJob, Runs, sleep, testEngine } from "./fixture.ts";

testEngine("memory", () => {
  const engine = memoryEngine();
  return Promise.resolve({ engine, close: () => Promise.resolve(engine.close()) });
});

test("memoryEngine() refuses a job too many, until one expires or is removed", () => {
  const clock = new FakeClock();
  const engine = memoryEngine({ maxJobs: 2, clock });
  const [first, second, third] = [10_000, 20_000, 30_000].map((ttlMs) => newJob({ expiresAtMs: clock.now() + ttlMs }));
  const expected = { code: "unavailable", details: { retry_after_ms: 10_000 } };
  engine.insert(first!);
  engine.insert(second!);
  throws(() => engine.insert(third!), expected);
  strictEqual(engine.insert(first!), false, "a repeat is none too many");
  engine.remove(second!.id);
  strictEqual(engine.insert(third!), true);
  throws(() => engine.insert(second!), expected);
  clock.tick(10_000);
  doesNotThrow(() => engine.insert(second!));
});

test("memoryEngine() evicts the job that expires first, wherever it is in the list", () => {
  const clock = new FakeClock();
  const engine = memoryEngine({ maxJobs: 3, clock });
  const ttls = [50_000, 10_000, 40_000];
  for (const ttlMs of ttls) engine.insert(newJob({ expiresAtMs: clock.now() + ttlMs }));
  clock.tick(10_000);
  strictEqual(engine.insert(newJob({ expiresAtMs: clock.now() + 1 })), true);
});

test("memoryEngine() refuses a job while it keeps as many characters as it may, until there are fewer", () => {
  const clock = new FakeClock();
  const long = (ttlMs: number, chars = 1_000) => newJob({ args: "x".repeat(chars), expiresAtMs: clock.now() + ttlMs });
  const engine = memoryEngine({ maxChars: 1_000, clock });
  const [first, second, third] = [long(10_000), long(20_000), long(30_000)];
  const refuses = (job: Job) => {
    throws(() => engine.insert(job), { code: "unavailable", details: { retry_after_ms: 10_000 } });
    strictEqual(engine.get(job.id), undefined);
  };
  strictEqual(engine.insert(first), true, "there is room: how much it takes is not asked");
  refuses(second);
  strictEqual(engine.insert(first), false, "a repeat is none too many");
  // A finished job is small.
  strictEqual(engine.replace(changed(first, { args: null }), 1), true);
  strictEqual(engine.insert(second), true);
  refuses(third);
  engine.remove(second.id);
  strictEqual(engine.insert(third), true);
  refuses(second);
  clock.tick(30_000);
  strictEqual(engine.insert(long(10_000)), true, "what has expired takes no room");
});

test("memoryEngine() counts what a job has become", () => {
  const engine = memoryEngine({ maxChars: 10_000 });
  const job = newJob();
  const larger = changed(job, { args: "x".repeat(10_000) });
  engine.insert(job);
  engine.replace(larger, 1);
  throws(() => engine.insert(newJob()), { code: "unavailable" });
  strictEqual(engine.replace(changed(larger, { args: "y".repeat(20_000) }), 2), true, "what is kept may grow");
});

test("memoryEngine() delivers by its clock, and cancels with a removed job", async () => {
  const clock = new FakeClock();
  const engine = memoryEngine({ clock });
  const [kept, removed, expired] = [60_000, 60_000, 4_000].map((ttlMs) => newJob({ expiresAtMs: clock.now() + ttlMs }));
  const runs = new Runs();
  const worker = engine.work(runs.run, { concurrency: 5 });
  for (const job of [kept!, removed!, expired!]) {
    engine.insert(job);
    engine.schedule(job.id, 5_000);
  }
  engine.remove(removed!.id);
  clock.tick(4_999);
  await sleep(0);
  deepStrictEqual(runs.begun, []);
  clock.tick(1);
  await sleep(0);
  deepStrictEqual(runs.begun, [kept!.id]);
  await worker.stop();
});

test("memoryEngine() keeps nothing of what has been replaced by one that has expired", () => {
  const timers = new Set<() => void>();
  const clock = {
    now: () => 1_000,
    elapsed: () => 1_000,
    after(_: number, callback: () => void) {
      timers.add(callback);
      return () => void timers.delete(callback);
    },
  };
  const engine = memoryEngine({ clock });
  const job = newJob({ expiresAtMs: 60_000 });
  for (let n = 0; n < 2; n++) {
    strictEqual(engine.insert(job, 5_000), true);
    strictEqual(timers.size, 1);
    engine.replace(changed(job, { expiresAtMs: 0 }), 1);
    strictEqual(timers.size, 0, "nothing of it is still to come");
  }
});

test("memoryEngine() is another process' engine each time", () => {
  const [one, other] = [memoryEngine(), memoryEngine()];
  ok(one.processId !== other.processId);
  const job = newJob();
  one.insert(job);
  strictEqual(other.get(job.id), undefined);
});

test("memoryEngine() tells one that subscribes twice twice, and of a removal", () => {
  const engine = memoryEngine();
  const job = newJob();
  engine.insert(job);
  let reported = 0;
  const onChange = (): void => void reported++;
  const endings = [engine.subscribe(job.id, onChange), engine.subscribe(job.id, onChange)];
  engine.replace(changed(job, {}), 1);
  strictEqual(reported, 2);
  endings[0]?.();
  endings[0]?.();
  engine.remove(job.id);
  strictEqual(reported, 3);
  endings[1]?.();
});

test("memoryEngine() does not look through all jobs for each that it refuses", () => {
  let nowMs = 0;
  let looks = 0;
  const clock = {
    now: () => (looks++, nowMs),
    elapsed: () => nowMs,
    after: () => () => {},
  };
  const engine = memoryEngine({ maxJobs: 1_000, clock });
  for (let index = 0; index < 1_000; index++) engine.insert(newJob({ expiresAtMs: 20_000 - index }));
  const refuse = (): void => throws(() => engine.insert(newJob({ expiresAtMs: 30_000 })), { code: "unavailable" });
  refuse();
  looks = 0;
  for (let time = 0; time < 100; time++) refuse();
  ok(looks < 1_000, `${looks} looks at the clock`);
  nowMs = 20_000 - 999;
  doesNotThrow(() => engine.insert(newJob({ expiresAtMs: 30_000 })), "the last one has expired");
  refuse();
});

const of = (id: string, changes: Partial<Job> = {}): Job => newJob({ principal: { id }, ...changes });

test("memoryEngine() evicts finished jobs of the caller with the most when it is full, the oldest first", () => {
  const engine = memoryEngine({ maxJobs: 100 });
  const finished = Array.from({ length: 50 }, () => of("greedy", { state: "done" }));
  const waiting = Array.from({ length: 50 }, (_, at) => of(`modest ${at}`, { state: at < 10 ? "done" : "running" }));
  for (const job of [...finished, ...waiting]) strictEqual(engine.insert(job), true);
  for (let at = 0; at < 20; at++) strictEqual(engine.insert(of(`new ${at}`)), true);
  strictEqual(engine.get(finished[0]!.id), undefined);
  ok(engine.get(finished[49]!.id) !== undefined, "only as many as needed, with some room");
  for (const { id } of waiting) ok(engine.get(id) !== undefined, "results of other callers stay");
});

test("memoryEngine() gives one caller at most half of its room", () => {
  const clock = new FakeClock();
  const engine = memoryEngine({ maxJobs: 100, clock });
  for (let at = 0; at < 50; at++) engine.insert(of("greedy", { expiresAtMs: clock.now() + 60_000 + at }));
  const expected = { code: "unavailable", details: { retry_after_ms: 60_000 } };
  throws(() => engine.insert(of("greedy", { expiresAtMs: clock.now() + 60_000 })), expected);
  for (let at = 0; at < 50; at++) strictEqual(engine.insert(of(`other ${at}`)), true);
  clock.tick(60_000);
  strictEqual(engine.insert(of("greedy", { expiresAtMs: clock.now() + 60_000 })), true);
});

test("memoryEngine() keeps the newest finished jobs of a caller that repeats itself", () => {
  const engine = memoryEngine({ maxJobs: 100 });
  const jobs = Array.from({ length: 1_000 }, () => of("greedy", { state: "done" }));
  for (const job of jobs) strictEqual(engine.insert(job), true);
  strictEqual(engine.get(jobs[0]!.id), undefined);
  ok(engine.get(jobs[999]!.id) !== undefined);
  for (let at = 0; at < 50; at++) strictEqual(engine.insert(of(`other ${at}`)), true);
});

test("memoryEngine() evicts results of other callers while calls wait for those of the caller with the most", () => {
  const engine = memoryEngine({ maxJobs: 10 });
  const awaited = Array.from({ length: 5 }, () => of("greedy", { state: "done" }));
  const others = Array.from({ length: 5 }, (_, at) => of(`modest ${at}`, { state: "done" }));
  for (const job of [...awaited, ...others]) engine.insert(job);
  for (const { id } of awaited) engine.lease(id);
  strictEqual(engine.insert(of("new")), true);
  for (const { id } of awaited) ok(engine.get(id) !== undefined);
});

test("memoryEngine() delivers after thirty days, and not when its longest timer ends", async () => {
  const clock = new FakeClock();
  // As timers of runtimes do: a longer one ends after 24.8 days.
  const capped: Clock = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    after: (delayMs, callback) => clock.after(Math.min(delayMs, MAX_TIMER_MS), callback),
  };
  const engine = memoryEngine({ clock: capped });
  const day = 86_400_000;
  const job = newJob({ expiresAtMs: clock.now() + 40 * day });
  await engine.insert(job, 30 * day);
  const runs = new Runs();
  engine.work(runs.run, { concurrency: 1 });
  clock.tick(30 * day - 1);
  await sleep(5);
  strictEqual(runs.count(job.id), 0);
  clock.tick(1);
  await sleep(5);
  strictEqual(runs.count(job.id), 1);
});

test("memoryEngine() has one timer for all of its deliveries", async () => {
  const clock = new FakeClock();
  let timers = 0;
  const counting: Clock = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    after(delayMs, callback) {
      timers++;
      const cancel = clock.after(delayMs, () => (timers--, callback()));
      return () => (timers--, cancel());
    },
  };
  const engine = memoryEngine({ clock: counting });
  const jobs = Array.from({ length: 500 }, () => newJob({ expiresAtMs: clock.now() + 600_000 }));
  for (const [n, { id }] of jobs.entries()) {
    await engine.insert(jobs[n]!);
    await engine.schedule(id, 1 + (n * 7_919) % 10_000);
  }
  strictEqual(timers, 1);
  const runs = new Runs();
  engine.work(runs.run, { concurrency: 1_000 });
  await engine.remove(jobs[7]!.id);
  for (let ms = 0; ms < 100; ms++) {
    clock.tick(100);
    await sleep(0);
  }
  strictEqual(new Set(runs.begun).size, 499);
  strictEqual(runs.begun.length, 499);
  strictEqual(timers, 0);
});
