/** Programs whose process is killed at random moments: another process continues them, and what they have done is not done again. */
import { ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { command, type Found, type Program, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

/** Programs start slowly on a busy machine. */
const PATIENCE_MS = 60_000;
/** Number of programs, each killed twice. */
const ROUNDS = Number(process.env["KILLED_PROGRAMS"] ?? 4);
const [runtime] = runtimes;
const bun: Found = runtime?.program ?? { missing: "there is no runtime" };

function start(...args: readonly string[]): Promise<Program> {
  const path = "path" in bun ? bun.path : "";
  return startProgram(command(runtime!, path, "tests/server/code_mode/kill_program.ts", ...args), { url: false });
}

/** Ends a program at a random moment of the time that its work takes. */
async function killAtRandom(program: Program): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_500));
  program.signal("SIGKILL");
  await program.exited;
}

/** The numbers come in their order; after one, a kill may repeat it, but none before it. */
function assertDoneOnce(notes: readonly number[]): void {
  let last = 0;
  for (const n of notes) {
    ok(n === last || n === last + 1, `${notes}`);
    last = n;
  }
  strictEqual(last, 6, `${notes}`);
}

testWith(
  "programs on SQLite whose processes are killed at random moments have one answer, and repeat no recorded call",
  [
    bun,
  ],
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await using folder = await temporaryFolder();
      const files = [join(folder.path, "jobs.db"), join(folder.path, "notes.txt")] as const;
      const first = await start(...files, "begin");
      const [, token = ""] = await first.printed(/began (\S+) /, PATIENCE_MS);
      await killAtRandom(first);
      await killAtRandom(await start(...files, "end", token));
      await using last = await start(...files, "end", token);
      const [, value] = await last.printed(/value (\S+) /, PATIENCE_MS);
      strictEqual(value, '[[1,2,3,4,5,6],"number"]');
      strictEqual(await last.exited, 0, last.output());
      assertDoneOnce(readFileSync(files[1], "utf8").trim().split("\n").map(Number));
    }
  },
  (2 + ROUNDS) * PATIENCE_MS,
);
