/** `scripts/install.mjs`: processes that install into one folder take turns. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import { tmpdir } from "node:os";
import { findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** Takes the place of npm: writes when it begins and ends. */
const NPM = `#!/bin/sh
echo begin >> npm.log
sleep 0.3
mkdir -p node_modules
echo end >> npm.log
`;

async function writePackage(folder: string): Promise<void> {
  await writeFile(join(folder, "package-lock.json"), "{}");
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/npm"), NPM);
  await chmod(join(folder, "bin/npm"), 0o755);
}

testWith("processes that install into one folder take turns, and a killed one is not waited for", [
  findProgram("node"),
], async (node) => {
  await using folder = await temporaryFolder();
  await writePackage(folder.path);
  // No process has this number.
  const digest = createHash("sha256").update(await realpath(folder.path)).digest("hex").slice(0, 16);
  await writeFile(join(tmpdir(), `toolwire-install-${digest}.pid`), "999999999");
  const path = [join(folder.path, "bin"), process.env["PATH"]].join(delimiter);
  const install = () =>
    runProgram([node, join(root, "scripts/install.mjs")], { cwd: folder.path, env: { PATH: path } });
  const ended = await Promise.all([install(), install(), install()]);
  for (const { code, stderr } of ended) strictEqual(code, 0, stderr);
  match(ended.map(({ stderr }) => stderr).join(""), /Waiting for process \d+, which installs here/);
  deepStrictEqual((await readFile(join(folder.path, "npm.log"), "utf8")).split("\n"), ["begin", "end", ""]);
});
