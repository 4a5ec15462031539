// Measures the tables of README.md, docs/features.md and docs/performance.md in one run, and writes them there: `node bench/table.mjs`.
//
// Processor time of a call ÷ the floor's, in process and over HTTP with 64 connections, and clients ÷ a bare `fetch`. A table is what
// follows a mark such as `<!-- bench: speed -->`. On a quiet machine with 2 cores it takes less than 12 minutes; it also prints the tables.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { libraries } from "./clients/libraries.mjs";
import { measureTogether, toRatios } from "./measure.mjs";
import { readCount, readNames, readOptions, scale } from "./options.mjs";
import { quartiles } from "./report.mjs";
import { buildPackage, commands, installPeers, root } from "./runtimes.mjs";

const parts = ["process", "http", "clients"];
const { chosen, rounds } = readOptions({
  part: { type: "string", default: parts.join() },
  rounds: { type: "string", default: "15" },
}, ({ part, rounds }) => ({ chosen: readNames("part", part, parts), rounds: readCount("--rounds", rounds) }));

const runtimes = Object.keys(commands);
/** Title in the tables, by contender. */
const titles = {
  toolwire: "**Toolwire**",
  "toolwire-mcp-2025": "Toolwire's MCP of 2025",
  "mcp-lite": "mcp-lite 0.10",
  "@modelcontextprotocol/server": "@modelcontextprotocol/server 2.4",
};
const contenders = Object.keys(titles);

installPeers();
buildPackage();
const inProcess = chosen.includes("process") ? await measureInProcess() : undefined;
if (inProcess !== undefined) {
  const rows = contenders.map((name) => [titles[name], ...runtimes.map((runtime) => inProcess[runtime][name])]);
  write("README.md", "speed", ["", "Bun", "Deno", "Node 26"], rows);
  write("docs/performance.md", "asynchronous", ["÷ floor", "bun", "deno", "node"], rows);
}
if (chosen.includes("http")) {
  const http = measureOverHttp();
  const rows = contenders.map((name) => [titles[name], ...runtimes.map((runtime) => http[runtime][name])]);
  write("docs/performance.md", "http", ["÷ floor", "bun", "deno", "node"], rows);
  if (inProcess !== undefined) {
    const all = rows.map(([title, ...cells], row) => {
      return [title, ...runtimes.map((runtime) => inProcess[runtime][contenders[row]]), ...cells];
    });
    const head = ["time of an `add` ÷ floor", "Bun", "Deno", "Node 26", "HTTP: Bun", "Deno", "Node 26"];
    write("docs/features.md", "speed", head, all);
  }
}
if (chosen.includes("clients")) {
  writeClients(runScript("clients.mjs", ["--workload", "add,sse100", "--rounds", `${Math.ceil(rounds / 2)}`]));
}

/** Median of the rounds' ratios to the floor, by runtime and contender. */
async function measureInProcess() {
  const measured = {};
  for (const runtime of runtimes) {
    console.error(`${runtime} in process …`);
    const names = ["floor", ...contenders];
    const entries = names.map((contender) => ({ contender, workload: "add-async" }));
    const samples = await measureTogether(runtime, entries, { rounds: Math.ceil(rounds * scale), scale });
    const [floor, ...others] = samples.map((own) => own.map(({ cpuNsPerCall }) => cpuNsPerCall));
    measured[runtime] = Object.fromEntries(contenders.map((name, row) => [name, toCell(toRatios(others[row], floor))]));
  }
  return measured;
}

function measureOverHttp() {
  const args = ["--part", "load", "--workload", "add", "--contender", contenders.join(), "--rounds", String(rounds)];
  const measured = runScript("http.mjs", args);
  return Object.fromEntries(runtimes.map((runtime) => {
    const { floor, ...others } = measured[runtime]["add, 64"];
    const ratios = (name) => others[name].map(({ cpuMs }, round) => cpuMs / floor[round].cpuMs);
    return [runtime, Object.fromEntries(contenders.map((name) => [name, toCell(ratios(name))]))];
  }));
}

function writeClients(measured) {
  const columns = [["add, 1", "add"], ["add, 64", "64 in flight"], ["sse100, 1", "100 pieces"]];
  const head = columns.flatMap(([, title]) =>
    runtimes.map((runtime, at) => at === 0 ? `${title}: ${runtime}` : runtime)
  );
  const rows = Object.keys(libraries).map((name) => {
    const cells = columns.flatMap(([column]) =>
      runtimes.map((runtime) => toClientCell(measured[runtime][column][name]))
    );
    return [name, ...cells];
  });
  write("docs/performance.md", "clients", ["÷ bare", ...head], rows);
}

/** Time, and in brackets the allocated bytes where the runtime counts them. */
function toClientCell(ratios) {
  if (ratios === undefined) return "–";
  return ratios.bytes.length === 0 ? toCell(ratios.time) : `${toCell(ratios.time)} (${toCell(ratios.bytes)})`;
}

function toCell(ratios) {
  const [, median] = quartiles(ratios);
  return median.toFixed(median < 10 ? 2 : 1);
}

/** Runs a command of this folder, and returns what it has measured. */
function runScript(script, args) {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
  try {
    const file = join(folder, "measured.json");
    const { status } = spawnSync(process.execPath, [join(root, "bench", script), ...args, "--json", file], {
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) throw new Error(`bench/${script} failed with status ${status}`);
    return JSON.parse(readFileSync(file, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces the table behind a mark, and prints it. */
function write(page, mark, head, rows) {
  const table = [head, head.map((_, at) => at === 0 ? "---" : "---:"), ...rows].map((cells) =>
    `| ${cells.join(" | ")} |`
  );
  const path = join(root, page);
  const text = readFileSync(path, "utf8");
  const place = new RegExp(`(<!-- bench: ${mark} -->\n)(?:\\|.*\n)+`);
  if (!place.test(text)) throw new Error(`${page} has no table behind <!-- bench: ${mark} -->`);
  console.log(`\n${page}, ${mark}\n\n${table.join("\n")}`);
  if (scale >= 1) writeFileSync(path, text.replace(place, (_, before) => `${before}${table.join("\n")}\n`));
}
