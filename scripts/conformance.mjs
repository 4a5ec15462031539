// Runs the official conformance suites against examples/everything, with sessions and without, and writes its section of
// docs/conformance.md: `npm run conformance`, or `npm run conformance -- --scenario tools-list --verbose` to look at one. The exit status is 1 if
// a check fails, or a runner crashes, hangs or ends early.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  formatCell,
  formatFailures,
  formatNotes,
  formatTotal,
  row,
  scenarioTable,
  writeSection,
} from "./conformance_doc.mjs";
import { declaredFeatures, formatFeature, passedUndeclared } from "./conformance_features.mjs";
import { runSuite } from "./conformance_results.mjs";
import { findBin, root } from "./runtimes.mjs";

/** Time limit of a run, in milliseconds; the longest takes a quarter of a minute. */
const TIMEOUT_MS = 300_000;

const bun = findBin("bun");
const stable = join(root, "node_modules/conformance-stable/dist/index.js");
const next = join(root, "node_modules/conformance-next/dist/index.js");

const bySpec = (version, revision) => ({
  name: `${version}, --spec-version ${revision}`,
  cli: version === "0.1.16" ? stable : next,
  args: ["--spec-version", revision],
});

/** Name, command and arguments of each run; each is made of a server with sessions and of one without. */
const RUNS = [
  { name: "0.1.16", cli: stable, args: [], isDetailed: true },
  ...["2025-03-26", "2025-06-18", "2025-11-25"].map((revision) => bySpec("0.1.16", revision)),
  { name: "alpha.12", cli: next, args: [], isDetailed: true },
  ...["2025-03-26", "2025-06-18", "2025-11-25"].map((revision) => bySpec("alpha.12", revision)),
  { ...bySpec("alpha.12", "2026-07-28"), isDetailed: true },
  ...["2025-11-25", "2026-07-28"].map((revision) => ({
    name: `alpha.12, --requirements ${revision}`,
    cli: next,
    args: ["--requirements", revision],
    isSuite: true,
  })),
];

const { values: options } = parseArgs({
  options: {
    scenario: { type: "string" },
    verbose: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const isOne = options.scenario !== undefined;

/** Features that the server declares, with sessions or without. */
const declared = new Set();
const columns = await runAll();
for (const column of columns) console.log(`${column.title.padEnd(46)} ${formatTotal(column)}`);
const byScenario = scenarioTable(columns.filter(({ isDetailed }) => isDetailed), {
  title: "feature, declared by the server",
  format: (scenario) => formatFeature(scenario, declared),
});
for (const line of [...byScenario, ...formatNotes(columns)]) console.log(line);
const failures = formatFailures(columns);
for (const failure of failures) console.log(failure);
if (!isOne && (options.write || failures.length === 0)) writeTables();
process.exitCode = failures.length > 0 ? 1 : 0;

async function runAll() {
  const temporary = mkdtempSync(join(tmpdir(), "toolwire-conformance-"));
  const columns = [];
  try {
    for (const mode of ["sessions", "stateless"]) {
      const server = await startServer(mode === "stateless" ? ["--stateless"] : []);
      try {
        const features = await declaredFeatures(server.url);
        for (const feature of features) declared.add(feature);
        // One scenario is part of some runs only.
        for (const run of RUNS.filter(({ isDetailed }) => isDetailed || !isOne)) {
          const column = await runOne(run, mode, server.url, temporary);
          column.problems.push(...passedUndeclared(column.scenarios, features));
          columns.push(column);
        }
      } finally {
        server.process.kill();
      }
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return columns;
}

async function runOne({ name, cli, args, isSuite = false, isDetailed = false }, mode, url, temporary) {
  const title = `${name}, ${mode}`;
  const what = isOne ? ["--scenario", options.scenario] : isSuite ? [] : ["--suite", "all"];
  const { text, scenarios, problems } = await runSuite(bun, [cli, "server", "--url", url, ...what, ...args], {
    cwd: temporary,
    output: join(temporary, title.replaceAll(/\W+/g, "_")),
    timeoutMs: TIMEOUT_MS,
    isOne,
  });
  if (isDetailed && !isOne && scenarios.size === 0) problems.push("the suite has no scenarios");
  if (options.verbose || problems.length > 0) console.log(text);
  return { name, mode, title, isDetailed, scenarios, problems };
}

/** Starts the fixture on a free port; its first line is its address. */
function startServer(args) {
  const child = spawn(bun, ["examples/everything/serve.ts", "--port", "0", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The server ended with status ${code}`)));
    child.stdout.once("data", (line) => resolve({ url: String(line).trim(), process: child }));
  });
}

/** Writes the section of docs/conformance.md. */
function writeTables() {
  const totalOf = (name, mode) => formatCell(columns.find((one) => one.name === name && one.mode === mode));
  writeSection("Server", [
    "`npm run conformance`: `mcp()` of [examples/everything](../examples/everything), on Bun.",
    "",
    row(["run: checks, scenarios", "sessions", "stateless"]),
    row(["---", "---", "---"]),
    ...RUNS.map(({ name }) => row([name, totalOf(name, "sessions"), totalOf(name, "stateless")])),
    "",
    "The warning of `input-required-result-ignore-extra-params` is about answers without the `requestState` of their question: the server",
    "ignores them, so that a caller cannot confirm what it has not been asked.",
    "",
    ...formatNotes(columns),
  ]);
}
