/**
 * What every engine has to do: the contract of `src/engine/engine.ts`, as tests.
 *
 * Knows no runtime and no engine; each engine's own test file opens it. Nothing here is timed tightly: a test waits for what
 * has to happen, and where something must *not* happen, it waits for a later job to come through first.
 *
 * @module
 */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import type { Engine, EngineWorker, Job } from "../../src/engine/engine.ts";

/** An engine to try, with what belongs to it. */
export interface OpenedEngine {
  /** The engine: a store of its own, empty. */
  readonly engine: Engine;
  /** Another process' view of the same store. Left out where only one process knows the jobs. */
  reopen?(): Promise<Engine>;
  /** Closes all that was opened, and deletes the store. */
  close(): Promise<void>;
}

/** Options of {@link engineSuite}. */
export interface EngineSuiteOptions {
  /** How long to wait for what has to happen, in milliseconds. Default: 20,000. */
  readonly patienceMs?: number;
  /** How long a process is taken to live after its last sign, in milliseconds. Default: none; leases are not tried. */
  readonly leaseMs?: number;
  /** Tests that this engine cannot pass: why, by name. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** A job as a call would make it, with a new id, good for ten minutes. */
export function newJob(changes: Partial<Job> = {}): Job {
  return {
    id: crypto.randomUUID(),
    version: 1,
    epoch: 0,
    state: "queued",
    tool: "analyze",
    args: { text: 'é "quoted"\n', nested: [1, null, { deep: true }] },
    digest: "0".repeat(43),
    expiresAtMs: Date.now() + 600_000,
    attempt: 0,
    maxAttempts: 3,
    memo: { answers: {}, steps: {} },
    ...changes,
  };
}

/** The job after its next change. */
export function changed(job: Job, changes: Partial<Job>): Job {
  return { ...job, ...changes, version: job.version + 1 };
}

/** Waits. */
export function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Waits until something is so. */
export async function until(what: string, isSo: () => boolean, patienceMs: number = 20_000): Promise<void> {
  const dueMs = Date.now() + patienceMs;
  while (!isSo()) {
    ok(Date.now() < dueMs, `Not within ${patienceMs} ms: ${what}`);
    await sleep(5);
  }
}

/** What workers were told to run, in order. */
export class Runs {
  /** Ids of jobs, one for each run that began. */
  readonly begun: string[] = [];
  /** How many go on now. */
  active = 0;
  /** How many went on at once, at most. */
  most = 0;
  readonly #run: (id: string) => unknown;

  /** @param run What each does. */
  constructor(run: (id: string) => unknown = () => {}) {
    this.#run = run;
  }

  /** For `engine.work()`. */
  readonly run = async (id: string): Promise<void> => {
    this.begun.push(id);
    this.most = Math.max(this.most, ++this.active);
    try {
      await this.#run(id);
    } finally {
      this.active--;
    }
  };

  /** How often this job was begun. */
  count(id: string): number {
    return this.begun.filter((one) => one === id).length;
  }
}

/** Says of an engine whether it keeps the contract. */
export function engineSuite(
  name: string,
  open: () => Promise<OpenedEngine>,
  options: EngineSuiteOptions = {},
): void {
  const { patienceMs = 20_000, leaseMs, skip = {} } = options;

  function check(title: string, run: (opened: OpenedEngine) => Promise<void>, reason?: string): void {
    test(title, { timeout: 3 * patienceMs, skip: skip[title] ?? reason ?? false }, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });
  }

  /** A test with the views of two processes; where one process has all, both are the same. */
  function checkTwo(title: string, run: (one: Engine, other: Engine) => Promise<void>): void {
    check(title, async ({ engine, reopen }) => run(engine, reopen === undefined ? engine : await reopen()));
  }

  const wait = (what: string, isSo: () => boolean) => until(what, isSo, patienceMs);

