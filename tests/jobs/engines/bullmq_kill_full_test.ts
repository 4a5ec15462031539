import { deepStrictEqual, strictEqual } from "node:assert/strict";
import process from "node:process";
import { command, type Program, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { openBullmq, startStore, STORES } from "./bullmq_stores.ts";
import { findServer } from "./programs.ts";
import { changed, newJob, Runs, sleep, until } from "./fixture.ts";

const LEASE_MS = 1_500;
/** Programs start slowly on a busy machine. */
const PATIENCE_MS = 60_000;

function start(runtime: typeof runtimes[number], bin: string, ...args: readonly string[]): Promise<Program> {
  const [store = "", url = "", ...rest] = args;
  const script = command(runtime, bin, "tests/jobs/engines/bullmq_program.ts", store, url, `${LEASE_MS}`, ...rest);
  return startProgram(script, { url: false });
}

for (const store of STORES) {
  const found = findServer(store);
  for (const runtime of runtimes) {
    testWith(`bullmq() on ${store} has others run what a killed process had (${runtime.name})`, [
      runtime.program,
      found,
    ], async (bin) => {
      const server = await startStore(store);
      const engine = openBullmq(store, server.url, { leaseMs: LEASE_MS, timeoutMs: 60_000 });
      try {
        const [run, held, cancelled] = [newJob(), newJob(), newJob()] as const;
        for (const job of [run, held, cancelled]) await engine.insert(job);
        await engine.schedule(run.id, 0);
        await using program = await start(runtime, bin, store, server.url, "hang", held.id);
        await program.printed(new RegExp(`holds ${held.id}[^]*runs ${run.id}`), PATIENCE_MS);

        const runs = new Runs();
        const worker = engine.work(runs.run, { concurrency: 2 });
        await sleep(2 * LEASE_MS);
        deepStrictEqual(runs.begun, [], "it lives, and says so");

        process.kill(program.pid, "SIGKILL");
        strictEqual(await program.exited, null);
        await until("both are run here", () => runs.begun.length === 2, PATIENCE_MS);
        deepStrictEqual([...runs.begun].sort(), [run.id, held.id].sort());

        let reported = 0;
        const unsubscribe = engine.subscribe(cancelled.id, () => reported++);
        await until("it listens", () => reported > 0, PATIENCE_MS);
        const before = reported;
        await using other = await start(runtime, bin, store, server.url, "change", cancelled.id);
        await until("it is notified of the change", () => reported > before, PATIENCE_MS);
        strictEqual((await engine.get(cancelled.id))?.state, "cancelled");
        strictEqual(await other.exited, 0, "a closed engine keeps no process alive");
        unsubscribe();
        await worker.stop();
        strictEqual(runs.begun.length, 2);
      } finally {
        await engine.close();
        await server.stop();
      }
    }, 4 * PATIENCE_MS);
  }

  testWith(`bullmq() on ${store} lets processes of all runtimes share a new store, and runs each job once`, [
    found,
    ...runtimes.map(({ program }) => program),
  ], async (_, ...bins) => {
    const server = await startStore(store);
    const stop = newJob();
    // At the same time, so that each finds the store empty or half initialized.
    const programs = await Promise.all(
      runtimes.map((runtime, n) => start(runtime, bins[n] ?? "", store, server.url, "share", stop.id)),
    );
    const engine = openBullmq(store, server.url, {});
    try {
      await Promise.all(programs.map((program) => program.printed(/brought all/, PATIENCE_MS)));
      const runs = () => programs.flatMap((program) => program.output().match(/(?<=runs )\S+/g) ?? []);
      await until("all are run", () => new Set(runs()).size === 20 * programs.length, PATIENCE_MS);
      await engine.insert(stop);
      await engine.replace(changed(stop, { state: "cancelled" }), 1);
      for (const program of programs) strictEqual(await program.exited, 0, program.output());
      strictEqual(runs().length, 20 * programs.length);
    } finally {
      await engine.close();
      await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()));
      await server.stop();
    }
  }, 4 * PATIENCE_MS);
}
