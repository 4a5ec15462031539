// Runs the official conformance suites against examples/everything, with sessions and without, and writes its section of
// docs/conformance.md: `npm run conformance`, or `npm run conformance -- --scenario tools-list --verbose` to look at one. The exit status is 1 if
// any check fails.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { row, writeSection } from "./conformance_doc.mjs";
import { findBin, root } from "./runtimes.mjs";

const bun = findBin("bun");
const packages = { "0.1.16": "conformance-stable", "0.2.0-alpha.12": "conformance-next" };

/** Name, package and arguments of each run; each is made of a server with sessions and of one without. */
const runs = [
  { name: "0.1.16", version: "0.1.16", args: [] },
  { name: "alpha.12", version: "0.2.0-alpha.12", args: [] },
  { name: "alpha.12, 2026-07-28", version: "0.2.0-alpha.12", args: ["--spec-version", "2026-07-28"] },
];

const { values: options } = parseArgs({
  options: {
    scenario: { type: "string" },
    verbose: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const temporary = mkdtempSync(join(tmpdir(), "toolwire-conformance-"));
const columns = [];
try {
  for (const isStateless of [false, true]) {
    const server = await startServer(isStateless ? ["--stateless"] : []);
    try {
      for (const run of runs) {
        const name = `${run.name}, ${isStateless ? "stateless" : "sessions"}`;
        columns.push({ ...run, title: name, isStateless, scenarios: runSuite(run, server.url, name) });
      }
    } finally {
      server.process.kill();
    }
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
for (const column of columns) console.log(`${column.title.padEnd(32)} ${formatTotal(column)}`);
const failures = columns.flatMap(({ title, scenarios }) =>
  [...scenarios].flatMap(([scenario, { failed }]) => failed.map((check) => `${title}: ${scenario}: ${check}`))
);
for (const failure of failures) console.log(failure);
if (options.scenario === undefined && (options.write || failures.length === 0)) writeTable();
const isEmpty = options.scenario === undefined && columns.some(({ scenarios }) => scenarios.size === 0);
process.exitCode = failures.length > 0 || isEmpty ? 1 : 0;

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

/** Runs one suite, and gives what became of its checks: `Map<scenario, { passed, failed, warned }>`. */
function runSuite({ version, args }, url, name) {
  const output = join(temporary, name.replaceAll(/\W+/g, "_"));
  const what = options.scenario === undefined ? ["--suite", "all"] : ["--scenario", options.scenario];
  const cli = join(root, "node_modules", packages[version], "dist/index.js");
  const result = spawnSync(bun, [cli, "server", "--url", url, ...what, ...args, "-o", output], {
    cwd: temporary,
    encoding: "utf8",
    timeout: 600_000,
    maxBuffer: 1 << 28,
  });
  if (options.verbose) console.log(result.stdout, result.stderr);
  return readResults(output);
}

function readResults(output) {
  const scenarios = new Map();
  for (const file of findChecks(output)) {
    const checks = JSON.parse(readFileSync(file, "utf8"));
    const [, scenario] = /([^/]+)\/checks\.json$/.exec(file);
    const name = scenario.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const scored = checks.filter(({ status }) => status === "SUCCESS" || status === "FAILURE" || status === "WARNING");
    scenarios.set(name, {
      passed: scored.filter(({ status }) => status === "SUCCESS").length,
      warned: scored.filter(({ status }) => status === "WARNING").map(describe),
      failed: scored.filter(({ status }) => status === "FAILURE").map(describe),
    });
  }
  return scenarios;
}

function describe({ id, errorMessage, description }) {
  return `${id}: ${errorMessage ?? description}`;
}

function findChecks(directory) {
  let entries = [];
  try {
    entries = readdirSync(directory);
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(directory, entry);
    return statSync(path).isDirectory() ? findChecks(path) : entry === "checks.json" ? [path] : [];
  });
}

function formatTotal({ scenarios }) {
  const all = [...scenarios.values()];
  const sum = (count) => all.reduce((total, one) => total + count(one), 0);
  const passed = sum((one) => one.passed);
  const warned = sum((one) => one.warned.length);
  const checks = passed + warned + sum((one) => one.failed.length);
  const green = all.filter(({ failed }) => failed.length === 0).length;
  return `${passed}/${checks} checks, ${green}/${all.length} scenarios${warned > 0 ? `, ${warned} warnings` : ""}`;
}

/** Writes the section of docs/conformance.md. */
function writeTable() {
  const names = [...new Set(columns.flatMap(({ scenarios }) => [...scenarios.keys()]))].sort();
  const cell = (scenario) => {
    if (scenario === undefined) return "–";
    const { passed, failed, warned } = scenario;
    const checks = passed + failed.length + warned.length;
    return `${failed.length > 0 ? "✗ " : ""}${passed}/${checks}`;
  };
  const text = [
    "`npm run conformance` starts [examples/everything](../examples/everything) on Bun and runs `server --suite all` against it: on",
    "the suites' default wire, which is 2025-11-25 wherever a scenario knows it, and with `--spec-version 2026-07-28`; with sessions,",
    "and without any.",
    "",
    row(["", ...columns.map(({ title }) => title)]),
    row(["---", ...columns.map(() => "---")]),
    row(["**checks and scenarios that pass**", ...columns.map(formatTotal)]),
    ...names.map((name) => row([name, ...columns.map(({ scenarios }) => cell(scenarios.get(name)))])),
    "",
  ];
  const warnings = columns.flatMap(({ title, scenarios }) =>
    [...scenarios].flatMap(([scenario, { warned }]) => warned.map((check) => `- ${title}: ${scenario}: ${check}`))
  );
  if (warnings.length > 0) {
    text.push(
      "Warnings: two of the suites' scenarios want a session id, which there is none of without sessions; and one answers what it",
      "was not asked, without the `requestState` that every question of ours has: such answers are ignored here, so that no caller",
      "can confirm what has not been put to anyone.",
      "",
      ...warnings,
      "",
    );
  }
  writeSection("Server", text);
}