  async function insertAll(engine: Engine, jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) strictEqual(await engine.insert(job), true);
  }

  /** Waits until a job that is scheduled only now comes through: what had to come before it, has come. */
  async function settle(engine: Engine, runs: Runs): Promise<void> {
    const last = newJob();
    await insertAll(engine, [last]);
    await engine.schedule(last.id, 0);
    await wait("the last job is run", () => runs.count(last.id) > 0 && runs.active === 0);
  }

  describe(`engine ${name}: jobs`, () => {
    checkTwo("insert() keeps a job as it is", async (one, other) => {
      const job = newJob({
        revision: "2",
        principal: { id: "ada", scopes: ["read"] },
        requests: { sure: { kind: "elicitation", message: "Sure?" } },
        progress: { done: 1, total: 3, message: "reading" },
        outcome: { kind: "answer", value: { rows: ["a", 1, null] } },
      });
      strictEqual(await one.insert(job), true);
      deepStrictEqual({ ...await one.get(job.id) }, job);
      deepStrictEqual({ ...await other.get(job.id) }, job);
      notStrictEqual(await one.get(job.id), job, "nothing may be shared with who put it in");
      strictEqual(await other.get(newJob().id), undefined);
    });

    checkTwo("insert() refuses an id that is taken", async (one, other) => {
      const job = newJob();
      strictEqual(await one.insert(job), true);
      for (const engine of [one, other]) strictEqual(await engine.insert({ ...job, tool: "other" }), false);
      strictEqual((await one.get(job.id))?.tool, "analyze");
    });

    checkTwo("insert() lets one of many have an id", async (one, other) => {
      const job = newJob();
      const tries = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).insert({ ...job, tool: `${n}` }));
      strictEqual((await Promise.all(tries)).filter(Boolean).length, 1);
    });

    checkTwo("replace() changes the version it names only", async (one, other) => {
      const first = newJob();
      const second = changed(first, { state: "running", epoch: 1, attempt: 1 });
      const third = changed(second, { state: "done", outcome: { kind: "answer", value: 7 } });
      await one.insert(first);
      strictEqual(await other.replace(second, 1), true);
      strictEqual(await one.replace(changed(first, { state: "cancelled" }), 1), false, "somebody was faster");
      strictEqual(await one.replace(changed(third, {}), 3), false, "there is no such version yet");
      deepStrictEqual({ ...await one.get(first.id) }, second);
      strictEqual(await one.replace(third, 2), true);
      deepStrictEqual({ ...await other.get(first.id) }, third);
      strictEqual(await one.replace(newJob({ version: 2 }), 1), false, "there is no such job");
    });

    checkTwo("replace() lets one of many win", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const tries = Array.from({ length: 20 }, async (_, n) => {
        return await (n % 2 === 0 ? one : other).replace(changed(job, { attempt: n }), 1) ? [n] : [];
      });
      const winners = (await Promise.all(tries)).flat();
      strictEqual(winners.length, 1);
      strictEqual((await one.get(job.id))?.attempt, winners[0]);
    });

    checkTwo("get(), replace() and insert() take an expired job for none", async (one, other) => {
      const expiresAtMs = Date.now() + 300;
      const job = newJob({ expiresAtMs });
      await one.insert(job);
      await wait("it has expired", () => Date.now() > expiresAtMs + 50);
      strictEqual(await other.get(job.id), undefined);
      strictEqual(await one.get(job.id), undefined);
      strictEqual(await one.replace(changed(job, { expiresAtMs: Date.now() + 60_000 }), 1), false);
      strictEqual(await one.insert(newJob({ id: job.id, tool: "again" })), true);
      strictEqual((await other.get(job.id))?.tool, "again");
    });

    checkTwo("replace() changes when a job expires", async (one, other) => {
      const soonMs = Date.now() + 1_500;
      const [longer, shorter] = [newJob({ expiresAtMs: soonMs }), newJob()];
      await insertAll(one, [longer, shorter]);
      strictEqual(await one.replace(changed(longer, { expiresAtMs: Date.now() + 600_000 }), 1), true);
      strictEqual(await one.replace(changed(shorter, { expiresAtMs: soonMs }), 1), true);
      await wait("the first moment has passed", () => Date.now() > soonMs + 50);
      strictEqual((await other.get(longer.id))?.version, 2);
      strictEqual(await other.get(shorter.id), undefined);
    });

    checkTwo("remove() forgets a job", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      await other.remove(job.id);
      strictEqual(await one.get(job.id), undefined);
      strictEqual(await one.replace(changed(job, {}), 1), false);
      await one.remove(job.id);
      strictEqual(await one.insert({ ...job, tool: "again" }), true);
    });
  });

  describe(`engine ${name}: subscriptions`, () => {
    checkTwo("subscribe() tells of changes, whoever made them", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      let told = 0;
      const unsubscribe = one.subscribe(job.id, () => told++);
      // Not a moment is given to a subscription: who subscribes, then looks, then waits, must not miss what comes after the look.
      let latest = job;
      for (const engine of [one, other]) {
        const before = told;
        latest = changed(latest, { attempt: latest.attempt + 1 });
        strictEqual(await engine.replace(latest, latest.version - 1), true);
        await wait("it is told of the change", () => told > before);
      }
      unsubscribe();
    });

    checkTwo("subscribe() tells each of its own job, until it ends", async (one, other) => {
      const jobs = [newJob(), newJob()] as const;
      await insertAll(one, jobs);
      const told = [0, 0, 0] as [number, number, number];
      const endings = [
        one.subscribe(jobs[0].id, () => told[0]++),
        one.subscribe(jobs[0].id, () => told[1]++),
        one.subscribe(jobs[1].id, () => told[2]++),
      ];
      await other.replace(changed(jobs[0], {}), 1);
      await wait("both are told", () => told[0] > 0 && told[1] > 0);
      endings[0]?.();
      const ended = told[0];
      const before = told[1];
      await other.replace(changed(changed(jobs[0], {}), {}), 2);
      await wait("the other one is told", () => told[1] > before);
      strictEqual(told[0], ended);
      endings.forEach((end) => end());
    });
  });

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
      // A timer may be a little early by another clock.
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
        await settleAfter(delayMs);
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
      // The same ids again: what was scheduled for the old jobs is not for these.
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

  describe(`engine ${name}: holding`, () => {
    checkTwo("hold() tells no worker, neither before nor after it lets go", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const runs = new Runs();
      const workers = [one, other].map((engine) => engine.work(runs.run, { concurrency: 1 }));
      const letGo = await one.hold(job.id);
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
      const letGo = await one.hold(job.id);
      await one.schedule(job.id, 0);
      await letGo();
      await wait("it is run", () => runs.count(job.id) === 1);
      await letGo();
      await settle(other, runs);
      strictEqual(runs.count(job.id), 1);
      await stopAll(workers);
    });

    checkTwo("remove() ends a hold", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      const letGo = await one.hold(job.id);
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
      const letGo = await one.hold(held.id);
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

  const single = "only one process knows its jobs";
  describe(`engine ${name}: processes`, () => {
    check("instance names the process where only one knows the jobs", async ({ engine, reopen }) => {
      strictEqual(typeof engine.instance, reopen === undefined ? "string" : "undefined");
      strictEqual(engine.instance, engine.instance);
      await Promise.resolve();
    });

    check("close() leaves jobs and deliveries to other processes", async ({ engine, reopen }) => {
      const other = await reopen?.();
      if (other === undefined) {
        // Nothing outlives it; it only has to end.
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
        await engine.hold(held.id);
        await engine.schedule(run.id, 0);
        await wait("it is run", () => never.count(run.id) === 1);
        await engine.close();
        const runs = new Runs();
        const worker = (await reopen?.())?.work(runs.run, { concurrency: 4 });
        await wait("both are run elsewhere", () => runs.count(held.id) === 1 && runs.count(run.id) === 1);
        await worker?.stop();
      },
      leaseMs === undefined ? single : undefined,
    );
  });
}

async function stopAll(workers: readonly EngineWorker[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
}

/** As long as one delivery too many would need. */
function settleAfter(delayMs: number): Promise<void> {
  return sleep(delayMs + 200);
}
