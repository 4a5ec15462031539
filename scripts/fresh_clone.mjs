// Does what a new contributor does, in a temporary folder: clone, `npm start`, `npm test`. `node scripts/fresh_clone.mjs` clones
// the working tree as it is, uncommitted files included; `--committed` only what is committed; `--ci` then runs .ci/run.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { root } from "./runtimes.mjs";

const { values } = parseArgs({ options: { committed: { type: "boolean" }, ci: { type: "boolean" } } });
const folder = mkdtempSync(join(tmpdir(), "toolwire-clone-"));
try {
  run(["git", "clone", "--quiet", "--no-local", root, folder], root);
  if (!values.committed) copyWorkingTree();
  run(["npm", "start"], folder);
  run(["npm", "test"], folder);
  if (values.ci) run([".ci/run"], folder);
  console.log("\nA fresh clone starts and passes its tests.");
} catch (thrown) {
  console.error(thrown.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function copyWorkingTree() {
  for (const file of listFiles()) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
    else rmSync(join(folder, file), { force: true });
  }
}

/** Tracked files, deleted ones too, and new ones that are not ignored. */
function listFiles() {
  const listing = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = spawnSync("git", listing, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  return stdout.split("\0").filter((file) => file !== "");
}

function run([command, ...args], cwd) {
  console.log(`\n$ ${[command, ...args].join(" ")}`);
  const startMs = performance.now();
  // A clone must not find the dev dependencies of the repository it came from.
  const PATH = process.env.PATH.split(":").filter((part) => !part.startsWith(root)).join(":");
  const { status } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, PATH },
    stdio: ["ignore", "inherit", "inherit"],
  });
  console.log(`${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  if (status !== 0) throw new Error(`A fresh clone fails: \`${[command, ...args].join(" ")}\` ended with ${status}`);
}
