// Runs the official client suite over the client of MCP: `node scripts/conformance_client.mjs [scenario …]`.
// Prints a table of checks; the exit status is 1 if a scenario fails. What is left out is named, with the reason.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findBin, root } from "./runtimes.mjs";

const SUITE = join(root, "node_modules/conformance-next/dist/index.js");
const REVISIONS = ["2025-11-25", "2026-07-28"];
const PROGRAM = `${findBin("bun")} ${join(root, "tests/conformance/client_program.ts")}`;
const LEFT_OUT = [
  [/^auth\//, "OAuth is not part of the client yet"],
  [/^sep-2640-/, "skills are an extension that the client does not use; they pass of themselves"],
];

const { stdout } = spawnSync(findBin("bun"), [SUITE, "list", "--client"], { encoding: "utf8" });
const listed = [...stdout.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)].map(([, name, wires]) => ({
  name,
  wires: wires.split(","),
}));
const wanted = process.argv.slice(2);
const isLeftOut = ({ name }) => LEFT_OUT.some(([pattern]) => pattern.test(name));
const scenarios = listed.filter((scenario) =>
  wanted.length > 0 ? wanted.includes(scenario.name) : !isLeftOut(scenario)
);
if (scenarios.length === 0) throw new Error(`The suite lists none of these scenarios:\n${stdout}`);

const folder = mkdtempSync(join(tmpdir(), "toolwire-conformance-"));
let failures = 0;
try {
  for (const { name, wires } of scenarios) {
    for (const revision of REVISIONS.filter((one) => wires.includes(one))) {
      const { status, output } = await run([
        "client",
        "--command",
        PROGRAM,
        "--scenario",
        name,
        "--spec-version",
        revision,
        "-o",
        folder,
      ]);
      const [, passed = "?", total = "?"] = /Passed: (\d+)\/(\d+)/.exec(output) ?? [];
      console.log(`| ${name} | ${revision} | ${passed}/${total} | ${status === 0 ? "ok" : "FAILED"} |`);
      if (status === 0) continue;
      failures++;
      console.log(output.trimEnd().split("\n").map((line) => `    ${line}`).join("\n"));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (wanted.length === 0) {
  for (const [pattern, reason] of LEFT_OUT) {
    const names = listed.filter(({ name }) => pattern.test(name)).map(({ name }) => name);
    console.log(`left out: ${reason}: ${names.join(", ")}`);
  }
}
process.exitCode = failures > 0 ? 1 : 0;

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(findBin("bun"), [SUITE, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text);
    child.on("close", (status) => resolve({ status, output }));
  });
}
