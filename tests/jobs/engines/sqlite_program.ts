// A process with the sqlite engine: `sqlite_program.ts <file> <lease in ms> <task> [id …]`. It prints its actions.
import process from "node:process";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { newJob, sleep } from "./fixture.ts";

const [path = "", leaseMs = "", what = "", ...ids] = process.argv.slice(2);
const engine = sqliteEngine(path, { leaseMs: Number(leaseMs), pollMs: 20 });

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
  /** Adds 20 jobs and runs all due ones. */
  async share() {
    engine.work(async (id) => {
      console.log(`runs ${id}`);
      await sleep(1);
    }, { concurrency: 2 });
    for (let count = 0; count < 20; count++) {
      const job = newJob();
      await engine.insert(job);
      await engine.schedule(job.id, count);
    }
    console.log("brought all");
  },
  /** Changes a job. */
  async change() {
    const job = await engine.get(ids[0] ?? "");
    if (job !== undefined) await engine.replace({ ...job, version: job.version + 1, state: "cancelled" }, job.version);
    console.log("changed it");
  },
};

await tasks[what]?.();
