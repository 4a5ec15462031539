/** Checks of deliveries: which worker runs which job, and when. */
import { type ContractCheck, withTwo } from "./bench.ts";
import { changed, expect, expectEqual, insertAll, newJob, pause, Runs, stopAll } from "./fixture.ts";

/** Checks that due jobs are delivered at least once, to one worker at a time, and within its concurrency. */
export const DELIVERY_CHECKS: readonly ContractCheck[] = [
  withTwo("schedule() in any process delivers the job to a worker", async (one, other, { wait, settle }) => {
    const jobs = [newJob(), newJob()] as const;
    await insertAll(one, jobs);
    const runs = new Runs();
    const worker = one.work(runs.run, { concurrency: 4 });
    await one.schedule(jobs[0].id, 0);
    await other.schedule(jobs[1].id, 0);
    await wait("both jobs have run", () => jobs.every(({ id }) => runs.count(id) > 0));
    await settle(other, runs);
    expectEqual(runs.begun.length, 3, "number of runs");
    await worker.stop();
  }),

  {
    title: "insert() without a delay and replace() schedule nothing",
    async run({ engine, settle }) {
      const job = newJob();
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      await engine.insert(job);
      await engine.replace(changed(job, {}), 1);
      await settle(engine, runs);
      expectEqual(runs.count(job.id), 0, "number of runs");
      await worker.stop();
    },
  },

  {
    title: "insert() with a delay schedules the job, unless its id exists",
    async run({ engine, wait, settle }) {
      const [job, existing] = [newJob(), newJob()];
      await engine.insert(existing);
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      expectEqual(await engine.insert(existing, 0), false, "insert() of an id that exists");
      expectEqual(await engine.insert(job, 0), true, "insert() of a new job");
      await wait("the new job has run", () => runs.count(job.id) > 0);
      await settle(engine, runs);
      expectEqual(runs.count(existing.id), 0, "number of runs of the existing job");
      await worker.stop();
    },
  },

  {
    title: "schedule() waits for its delay, while later jobs run",
    async run({ engine, wait }) {
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
      await wait("both jobs have run", () => runs.count(late.id) > 0 && runs.count(soon.id) > 0);
      expectEqual(runs.begun[0], soon.id, "the first job");
      // By another clock, a timer may be a little early.
      expect(ranMs - startMs > 680, `The job with a delay of 700 ms ran after ${ranMs - startMs} ms`);
      await worker.stop();
    },
  },

  {
    title: "schedule() twice delivers at the earlier time, too",
    async run({ engine, wait }) {
      const job = newJob();
      await engine.insert(job);
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      await engine.schedule(job.id, 300_000);
      await engine.schedule(job.id, 0);
      await wait("the job has run", () => runs.count(job.id) > 0);
      await worker.stop();
    },
  },

  withTwo("work() delivers what was scheduled before it began", async (one, other, { wait }) => {
    const jobs = [newJob(), newJob(), newJob()];
    await insertAll(one, jobs);
    for (const { id } of jobs) await one.schedule(id, 0);
    const runs = new Runs();
    const worker = other.work(runs.run, { concurrency: 2 });
    await wait("all jobs have run", () => jobs.every(({ id }) => runs.count(id) === 1));
    await worker.stop();
  }),

  {
    title: "work() runs as many jobs at once as its concurrency, and no more",
    async run({ engine, wait }) {
      const jobs = Array.from({ length: 9 }, () => newJob());
      await insertAll(engine, jobs);
      const gates = jobs.map(() => Promise.withResolvers<void>());
      const runs: Runs = new Runs(() => gates[runs.begun.length - 1]?.promise);
      const worker = engine.work(runs.run, { concurrency: 3 });
      for (const { id } of jobs) await engine.schedule(id, 0);
      // One run ends at a time, and the next job is awaited in its place.
      for (const [ended, gate] of gates.entries()) {
        await wait("three jobs run", () => runs.begun.length >= Math.min(ended + 3, jobs.length));
        gate.resolve();
      }
      await wait("all jobs have run", () => runs.begun.length === 9 && runs.active === 0);
      expectEqual(runs.most, 3, "largest number of runs at once");
      await worker.stop();
    },
  },

  withTwo("work() delivers no job while it runs", async (one, other, { wait, pass }) => {
    const job = newJob();
    await one.insert(job);
    const gate = Promise.withResolvers<void>();
    const runs = new Runs((id) => (id === job.id ? gate.promise : undefined));
    const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 4 }));
    await one.schedule(job.id, 0);
    await wait("the job runs", () => runs.count(job.id) === 1);
    await other.schedule(job.id, 0);
    await pass(other, runs);
    expectEqual(runs.count(job.id), 1, "number of runs while the first lasts");
    gate.resolve();
    await wait("the job runs again", () => runs.count(job.id) === 2);
    await stopAll(workers);
  }),

  ...[0, 200].map((delayMs): ContractCheck => ({
    title: `schedule() within a run delivers the job again (${delayMs} ms)`,
    async run({ engine, wait, settle }) {
      const job = newJob();
      await engine.insert(job);
      const runs = new Runs(async (id) => {
        if (id === job.id && runs.count(id) < 3) await engine.schedule(id, delayMs);
      });
      const worker = engine.work(runs.run, { concurrency: 2 });
      await engine.schedule(job.id, 0);
      await wait("the job has run three times", () => runs.count(job.id) === 3);
      expectEqual(runs.most, 1, "largest number of runs at once");
      // A superfluous delivery would be due before it.
      await settle(engine, runs, delayMs);
      expectEqual(runs.count(job.id), 3, "number of runs");
      await worker.stop();
    },
  })),

  withTwo("work() of two workers runs each of 200 jobs once", async (one, other, { wait }) => {
    const jobs = Array.from({ length: 200 }, () => newJob());
    await insertAll(one, jobs);
    const runs = new Runs(() => pause(1));
    const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 5 }));
    await Promise.all(jobs.map(({ id }, n) => (n % 2 === 0 ? one : other).schedule(id, n % 10)));
    await wait("all jobs have run", () => new Set(runs.begun).size === 200 && runs.active === 0);
    await stopAll(workers);
    expectEqual(runs.begun.length, 200, "number of runs");
  }),

  {
    title: "stop() waits for running jobs, and takes no more",
    async run({ engine, wait, settle }) {
      const [first, second] = [newJob(), newJob()];
      await insertAll(engine, [first, second]);
      const gate = Promise.withResolvers<void>();
      const runs = new Runs(() => gate.promise);
      const worker = engine.work(runs.run, { concurrency: 1 });
      await engine.schedule(first.id, 0);
      await wait("the first job runs", () => runs.active === 1);
      await engine.schedule(second.id, 0);
      let hasStopped = false;
      const stopping = worker.stop().then(() => {
        hasStopped = true;
      });
      const later = new Runs();
      const next = engine.work(later.run, { concurrency: 1 });
      await wait("another worker runs the second job", () => later.count(second.id) === 1);
      expectEqual(hasStopped, false, "stop() has resolved while a job runs");
      gate.resolve();
      await stopping;
      expectEqual(runs.active, 0, "number of running jobs after stop()");
      expectEqual(runs.begun, [first.id], "jobs of the stopped worker");
      await settle(engine, later);
      expectEqual(later.count(first.id), 0, "further runs of the first job, which has run to its end");
      await next.stop();
    },
  },

  {
    title: "remove() cancels deliveries",
    async run({ engine, settle }) {
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
      await settle(engine, runs, 200);
      expectEqual(runs.begun.length, 1, "number of runs");
      await worker.stop();
    },
  },

  {
    title: "schedule() of a missing job does nothing",
    async run({ engine, settle }) {
      await engine.schedule(newJob().id, 0);
      const runs = new Runs();
      const worker = engine.work(runs.run, { concurrency: 1 });
      await settle(engine, runs);
      expectEqual(runs.begun.length, 1, "number of runs");
      await worker.stop();
    },
  },
];
