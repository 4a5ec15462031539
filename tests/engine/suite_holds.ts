/** Tests of leases, and of their expiry when a process ends. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { describe } from "node:test";
import { insertAll, newJob, Runs, sleep, stopAll } from "./fixture.ts";
import type { EngineChecks } from "./suite_checks.ts";

/** A job stays with the process that holds its lease, and is delivered to another one after its end. */
export function checkHolds({ name, leaseMs, check, checkTwo, wait, settle }: EngineChecks): void {
  describe(`engine ${name}: holding`, () => {
    checkTwo("hold() tells no worker, neither before nor after it lets go", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const runs = new Runs();
      const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
      const letGo = await one.lease(job.id);
      await settle(other, runs);
      await letGo();
      await settle(other, runs);
      strictEqual(runs.count(job.id), 0);
      await stopAll(workers);
    });

    checkTwo("hold() lets go of a job that is then scheduled", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const runs = new Runs();
      const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
      const letGo = await one.lease(job.id);
      await one.schedule(job.id, 0);
      await letGo();
      await wait("it is run", () => runs.count(job.id) === 1);
      await letGo();
      await settle(other, runs);
      strictEqual(runs.count(job.id), 1);
      await stopAll(workers);
    });

    checkTwo("hold() puts off what was to come before it", async (one, other) => {
      const job = newJob();
      await one.insert(job, 50);
      const letGo = await one.lease(job.id);
      const runs = new Runs();
      const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
      await sleep(100);
      await settle(other, runs);
      strictEqual(runs.count(job.id), 0);
      await letGo();
      await wait("it is run", () => runs.count(job.id) === 1);
      await settle(other, runs);
      strictEqual(runs.count(job.id), 1);
      await stopAll(workers);
    });

    checkTwo("remove() ends a hold", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const letGo = await one.lease(job.id);
      await other.remove(job.id);
      await letGo();
      strictEqual(await one.insert(job), true);
      const runs = new Runs();
      const worker = other.work(runs.run, { concurrency: 1 });
      await one.schedule(job.id, 0);
      await wait("the new one is run", () => runs.count(job.id) === 1);
      await worker.stop();
    });

    checkTwo("hold() and work() keep a job for longer than a lease", async (one, other) => {
      const [held, run] = [newJob(), newJob()];
      await insertAll(one, [held, run]);
      const gate = Promise.withResolvers<void>();
      const runs = new Runs((id) => (id === run.id ? gate.promise : undefined));
      const worker = one.work(runs.run, { concurrency: 1 });
      const letGo = await one.lease(held.id);
      await one.schedule(run.id, 0);
      await wait("one is run", () => runs.count(run.id) === 1);
      const others = new Runs();
      const another = other.work(others.run, { concurrency: 4 });
      await sleep(2.5 * (leaseMs ?? 0));
      deepStrictEqual([...others.begun, ...runs.begun], [run.id]);
      await letGo();
      gate.resolve();
      await stopAll([worker, another]);
    });
  });

  describe(`engine ${name}: processes`, () => {
    check("instance names the process where only one knows the jobs", async ({ engine, reopen }) => {
      strictEqual(typeof engine.processId, reopen === undefined ? "string" : "undefined");
      strictEqual(engine.processId, engine.processId);
      await Promise.resolve();
    });

    check("close() leaves jobs and deliveries to other processes", async ({ engine, reopen }) => {
      const other = await reopen?.();
      if (other === undefined) {
        // Jobs do not outlive this process, which only has to end.
        await engine.schedule(newJob().id, 10);
        return;
      }
      const jobs = [newJob(), newJob()] as const;
      await insertAll(engine, jobs);
      await engine.schedule(jobs[0].id, 0);
      await engine.schedule(jobs[1].id, 200);
      await engine.close();
      const runs = new Runs();
      const worker = other.work(runs.run, { concurrency: 1 });
      await wait("both are run", () => jobs.every(({ id }) => runs.count(id) === 1));
      strictEqual((await other.get(jobs[0].id))?.version, 1);
      await worker.stop();
    });

    check(
      "close() in the middle of a run or a hold has others told",
      async ({ engine, reopen }) => {
        const [held, run] = [newJob(), newJob()];
        await insertAll(engine, [held, run]);
        const never = new Runs(() => new Promise(() => {}));
        engine.work(never.run, { concurrency: 1 });
        await engine.lease(held.id);
        await engine.schedule(run.id, 0);
        await wait("it is run", () => never.count(run.id) === 1);
        await engine.close();
        const runs = new Runs();
        const worker = (await reopen?.())?.work(runs.run, { concurrency: 4 });
        await wait("both are run elsewhere", () => runs.count(held.id) === 1 && runs.count(run.id) === 1);
        await worker?.stop();
      },
      leaseMs === undefined ? "only one process knows its jobs" : undefined,
    );
  });
}
