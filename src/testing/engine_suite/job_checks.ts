/** Checks of records: insertion, changes, expiry and notifications. */
import type { Engine } from "../../core/dispatch/engine.ts";
import { type ContractCheck, withTwo } from "./bench.ts";
import { changed, expect, expectEqual, insertAll, newJob } from "./fixture.ts";

/** Checks of stored jobs: `insert()`, `get()`, `replace()` and `remove()` by several processes, and expiry. */
export const JOB_CHECKS: readonly ContractCheck[] = [
  withTwo("insert() stores a job unchanged", async (one, other) => {
    const job = newJob({
      revision: "2",
      principal: { id: "ada", scopes: ["read"] },
      requests: { sure: { kind: "elicitation", message: "Sure?" } },
      progress: { done: 1, total: 3, message: "reading" },
      outcome: { kind: "answer", value: { rows: ["a", 1, null] } },
    });
    expectEqual(await one.insert(job), true, "insert() of a new job");
    expectEqual(await one.get(job.id), job, "get() in the same process");
    expectEqual(await other.get(job.id), job, "get() in another process");
    expect(await one.get(job.id) !== job, "get() returns the inserted object itself, which its owner may change");
    expectEqual(await other.get(newJob().id), undefined, "get() of an unknown id");
  }),

  withTwo("insert() refuses an id that exists", async (one, other) => {
    const job = newJob();
    expectEqual(await one.insert(job), true, "insert() of a new job");
    for (const engine of [one, other]) {
      expectEqual(await engine.insert({ ...job, tool: "other" }), false, "insert() of an id that exists");
    }
    expectEqual((await one.get(job.id))?.tool, "analyze", "tool of the stored job");
  }),

  withTwo("insert() of one id by many at once succeeds once", async (one, other) => {
    const job = newJob();
    const tries = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).insert({ ...job, tool: `${n}` }));
    expectEqual((await Promise.all(tries)).filter(Boolean).length, 1, "number of successful insertions");
  }),

  withTwo("replace() changes the given version only", async (one, other) => {
    const first = newJob();
    const second = changed(first, { state: "running", epoch: 1, attempt: 1 });
    const third = changed(second, { state: "done", outcome: { kind: "answer", value: 7 } });
    await one.insert(first);
    expectEqual(await other.replace(second, 1), true, "replace() of the current version");
    expectEqual(await one.replace(changed(first, { state: "cancelled" }), 1), false, "replace() of an older version");
    expectEqual(await one.replace(changed(third, {}), 3), false, "replace() of a later version");
    expectEqual(await one.get(first.id), second, "the stored job");
    expectEqual(await one.replace(third, 2), true, "replace() of the current version");
    expectEqual(await other.get(first.id), third, "the stored job");
    expectEqual(await one.replace(newJob({ version: 2 }), 1), false, "replace() of a missing job");
  }),

  withTwo("replace() of one version by many at once succeeds once", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    const tries = Array.from({ length: 20 }, async (_, n) => {
      return await (n % 2 === 0 ? one : other).replace(changed(job, { attempt: n }), 1) ? [n] : [];
    });
    const winners = (await Promise.all(tries)).flat();
    expectEqual(winners.length, 1, "number of successful changes");
    expectEqual((await one.get(job.id))?.attempt, winners[0], "the stored change");
  }),

  withTwo("get(), replace() and insert() take an expired job for a missing one", async (one, other, { wait }) => {
    const expiresAtMs = Date.now() + 300;
    const job = newJob({ expiresAtMs });
    await one.insert(job);
    await wait("the job has expired", () => Date.now() > expiresAtMs + 50);
    expectEqual(await other.get(job.id), undefined, "get() in another process");
    expectEqual(await one.get(job.id), undefined, "get()");
    const later = changed(job, { expiresAtMs: Date.now() + 60_000 });
    expectEqual(await one.replace(later, 1), false, "replace()");
    expectEqual(await one.insert(newJob({ id: job.id, tool: "again" })), true, "insert() of the same id");
    expectEqual((await other.get(job.id))?.tool, "again", "tool of the stored job");
  }),

  withTwo("replace() changes when a job expires", async (one, other, { wait }) => {
    const soonMs = Date.now() + 1_500;
    const [longer, shorter] = [newJob({ expiresAtMs: soonMs }), newJob()];
    await insertAll(one, [longer, shorter]);
    const extended = changed(longer, { expiresAtMs: Date.now() + 600_000 });
    expectEqual(await one.replace(extended, 1), true, "replace() with a later expiry");
    expectEqual(await one.replace(changed(shorter, { expiresAtMs: soonMs }), 1), true, "replace() with an earlier one");
    await wait("the first expiry has passed", () => Date.now() > soonMs + 50);
    expectEqual((await other.get(longer.id))?.version, 2, "version of the extended job");
    expectEqual(await other.get(shorter.id), undefined, "get() of the shortened job");
  }),

  withTwo("replace() by an expired job frees the id at once, and notifies subscribers", async (one, other, bench) => {
    const job = newJob();
    await one.insert(job);
    let reported = 0;
    const unsubscribe = other.subscribe(job.id, () => reported++);
    expectEqual(await one.replace(changed(job, { expiresAtMs: 0 }), 1), true, "replace()");
    expectEqual(await one.get(job.id), undefined, "get()");
    expectEqual(await other.get(job.id), undefined, "get() in another process");
    await bench.wait("the subscriber is notified of the change", () => reported > 0);
    expectEqual(await other.insert({ ...job, tool: "again" }), true, "insert() of the same id");
    expectEqual((await one.get(job.id))?.tool, "again", "tool of the stored job");
    unsubscribe();
  }),

  withTwo("insert() has room for a caller after 10,000 unfinished jobs of another", async (one, other) => {
    const crowd = Array.from({ length: 10_000 }, () => newJob({ args: {}, principal: { id: "crowd", scopes: [] } }));
    const kept = await insertCrowd(one, crowd);
    for (const engine of [one, other]) {
      const job = newJob({ principal: { id: "ada", scopes: [] } });
      expectEqual(await engine.insert(job, 60_000), true, "insert() for another caller");
      expectEqual((await engine.get(job.id))?.id, job.id, "the stored job");
    }
    expectEqual((await other.get(kept))?.id, kept, "an unfinished job, which must not be evicted");
  }),

  withTwo("remove() deletes a job", async (one, other) => {
    const job = newJob();
    await one.insert(job);
    await other.remove(job.id);
    expectEqual(await one.get(job.id), undefined, "get()");
    expectEqual(await one.replace(changed(job, {}), 1), false, "replace()");
    await one.remove(job.id);
    expectEqual(await one.insert({ ...job, tool: "again" }), true, "insert() of the same id");
  }),
];

