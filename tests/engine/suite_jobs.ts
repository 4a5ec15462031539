/** Tests of records: insertion, changes, expiry and notifications. */
import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import { describe } from "node:test";
import { changed, insertAll, newJob } from "./fixture.ts";
import type { EngineChecks } from "./suite_checks.ts";

/** Records and notifications follow the contract. */
export function checkJobs({ name, checkTwo, wait }: EngineChecks): void {
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

    checkTwo("replace() by one that has expired frees the id at once, and tells of it", async (one, other) => {
      const job = newJob();
      await one.insert(job);
      let reported = 0;
      const unsubscribe = other.subscribe(job.id, () => reported++);
      strictEqual(await one.replace(changed(job, { expiresAtMs: 0 }), 1), true);
      strictEqual(await one.get(job.id), undefined);
      strictEqual(await other.get(job.id), undefined);
      await wait("it is notified of the change", () => reported > 0);
      strictEqual(await other.insert({ ...job, tool: "again" }), true);
      strictEqual((await one.get(job.id))?.tool, "again");
      unsubscribe();
    });

    checkTwo("insert() has room for a caller after 10,000 unfinished jobs of another", async (one, other) => {
      const crowd = Array.from({ length: 10_000 }, () => newJob({ args: {}, principal: { id: "crowd", scopes: [] } }));
      // Some may be refused, with `unavailable`: the share of a caller is for the engine to decide.
      const inserted: PromiseSettledResult<boolean>[] = [];
      // Not all at once: a slow store would not answer the last one in time.
      for (let at = 0; at < crowd.length; at += 250) {
        const some = crowd.slice(at, at + 250).map(async (job) => await one.insert(job));
        inserted.push(...await Promise.allSettled(some));
      }
      const kept = crowd.find((_, at) => inserted[at]?.status === "fulfilled");
      for (const engine of [one, other]) {
        const job = newJob({ principal: { id: "ada", scopes: [] } });
        strictEqual(await engine.insert(job, 60_000), true);
        strictEqual((await engine.get(job.id))?.id, job.id);
      }
      strictEqual((await other.get(kept!.id))?.id, kept!.id, "an unfinished job is not evicted");
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
      let reported = 0;
      const unsubscribe = one.subscribe(job.id, () => reported++);
      // Without a pause: a caller that subscribes, reads and then waits must not miss a change after the read.
      let latest = job;
      for (const engine of [one, other]) {
        const before = reported;
        latest = changed(latest, { attempt: latest.attempt + 1 });
        strictEqual(await engine.replace(latest, latest.version - 1), true);
        await wait("it is notified of the change", () => reported > before);
      }
      unsubscribe();
    });

    checkTwo("subscribe() tells each of its own job, until it ends", async (one, other) => {
      const jobs = [newJob(), newJob()] as const;
      await insertAll(one, jobs);
      const reported = [0, 0, 0] as [number, number, number];
      const endings = [
        one.subscribe(jobs[0].id, () => reported[0]++),
        one.subscribe(jobs[0].id, () => reported[1]++),
        one.subscribe(jobs[1].id, () => reported[2]++),
      ];
      await other.replace(changed(jobs[0], {}), 1);
      await wait("both are notified", () => reported[0] > 0 && reported[1] > 0);
      endings[0]?.();
      const ended = reported[0];
      const before = reported[1];
      await other.replace(changed(changed(jobs[0], {}), {}), 2);
      await wait("the other one is notified", () => reported[1] > before);
      strictEqual(reported[0], ended);
      endings.forEach((end) => end());
    });
  });
}
