// Counts what tests/hostile holds, on every runtime, and writes docs/guarantees.md: `npm run guarantees`.
// Nothing is written unless all of it passed. `--from results.json` takes what `test_matrix.mjs --json` wrote.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { childEnv, findBin, root, runOrThrow, runToEnd } from "./runtimes.mjs";

const { values: { from } } = parseArgs({ options: { from: { type: "string" } } });
const temporary = mkdtempSync(join(tmpdir(), "toolwire-guarantees-"));
try {
  const results = from ?? join(temporary, "results.json");
  if (from === undefined) await count(results);
  console.log(runOrThrow(findBin("bun"), ["tests/hostile/write_page.ts", results], { cwd: root, env: childEnv() }));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function count(results) {
  const files = readdirSync(join(root, "tests/hostile"), { recursive: true })
    .filter((file) => file.endsWith("_test.ts"))
    .map((file) => `tests/hostile/${file}`)
    .filter((file) => readFileSync(join(root, file), "utf8").includes("register(guarantees)"));
  // One runtime after another: some of it is about time.
  const { status, stdout } = await runToEnd(
    process.execPath,
    ["scripts/test_matrix.mjs", "--jobs", "1", "--json", results, ...files],
    { cwd: root, env: childEnv(), timeout: 1_800_000 },
  );
  if (status !== 0) throw new Error(`Not all guarantees hold, so that nothing is written:\n${stdout}`);
}
