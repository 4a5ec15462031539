/**
 * A Worker whose server is created in global scope starts on workerd: of this year's versions, of those that wrangler and miniflare bring,
 * and with old compatibility dates.
 */
import { strictEqual } from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "../../mod.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { findProgram, runProgram, startProgram, testWith } from "./programs.ts";

/** Versions that npm has, beside the one of the repository: signals in global scope were refused by them. */
const VERSIONS = ["1.20260426.1", "1.20260730.1"];

/** The oldest date is before `nodejs_compat` was the default, and before answers to a closing WebSocket were automatic. */
const DATES = ["2024-09-23", "2026-04-20"];

function configOf(date: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "${date}",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}

async function checkWorker(workerd: string, esbuild: string, cwd: string): Promise<void> {
  const args = ["--bundle", "--format=esm", "--external:node:*", "--log-level=error"];
  const script = join(cwd, "worker.js");
  const bundled = await runProgram([esbuild, "tests/serve/global_scope_program.ts", `--outfile=${script}`, ...args]);
  strictEqual(bundled.code, 0, bundled.stderr);
  for (const date of DATES) {
    await writeFile(join(cwd, "workerd.capnp"), configOf(date));
    const serve = [workerd, "serve", "workerd.capnp", "--control-fd=1"];
    await using program = await startProgram(serve, { cwd, url: false });
    const [, port] = await program.printed(/"port":(\d+)/);
    const client = createClient(`http://localhost:${port}`);
    // Twice: what one request has created may be useless for the next one.
    for (const times of [1, 2]) strictEqual(await client.$.call("ping", { times }), "pong".repeat(times));
  }
}

testWith("a Worker of all parts starts on workerd of the repository", [
  findProgram("esbuild"),
  findProgram("workerd"),
], async (esbuild, workerd) => {
  await using folder = await temporaryFolder();
  await checkWorker(workerd, esbuild, folder.path);
});

for (const version of VERSIONS) {
  testWith(`a Worker of all parts starts on workerd ${version}`, [
    findProgram("esbuild"),
    findProgram("npm"),
  ], async (esbuild, npm) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "package.json"), '{ "private": true }');
    const install = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", `workerd@${version}`];
    const installed = await runProgram(install, { cwd: folder.path });
    strictEqual(installed.code, 0, installed.stderr);
    // One package, for this platform.
    const packages = join(folder.path, "node_modules/@cloudflare");
    const [ofPlatform = ""] = await readdir(packages);
    const workerd = join(packages, ofPlatform, "bin/workerd");
    await checkWorker(workerd, esbuild, folder.path);
  });
}
