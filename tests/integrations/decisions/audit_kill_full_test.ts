/** Processes that write an audit are killed: what was taken is there, and the chain continues. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { verifyAudit } from "../../../src/entries/decisions.ts";
import { command, type Found, runtimes, startProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const [runtime] = runtimes;
const found: Found = runtime?.program ?? { missing: "there is no runtime" };

testWith("an audit in a file survives kill -9, five times", [found], async (path) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "audit.jsonl");
  let taken = 0;
  for (let round = 0; round < 5; round++) {
    const script = "tests/integrations/decisions/audit_program.ts";
    await using program = await startProgram(command(runtime!, path, script, file), { url: false });
    const [, count = "0"] = await program.printed(/taken (\d+)/, 60_000);
    process.kill(program.pid, "SIGKILL");
    await program.exited;
    taken += Number(count);
    const text = await readFile(file, "utf8");
    const { problems, lines } = verifyAudit(text);
    // The last line may be a piece until the next process has noted it.
    const own = problems.filter(({ problem }) => !/not whole/.test(problem));
    deepStrictEqual(own, []);
    ok(lines >= taken, `${lines} lines of ${taken} that were taken`);
  }
});
