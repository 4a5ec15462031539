import { deepStrictEqual, doesNotMatch, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { sqliteEngine } from "../../../src/entries/engines/sqlite.ts";
import { command, type Program, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { newJob, Runs, sleep, until } from "./fixture.ts";

const LEASE_MS = 1_500;
/** Programs start slowly on a busy machine. */
const PATIENCE_MS = 60_000;

function start(runtime: typeof runtimes[number], bin: string, ...args: readonly string[]): Promise<Program> {
  const [path = "", ...rest] = args;
  return startProgram(command(runtime, bin, "tests/jobs/engines/sqlite_program.ts", path, `${LEASE_MS}`, ...rest), {
    url: false,
  });
}

for (const runtime of runtimes) {
  testWith(`sqlite() has others run what a killed process had (${runtime.name})`, [runtime.program], async (bin) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "jobs.db");
    const engine = sqliteEngine(path, { leaseMs: LEASE_MS, pollMs: 20 });
    const [run, held, cancelled] = [newJob(), newJob(), newJob()] as const;
    for (const job of [run, held, cancelled]) engine.insert(job);
    engine.schedule(run.id, 0);
    await using program = await start(runtime, bin, path, "hang", held.id);
    await program.printed(new RegExp(`holds ${held.id}[^]*runs ${run.id}`), PATIENCE_MS);

    const runs = new Runs();
    const worker = engine.work(runs.run, { concurrency: 2 });
    await sleep(2 * LEASE_MS);
    deepStrictEqual(runs.begun, [], "it lives, and says so");

    process.kill(program.pid, "SIGKILL");
    strictEqual(await program.exited, null);
    await until("both are run here", () => runs.begun.length === 2, PATIENCE_MS);
    deepStrictEqual([...runs.begun].sort(), [run.id, held.id].sort());
    await worker.stop();

    let reported = 0;
    const unsubscribe = engine.subscribe(cancelled.id, () => reported++);
    await using other = await start(runtime, bin, path, "change", cancelled.id);
    await other.printed(/changed it/, PATIENCE_MS);
    await until("it is notified of the change", () => reported > 0, PATIENCE_MS);
    strictEqual((await engine.get(cancelled.id))?.state, "cancelled");
    strictEqual(await other.exited, 0, "an engine that does nothing keeps no process alive");
    unsubscribe();
    engine.close();
  }, 4 * PATIENCE_MS);

  testWith(`sqlite() keeps jobs for the process that comes after a killed one (${runtime.name})`, [
    runtime.program,
  ], async (bin) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "jobs.db");
    const engine = sqliteEngine(path);
    const job = newJob();
    engine.insert(job);
    engine.schedule(job.id, 0);
    engine.close();
    for (let life = 0; life < 2; life++) {
      await using program = await start(runtime, bin, path, "hang");
      await program.printed(new RegExp(`runs ${job.id}`), PATIENCE_MS);
      process.kill(program.pid, "SIGKILL");
      await program.exited;
    }
  }, 4 * PATIENCE_MS);
}

testWith("sqlite() lets processes of all runtimes share a new file, and runs each job once", [
  ...runtimes.map(({ program }) => program),
], async (...bins) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "jobs.db");
  // At the same time, so that each finds the file empty or half initialized.
  const programs = await Promise.all(
    runtimes.flatMap((runtime, n) => [1, 2].map(() => start(runtime, bins[n] ?? "", path, "share"))),
  );
  try {
    await Promise.all(programs.map((program) => program.printed(/brought all/, PATIENCE_MS)));
    const runs = () => programs.flatMap((program) => program.output().match(/(?<=runs )\S+/g) ?? []);
    await until("all are run", () => new Set(runs()).size === 20 * programs.length, PATIENCE_MS);
    strictEqual(runs().length, 20 * programs.length);
    for (const program of programs) doesNotMatch(program.output(), /error/i);
  } finally {
    await Promise.all(programs.map((program) => program[Symbol.asyncDispose]()));
  }
}, 4 * PATIENCE_MS);
