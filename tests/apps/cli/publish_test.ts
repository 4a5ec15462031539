/** `toolwire publish`: `server.json` is written from package.json, compared with it, and never uploaded without mcp-publisher. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

const PACKAGE = {
  name: "weather",
  version: "1.0.0",
  description: "Weather for cities",
  mcpName: "io.github.ada/weather",
  bin: "./main.js",
};

async function createPackage(members: object = {}) {
  const folder = await temporaryFolder();
  const write = (changed: object) =>
    writeFileSync(join(folder.path, "package.json"), JSON.stringify({ ...PACKAGE, ...changed }));
  write(members);
  const file = join(folder.path, "server.json");
  // No program is found in this PATH.
  const run = (...args: readonly string[]) =>
    runHere({ cwd: folder.path, env: { PATH: folder.path } }, "publish", ...args);
  return { write, run, file, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("toolwire publish writes server.json, and --check finds that it differs from package.json", async () => {
  await using project = await createPackage();
  const dry = await project.run("--dry-run", "--json");
  deepStrictEqual([dry.code, JSON.parse(dry.out).name, existsSync(project.file)], [0, PACKAGE.mcpName, false]);
  const missing = await project.run("--check");
  strictEqual(missing.code, 1);
  const written = await project.run();
  strictEqual(written.code, 0, written.errors);
  match(written.errors, /server\.json: written\nmcp-publisher is not installed: /);
  strictEqual(JSON.parse(readFileSync(project.file, "utf8")).packages[0].version, "1.0.0");
  strictEqual((await project.run("--check")).code, 0);
  project.write({ version: "1.1.0" });
  const drift = await project.run("--check");
  strictEqual(drift.code, 1);
  match(drift.errors, /- {3}"version": "1\.0\.0",\n[^]*\+ {3}"version": "1\.1\.0",\n[^]*differs from package\.json/);
});

test("toolwire publish lists all problems of a package, and writes nothing", async () => {
  await using project = await createPackage({ description: "x".repeat(101), bin: undefined, version: "1.x" });
  const { code, errors, out } = await project.run();
  deepStrictEqual([code, out, existsSync(project.file)], [1, "", false]);
  match(
    errors,
    /^Cannot create server\.json: package\.json has the version "1\.x"; .*\n.*101 characters.*\n.*has no bin/,
  );
});

test("toolwire publish in a folder without a package names what it looked for", async () => {
  await using folder = await temporaryFolder();
  const { code, errors } = await runHere({ cwd: folder.path }, "publish");
  strictEqual(code, 1);
  match(errors, /^Cannot read the package of .*: there is no package\.json in it or above it/);
});
