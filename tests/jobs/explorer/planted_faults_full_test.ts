/** Plants each fault into a copy of the sources, and has the explorer find it in a process. */
import { strictEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { PLANTED_FAULTS } from "./planted_faults.ts";

const skip = runtime !== "bun" && "the transitions have no part for a runtime: once, under bun, is enough";
const ROOT = resolve(import.meta.dirname, "../../..");
/** All of them take two minutes: `npm run explore:faults`. Otherwise each third. */
const CHOSEN = process.env["TOOLWIRE_FAULTS"] === "all"
  ? PLANTED_FAULTS
  : PLANTED_FAULTS.filter((_, at) => at % 3 === 0);
const COPIED = ["src", "mod.ts", "package.json", "tsconfig.json", "tests/jobs/explorer"];

/** Copies what the explorer needs. Tests themselves are not copied: a copy is run, not tested. */
async function copySources(folder: string): Promise<void> {
  for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

/** Explores a copy. Returns the exit code and what was printed. */
function exploreIn(folder: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, ["tests/jobs/explorer/run.ts"], { cwd: folder }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    });
  });
}

test("the explorer finds guards of the transitions that are removed", { skip, timeout: 1_200_000 }, async (t) => {
  await using folder = await temporaryFolder();
  await copySources(folder.path);
  for (const { name, file, from, to } of CHOSEN) {
    await t.test(name, async () => {
      const path = join(folder.path, file);
      const source = await readFile(path, "utf8");
      strictEqual(source.split(from).length, 2, `The text of the fault "${name}" is not in ${file} once: ${from}`);
      await writeFile(path, source.replace(from, () => to));
      const { code, output } = await exploreIn(folder.path);
      await writeFile(path, source);
      // Found by what it does to jobs, and not because the copy does not run.
      strictEqual(code, 3, `not found: ${name}\n${output.slice(0, 2_000)}`);
    });
  }
});
