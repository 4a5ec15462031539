// Runs the official client suites over the client of MCP: `node scripts/conformance_client.mjs [scenario …]`. Without names it runs
// all, and writes its section of docs/conformance.md. The exit status is 1 if a scenario fails, or a runner crashes, hangs or ends early.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  formatCell,
  formatFailures,
  formatNotes,
  formatTotal,
  row,
  scenarioTable,
  writeSection,
} from "./conformance_doc.mjs";
import { runSuite } from "./conformance_results.mjs";
import { findBin, root, runOrThrow } from "./runtimes.mjs";

/** Time limit of a run, in milliseconds; the suites give a scenario 30 s. */
const TIMEOUT_MS = 300_000;

const bun = findBin("bun");
const PROGRAM = `${bun} ${join(root, "tests/conformance/client_program.ts")}`;
const wanted = process.argv.slice(2);

/** Packages, and the revisions that each is asked for; one without revisions runs each scenario once, on its default wire. */
const SUITES = [
  { version: "0.1.16", cli: cliOf("conformance-stable"), revisions: [], required: [] },
  {
    version: "alpha.12",
    cli: cliOf("conformance-next"),
    revisions: ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
    required: ["2025-11-25", "2026-07-28"],
  },
];
const OF_EXTENSIONS = "extension";

const folder = mkdtempSync(join(tmpdir(), "toolwire-conformance-"));
const listed = [];
const columns = [];
try {
  for (const suite of SUITES) columns.push(...await runColumns(suite));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (columns.every(({ scenarios, problems }) => scenarios.size + problems.length === 0)) {
  throw new Error(`The suites list none of these scenarios: ${listed.join(", ")}`);
}
for (const column of columns) console.log(`${column.title.padEnd(40)} ${formatTotal(column)}`);
for (const line of [...scenarioTable(columns.filter(({ isWhole }) => !isWhole)), ...formatNotes(columns)]) {
  console.log(line);
}
const failures = formatFailures(columns);
for (const failure of failures) console.log(failure);
if (wanted.length === 0 && failures.length === 0) writeTables();
process.exitCode = failures.length > 0 ? 1 : 0;

function cliOf(name) {
  return join(root, "node_modules", name, "dist/index.js");
}

/** The runs of one package: by revision, one scenario after another; and what revisions require, as a whole. */
async function runColumns({ version, cli, revisions, required }) {
  const all = list(cli);
  listed.push(...all.map(({ name }) => name));
  const runs = revisions.length === 0 ? [undefined] : [...revisions, OF_EXTENSIONS];
  const columns = [];
  for (const revision of runs) {
    const names = all.filter(({ wires }) => revision === undefined || wires.includes(revision)).map(({ name }) => name);
    const title = revision === undefined
      ? version
      : `${version}, ${revision === OF_EXTENSIONS ? "extensions" : revision}`;
    const spec = revision === undefined || revision === OF_EXTENSIONS ? [] : ["--spec-version", revision];
    columns.push(await runScenarios(title, cli, names.filter(isChosen), spec));
  }
  for (const revision of wanted.length > 0 ? [] : required) {
    const title = `${version}, --requirements ${revision}`;
    columns.push({ title, isWhole: true, ...await run(cli, title, ["--requirements", revision]) });
  }
  return columns;
}

async function runScenarios(title, cli, names, spec) {
  const column = { title, isWhole: false, scenarios: new Map(), problems: [] };
  for (const name of names) {
    const { scenarios, problems } = await run(cli, `${title} ${name}`, ["--scenario", name, ...spec], true);
    column.problems.push(...problems.map((problem) => `${name}: ${problem}`));
    for (const result of scenarios.values()) column.scenarios.set(name, result);
  }
  return column;
}

async function run(cli, title, what, isOne = false) {
  const result = await runSuite(bun, [cli, "client", "--command", PROGRAM, ...what], {
    cwd: folder,
    output: join(folder, title.replaceAll(/\W+/g, "_")),
    timeoutMs: TIMEOUT_MS,
    isOne,
  });
  const hasFailed = [...result.scenarios.values()].some(({ state }) => state === "failed");
  if (hasFailed || result.problems.length > 0) console.log(result.text);
  return result;
}

/** The scenarios that a package lists, with their revisions. */
function list(cli) {
  const text = runOrThrow(bun, [cli, "list", "--client"]);
  const found = [...text.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)].map(([, name, wires]) => ({
    name,
    wires: wires.split(","),
  }));
  if (found.length === 0) throw new Error(`\`${cli} list --client\` lists no scenarios:\n${text}`);
  return found;
}

function isChosen(name) {
  return wanted.length === 0 || wanted.includes(name);
}

/** Writes the section of docs/conformance.md. */
function writeTables() {
  writeSection("Client", [
    "`npm run conformance:client`: `mcpTransport()` with `oauthFetch()`, in [a program](../tests/conformance/client_program.ts) on Bun.",
    "",
    row(["run", "checks and scenarios that pass"]),
    row(["---", "---"]),
    ...columns.map((column) => row([column.title, formatCell(column)])),
    "",
    ...formatNotes(columns),
  ]);
}
