// A process with the bullmq engine: `bullmq_program.ts <store> <url> <lease in ms> <task> [id …]`. It prints its actions.
import process from "node:process";
import { openBullmq } from "./bullmq_stores.ts";
import { newJob, sleep } from "./fixture.ts";

const [store = "", url = "", leaseMs = "", what = "", ...ids] = process.argv.slice(2);
const engine = openBullmq(store === "redis" ? store : "postgres", url, {
  leaseMs: Number(leaseMs),
  timeoutMs: 60_000,
});

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  /** Never ends its runs and leases. */
  async hang() {
    for (const id of ids) {
      await engine.lease(id);
      console.log(`holds ${id}`);
    }
    engine.work((id) => {
      console.log(`runs ${id}`);
      return new Promise(() => {});
    }, { concurrency: 10 });
  },
  /** Adds 20 jobs and runs all due ones until a job is cancelled. */
  async share() {
    const worker = engine.work(async (id) => {
      console.log(`runs ${id}`);
      await sleep(1);
    }, { concurrency: 2 });
    for (let count = 0; count < 20; count++) {
      const job = newJob();
      await engine.insert(job);
      await engine.schedule(job.id, count);
    }
    console.log("brought all");
    const cancelled = Promise.withResolvers<void>();
    engine.subscribe(ids[0] ?? "", async () => {
      if ((await engine.get(ids[0] ?? ""))?.state === "cancelled") cancelled.resolve();
    });
    await cancelled.promise;
    await worker.stop();
    await engine.close();
  },
  /** Changes a job after each feature of the engine was used. */
  async change() {
    const job = await engine.get(ids[0] ?? "");
    engine.subscribe(ids[0] ?? "", () => {})();
    await (await engine.lease(ids[0] ?? ""))();
    if (job !== undefined) await engine.replace({ ...job, version: job.version + 1, state: "cancelled" }, job.version);
    console.log("changed it");
    await engine.close();
  },
};

await tasks[what]?.();
