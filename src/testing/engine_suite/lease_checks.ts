/** Checks of leases, and of their end when a process closes its engine. */
import { type ContractCheck, withTwo } from "./bench.ts";
import { expectEqual, insertAll, newJob, Runs, stopAll } from "./fixture.ts";

/** Checks that a job is delivered to no process during its lease; what was scheduled is delivered after the release. */
export const LEASE_CHECKS: readonly ContractCheck[] = [
  withTwo("lease() delivers nothing, neither before nor after its release", async (one, other, { settle }) => {
    const job = newJob();
    await one.insert(job);
    const runs = new Runs();
    const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
    const release = await one.lease(job.id);
    await settle(other, runs);
    await release();
    await settle(other, runs);
    expectEqual(runs.count(job.id), 0, "number of runs");
    await stopAll(workers);
  }),

  withTwo("a job that was scheduled during its lease is delivered after the release", async (one, other, bench) => {
    const job = newJob();
    await one.insert(job);
    const runs = new Runs();
    const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
    const release = await one.lease(job.id);
    await one.schedule(job.id, 0);
    await release();
    await bench.wait("the job has run", () => runs.count(job.id) === 1);
    await release();
    await bench.settle(other, runs);
    expectEqual(runs.count(job.id), 1, "number of runs after a second release");
    await stopAll(workers);
  }),

  withTwo("lease() postpones what was scheduled before it", async (one, other, { wait, settle }) => {
    const job = newJob();
    await one.insert(job, 50);
    const release = await one.lease(job.id);
    const runs = new Runs();
    const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
    await settle(other, runs, 50);
    expectEqual(runs.count(job.id), 0, "number of runs during the lease");
    await release();
    await wait("the job has run", () => runs.count(job.id) === 1);
    await settle(other, runs);
    expectEqual(runs.count(job.id), 1, "number of runs");
    await stopAll(workers);
  }),

  withTwo("remove() ends a lease", async (one, other, { wait }) => {
    const job = newJob();
    await one.insert(job);
    const release = await one.lease(job.id);
    await other.remove(job.id);
    await release();
    expectEqual(await one.insert(job), true, "insert() of the same id");
    const runs = new Runs();
    const worker = other.work(runs.run, { concurrency: 1 });
    await one.schedule(job.id, 0);
    await wait("the new job has run", () => runs.count(job.id) === 1);
    await worker.stop();
  }),

  withTwo("lease() and work() keep a job for longer than the duration of a lease", async (one, other, bench) => {
    const [held, run] = [newJob(), newJob()];
    await insertAll(one, [held, run]);
    const gate = Promise.withResolvers<void>();
    const runs = new Runs((id) => (id === run.id ? gate.promise : undefined));
    const worker = one.work(runs.run, { concurrency: 1 });
    const release = await one.lease(held.id);
    await one.schedule(run.id, 0);
    await bench.wait("a job runs", () => runs.count(run.id) === 1);
    const others = new Runs();
    const another = other.work(others.run, { concurrency: 4 });
    await bench.pass(other, others, 2.5 * (bench.leaseMs ?? 0));
    expectEqual(runs.begun, [run.id], "jobs that ran");
    expectEqual(others.count(held.id) + others.count(run.id), 0, "jobs that ran elsewhere, too");
    await release();
    gate.resolve();
    await stopAll([worker, another]);
  }),
];

/** Checks that jobs outlive the process that closes its engine, unless they belong to it, and that `processId` states which. */
export const PROCESS_CHECKS: readonly ContractCheck[] = [
  {
    title: "processId is a string if only this process has the jobs",
    run({ engine, isShared }) {
      expectEqual(typeof engine.processId, isShared ? "undefined" : "string", "type of processId");
      expectEqual(engine.processId, engine.processId, "processId at the second reading");
      return Promise.resolve();
    },
  },

  {
    title: "close() leaves jobs and deliveries to other processes",
    async run({ engine, isShared, other, wait }) {
      // Jobs do not outlive this process, which only has to end.
      if (!isShared) return void await engine.schedule(newJob().id, 10);
      const next = await other();
      const jobs = [newJob(), newJob()] as const;
      await insertAll(engine, jobs);
      await engine.schedule(jobs[0].id, 0);
      await engine.schedule(jobs[1].id, 200);
      await engine.close();
      const runs = new Runs();
      const worker = next.work(runs.run, { concurrency: 1 });
      await wait("both jobs have run", () => jobs.every(({ id }) => runs.count(id) === 1));
      expectEqual((await next.get(jobs[0].id))?.version, 1, "version of a job");
      await worker.stop();
    },
  },

  {
    title: "close() during a run or a lease has the jobs delivered to other processes",
    needsLease: true,
    async run({ engine, other, wait }) {
      const [held, run] = [newJob(), newJob()];
      await insertAll(engine, [held, run]);
      const never = new Runs(() => new Promise(() => {}));
      engine.work(never.run, { concurrency: 1 });
      await engine.lease(held.id);
      await engine.schedule(run.id, 0);
      await wait("the job runs", () => never.count(run.id) === 1);
      await engine.close();
      const runs = new Runs();
      const worker = (await other()).work(runs.run, { concurrency: 4 });
      await wait("both jobs run elsewhere", () => runs.count(held.id) === 1 && runs.count(run.id) === 1);
      await worker.stop();
    },
  },
];