/**
 * Inserts jobs of one caller. Some may be refused with `unavailable`: the engine decides the share of a caller.
 *
 * @returns Id of the first accepted job.
 */
async function insertCrowd(engine: Engine, crowd: readonly ReturnType<typeof newJob>[]): Promise<string> {
  let kept: string | undefined;
  // Not all at once: a slow store would not answer the last one in time.
  for (let at = 0; at < crowd.length; at += 250) {
    const some = crowd.slice(at, at + 250);
    const inserted = await Promise.allSettled(some.map(async (job) => await engine.insert(job)));
    kept ??= some.find((_, at) => inserted[at]?.status === "fulfilled")?.id;
  }
  expect(kept !== undefined, "insert() refused all jobs of a caller");
  return kept;
}

/** Checks that subscribers of a job are notified of its changes by any process, until they unsubscribe. */
export const SUBSCRIPTION_CHECKS: readonly ContractCheck[] = [
  withTwo("subscribe() notifies of changes by any process", async (one, other, { wait }) => {
    const job = newJob();
    await one.insert(job);
    let reported = 0;
    const unsubscribe = one.subscribe(job.id, () => reported++);
    // Without a pause: a caller that subscribes, reads and then waits must not miss a change after the read.
    let latest = job;
    for (const engine of [one, other]) {
      const before = reported;
      latest = changed(latest, { attempt: latest.attempt + 1 });
      expectEqual(await engine.replace(latest, latest.version - 1), true, "replace()");
      await wait("the subscriber is notified of the change", () => reported > before);
    }
    unsubscribe();
  }),

  withTwo("subscribe() notifies each subscriber of its job, until it unsubscribes", async (one, other, { wait }) => {
    const jobs = [newJob(), newJob()] as const;
    await insertAll(one, jobs);
    const reported = [0, 0, 0] as [number, number, number];
    const endings = [
      one.subscribe(jobs[0].id, () => reported[0]++),
      one.subscribe(jobs[0].id, () => reported[1]++),
      one.subscribe(jobs[1].id, () => reported[2]++),
    ];
    await other.replace(changed(jobs[0], {}), 1);
    await wait("both subscribers are notified", () => reported[0] > 0 && reported[1] > 0);
    endings[0]?.();
    const ended = reported[0];
    const before = reported[1];
    await other.replace(changed(changed(jobs[0], {}), {}), 2);
    await wait("the other subscriber is notified", () => reported[1] > before);
    expectEqual(reported[0], ended, "notifications after unsubscribing");
    endings.forEach((end) => end());
  }),
];
