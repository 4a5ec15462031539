// Runs the official client suites over the client of MCP: `node scripts/conformance_client.mjs [scenario …]`. Without names it runs
// all, and writes its section of docs/conformance.md. What is left out is named, with the reason. The exit status is 1 if a scenario
// fails.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { row, writeSection } from "./conformance_doc.mjs";
import { findBin, root } from "./runtimes.mjs";

const bun = findBin("bun");
const PROGRAM = `${bun} ${join(root, "tests/conformance/client_program.ts")}`;
const LEFT_OUT = [
  [/^sep-2640-/, "skills are an extension that the client does not use; they pass of themselves"],
];
const wanted = process.argv.slice(2);

/** Packages, and the revisions that each is asked for; one that knows none runs each scenario once, on its own. */
const SUITES = [
  { version: "0.1.16", cli: cliOf("conformance-stable"), revisions: [] },
  {
    version: "alpha.12",
    cli: cliOf("conformance-next"),
    revisions: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  },
];
const OF_EXTENSIONS = "extension";

const columns = SUITES.flatMap(({ version, cli, revisions }) => {
  const listed = list(cli);
  const runs = revisions.length === 0 ? [undefined] : [...revisions, OF_EXTENSIONS];
  return runs.map((revision) => ({
    title: revision === undefined ? version : `${version}, ${revision === OF_EXTENSIONS ? "extensions" : revision}`,
    cli,
    revision: revision === OF_EXTENSIONS ? undefined : revision,
    names: listed.filter(({ wires }) => revision === undefined || wires.includes(revision)).map(({ name }) => name),
    results: new Map(),
  }));
});
const isChosen = (name) => wanted.length > 0 ? wanted.includes(name) : reasonOf(name) === undefined;
const scenarios = [...new Set(columns.flatMap(({ names }) => names))];
if (!scenarios.some(isChosen)) throw new Error(`The suites list none of these scenarios: ${scenarios.join(", ")}`);

const folder = mkdtempSync(join(tmpdir(), "toolwire-conformance-"));
let failures = 0;
try {
  for (const { title, cli, revision, names, results } of columns) {
    for (const name of names.filter(isChosen)) {
      const version = revision === undefined ? [] : ["--spec-version", revision];
      const args = ["client", "--command", PROGRAM, "--scenario", name, ...version, "-o", folder];
      const { status, output } = await run(cli, args);
      const [, passed = "?", total = "?"] = /Passed: (\d+)\/(\d+)/.exec(output) ?? [];
      const isGood = status === 0 && passed === total;
      results.set(name, { passed: Number(passed), total: Number(total), isGood });
      console.log(row([name, title, `${passed}/${total}`, isGood ? "ok" : "FAILED"]));
      if (isGood) continue;
      failures++;
      console.log(output.trimEnd().split("\n").map((line) => `    ${line}`).join("\n"));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (wanted.length === 0) {
  for (const line of leftOut()) console.log(line);
  if (failures === 0) writeTable();
}
process.exitCode = failures > 0 ? 1 : 0;

function cliOf(name) {
  return join(root, "node_modules", name, "dist/index.js");
}

function list(cli) {
  const { stdout } = spawnSync(bun, [cli, "list", "--client"], { encoding: "utf8" });
  return [...stdout.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)].map(([, name, wires]) => ({ name, wires: wires.split(",") }));
}

function reasonOf(name) {
  return LEFT_OUT.find(([pattern]) => pattern.test(name))?.[1];
}

function leftOut() {
  return LEFT_OUT.map(([pattern, reason]) => {
    return `Left out: ${scenarios.filter((name) => pattern.test(name)).join(", ")}: ${reason}.`;
  });
}

/** Writes the section of docs/conformance.md. */
function writeTable() {
  const cell = (result) => result === undefined ? "–" : `${result.passed}/${result.total}`;
  const sum = ({ results }) => {
    const all = [...results.values()];
    const [passed, total] = ["passed", "total"].map((what) => all.reduce((checks, one) => checks + one[what], 0));
    return `${passed}/${total} checks, ${all.filter(({ isGood }) => isGood).length}/${all.length} scenarios`;
  };
  writeSection("Client", [
    "`npm run conformance:client` has the suites drive [a program](../tests/conformance/client_program.ts) on Bun, for each revision",
    "that a scenario knows; those of extensions have none.",
    "",
    row(["", ...columns.map(({ title }) => title)]),
    row(["---", ...columns.map(() => "---")]),
    row(["**checks and scenarios that pass**", ...columns.map(sum)]),
    ...scenarios.filter(isChosen).sort().map((name) =>
      row([name, ...columns.map(({ results }) => cell(results.get(name)))])
    ),
    "",
    ...leftOut(),
  ]);
}

function run(cli, args) {
  return new Promise((resolve) => {
    const child = spawn(bun, [cli, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text);
    child.on("close", (status) => resolve({ status, output }));
  });
}
