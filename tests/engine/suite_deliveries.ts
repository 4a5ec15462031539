/** Tests of deliveries: which worker runs which job, and when. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { describe } from "node:test";
import { changed, insertAll, newJob, Runs, sleep, stopAll } from "./fixture.ts";
import type { EngineChecks } from "./suite_checks.ts";

/** Due jobs are delivered at least once, to one worker at a time, within its concurrency. */
export function checkDeliveries({ name, check, checkTwo, wait, settle }: EngineChecks): void {
  describe(`engine ${name}: deliveries`, () => {
    checkTwo("schedule() has a worker told to run the job, whichever process it is in", async (one, other) => {
      const jobs = [newJob(), newJob()] as const;
      await insertAll(one, jobs);
      const runs = new Runs();
      const worker = one.work(runs.run, { concurrency: 4 });
      await one.schedule(jobs[0].id, 0);
      await other.schedule(jobs[1].id, 0);
      await wait("both are run", () => jobs.every(({ id }) => runs.count(id) > 0));
      await settle(other, runs);
      strictEqual(runs.begun.length, 3);
      await worker.stop();
    });

    check("insert() and replace() schedule nothing", async ({ engine }) => {
      const job = newJob();
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      await engine.insert(job);
      await engine.replace(changed(job, {}), 1);
      await settle(engine, runs);
      strictEqual(runs.count(job.id), 0);
      await worker.stop();
    });

    check("schedule() waits for its delay, and lets others pass", async ({ engine }) => {
      const [late, soon] = [newJob(), newJob()];
      await insertAll(engine, [late, soon]);
      let ranMs = 0;
      const runs = new Runs((id) => {
        if (id === late.id) ranMs = performance.now();
      });
      const worker = engine.work(runs.run, { concurrency: 1 });
      const startMs = performance.now();
      await engine.schedule(late.id, 700);
      await engine.schedule(soon.id, 0);
      await wait("both are run", () => runs.count(late.id) > 0 && runs.count(soon.id) > 0);
      strictEqual(runs.begun[0], soon.id);
      // By another clock, a timer may be a little early.
      ok(ranMs - startMs > 680, `It was run after ${ranMs - startMs} ms`);
      await worker.stop();
    });

    check("schedule() twice has the job run for the earlier, too", async ({ engine }) => {
      const job = newJob();
      await engine.insert(job);
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      await engine.schedule(job.id, 300_000);
      await engine.schedule(job.id, 0);
      await wait("it is run", () => runs.count(job.id) > 0);
      await worker.stop();
    });

    checkTwo("work() is told of what was scheduled before it began", async (one, other) => {
      const jobs = [newJob(), newJob(), newJob()];
      await insertAll(one, jobs);
      for (const { id } of jobs) await one.schedule(id, 0);
      await sleep(50);
      const runs = new Runs();
      const worker = other.work(runs.run, { concurrency: 2 });
      await wait("all are run", () => jobs.every(({ id }) => runs.count(id) === 1));
      await worker.stop();
    });

    check("work() runs as many as it may at once, and no more", async ({ engine }) => {
      const jobs = Array.from({ length: 9 }, () => newJob());
      await insertAll(engine, jobs);
      const gate = Promise.withResolvers<void>();
      const runs = new Runs(() => gate.promise);
      const worker = engine.work(runs.run, { concurrency: 3 });
      for (const { id } of jobs) await engine.schedule(id, 0);
      await wait("three are run", () => runs.active === 3);
      await sleep(300);
      strictEqual(runs.begun.length, 3);
      gate.resolve();
      await wait("all are run", () => runs.begun.length === 9 && runs.active === 0);
      strictEqual(runs.most, 3);
      await worker.stop();
    });

    checkTwo("work() tells nobody of a job that is being run", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const gate = Promise.withResolvers<void>();
      const runs = new Runs((id) => (id === job.id ? gate.promise : undefined));
      const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 4 }));
      await one.schedule(job.id, 0);
      await wait("it is run", () => runs.count(job.id) === 1);
      await other.schedule(job.id, 0);
      await sleep(300);
      strictEqual(runs.count(job.id), 1, "a run has to end before the next");
      gate.resolve();
      await wait("it is run again", () => runs.count(job.id) === 2);
      await stopAll(workers);
    });

    for (const delayMs of [0, 200]) {
      check(`schedule() from inside of a run has it run again (${delayMs} ms)`, async ({ engine }) => {
        const job = newJob();
        await engine.insert(job);
        const runs = new Runs(async (id) => {
          if (runs.count(id) < 3) await engine.schedule(id, delayMs);
        });
        const worker = engine.work(runs.run, { concurrency: 2 });
        await engine.schedule(job.id, 0);
        await wait("it is run three times", () => runs.count(job.id) === 3);
        // As long as a superfluous delivery would need.
        await sleep(delayMs + 200);
        strictEqual(runs.most, 1, "one at a time");
        strictEqual(runs.begun.length, 3);
        await worker.stop();
      });
    }

    checkTwo("work() runs each of 200 jobs once, over two workers", async (one, other) => {
      const jobs = Array.from({ length: 200 }, () => newJob());
      await insertAll(one, jobs);
      const runs = new Runs(() => sleep(1));
      const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 5 }));
      await Promise.all(jobs.map(({ id }, n) => (n % 2 === 0 ? one : other).schedule(id, n % 10)));
      await wait("all are run", () => new Set(runs.begun).size === 200 && runs.active === 0);
      await stopAll(workers);
      strictEqual(runs.begun.length, 200);
    });

    check("stop() waits for runs under way, and takes no more", async ({ engine }) => {
      const [first, second] = [newJob(), newJob()];
      await insertAll(engine, [first, second]);
      const gate = Promise.withResolvers<void>();
      const runs = new Runs(() => gate.promise);
      const worker = engine.work(runs.run, { concurrency: 1 });
      await engine.schedule(first.id, 0);
      await wait("the first is run", () => runs.active === 1);
      await engine.schedule(second.id, 0);
      let hasStopped = false;
      const stopping = worker.stop().then(() => {
        hasStopped = true;
      });
      await sleep(100);
      strictEqual(hasStopped, false);
      gate.resolve();
      await stopping;
      strictEqual(runs.active, 0);
      deepStrictEqual(runs.begun, [first.id]);
      const later = new Runs();
      const next = engine.work(later.run, { concurrency: 1 });
      await wait("another worker runs the second", () => later.count(second.id) === 1);
      await settle(engine, later);
      strictEqual(later.count(first.id), 0, "what was run to its end is not run again");
      await next.stop();
    });

    check("remove() takes back deliveries", async ({ engine }) => {
      const [due, later] = [newJob(), newJob()];
      await insertAll(engine, [due, later]);
      await engine.schedule(due.id, 0);
      await engine.schedule(later.id, 200);
      await engine.remove(due.id);
      await engine.remove(later.id);
      // The same ids again: deliveries of the old jobs must not run the new ones.
      await insertAll(engine, [due, later]);
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 2 });
      await sleep(400);
      await settle(engine, runs);
      strictEqual(runs.begun.length, 1);
      await worker.stop();
    });

    check("schedule() of a job that is not there does nothing", async ({ engine }) => {
      await engine.schedule(newJob().id, 0);
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      await settle(engine, runs);
      strictEqual(runs.active, 0);
      await worker.stop();
    });
  });
}
