// Runs the tests on every runtime, four at a time (they wait more than they work):
// `node scripts/test_matrix.mjs [--runtime bun,deno,node22,node24,workerd] [--jobs 4] [--json results.json] [--bun-report junit.xml] [file …]`.
// With reports of `npm test` and `npm run test:full` over the same tree, Bun runs only the files that are not in it, or had failures.
// Prints what failed, what was skipped and why, the files that took longest, and a table; the exit status is 1 if anything failed or silently went missing.
// Each test runs once: one that fails now and then has to be repaired.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runOnWorkerd } from "../tests/runtime/workerd.mjs";
import { childEnv, findBin, findNode, root, runToEnd } from "./runtimes.mjs";
import { inChunks } from "./test_chunks.mjs";

const runners = {
  bun: runOnBun,
  deno: runOnDeno,
  node22: (files) => runOnNode(files, 22),
  node24: (files) => runOnNode(files, 24),
  workerd: runOnWorkerd,
};

const { values, positionals } = parseArgs({
  options: {
    runtime: { type: "string", default: Object.keys(runners).join() },
    jobs: { type: "string", default: "4" },
    json: { type: "string" },
    "bun-report": { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const names = values.runtime.split(",");
const stranger = names.find((name) => !Object.hasOwn(runners, name));
if (stranger !== undefined) {
  throw new Error(`Unknown runtime ${stranger}: known are ${Object.keys(runners).join(", ")}`);
}
/** These read the sources and start no server: what they find is the same on every runtime, so Bun's result counts for all. */
const STATIC = /^tests\/(arch|conformance|docs|types)\//;
/** Code that has no part for a version of Node is run by one of the two. Both run servers and engines, and one runs the wires, the other attacks on them. */
const ONCE_ON_NODE = {
  node22:
    /^tests\/(apps|client|console|core|corpus|inspection|integrations|internal|jobs\/(engines\/bullmq|operators|promises|schedules)|server|testing|wires)(\/|_)/,
  node24: /^tests\/(deployment|examples|hostile)\//,
};
const files = positionals.length > 0 ? positionals.map((file) => relative(root, file)) : findTests();
const temporary = mkdtempSync(join(tmpdir(), "toolwire-matrix-"));

/** After this time a test counts as hung, and a process with the files that share it, in milliseconds. The slowest takes a quarter of it. */
const HANG_MS = 600_000;

let failures = 0;
const rows = [];
/** What ran, by runtime. */
const allTests = {};
/** Skipped tests by name: runtimes and reason. Only Node and workerd report the reason, which is used for the others, too. */
const skips = new Map();
let reference;
try {
  const results = await runAll();
  reference = results.get("bun")?.result;
  for (const name of names) {
    const { result, seconds } = results.get(name);
    allTests[name] = result.tests;
    report(name, result, seconds);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
printSkips();
console.log(`\n${files.length} test files\n`);
for (const row of rows) console.log(row);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(allTests));
process.exitCode = failures > 0 ? 1 : 0;

async function runAll() {
  const results = new Map();
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const startMs = performance.now();
      const result = await runners[name](filesFor(name));
      results.set(name, { result, seconds: (performance.now() - startMs) / 1000 });
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  return results;
}

/** The files that a runtime runs: all that were named, otherwise those whose result can differ there. */
function filesFor(name) {
  if (name === "bun" || positionals.length > 0) return files;
  const other = { node22: "node24", node24: "node22" }[name];
  return files.filter((file) => !STATIC.test(file) && !ONCE_ON_NODE[other]?.test(file) && !startsRuntimes(file));
}

/** Whether all tests of a file start the runtimes themselves, which they do on Bun alone: `testWith` of tests/serve/programs.ts. */
function startsRuntimes(file) {
  if (!file.endsWith("_full_test.ts")) return false;
  const source = readFileSync(join(root, file), "utf8");
  return /\btestWith\(/.test(source) && !/(?<![.\w])(test|describe|it|suite|register)(\.\w+)?\(/.test(source);
}

function findTests() {
  return readdirSync(join(root, "tests"), { recursive: true })
    .filter((file) => file.endsWith("_test.ts") && !file.includes("node_modules"))
    .map((file) => join("tests", file))
    .sort();
}

function report(name, { tests, unfit = [], output, status }, seconds) {
  const failed = tests.filter((test) => test.status === "failed");
  const skipped = tests.filter((test) => test.status === "skipped");
  const missing = reference === undefined || name === "workerd" ? [] : findMissing(reference.tests, tests, name);
  console.log(`\n=== ${name}`);
  for (const { file, reason } of unfit) console.log(`not run: ${file}: ${reason}`);
  for (const test of skipped) noteSkip(name, test);
  for (const test of failed) {
    console.log(`FAILED: ${test.name}\n${indent(`${test.output ?? ""}\n${hintOf(test)}`)}`);
  }
  for (const test of missing) console.log(`MISSING: ${test} ran on bun`);
  const broken = failed.length + missing.length > 0 || status !== 0 || tests.length === 0;
  if (broken) {
    failures++;
    // Without a test to blame, a file did not load.
    const isUnclear = failed.length === 0 || missing.length > 0 || failed.some(({ name }) => name.endsWith("_test.ts"));
    if (isUnclear) console.log(`Status ${status}. The end of what it wrote:\n${indent(output.slice(-6000))}`);
  }
  printSlowest(tests);
  const passed = tests.length - failed.length - skipped.length;
  const filesRun = filesFor(name).length - unfit.length;
  const counts = `${passed} passed, ${failed.length} failed, ${skipped.length} skipped in ${filesRun} files`;
  rows.push(
    `${name.padEnd(8)} ${counts}${missing.length > 0 ? `, ${missing.length} missing` : ""} (${seconds.toFixed(1)} s)${
      broken ? "  RED" : ""
    }`,
  );
}

/** The files of a process that did not end. */
function hintOf({ name, output = "" }) {
  if (!name.endsWith(".mjs") || !output.includes("timed out")) return "";
  const files = [...readReport(name).matchAll(/tests\/[^"]+/g)].map(([file]) => `\n  ${file}`);
  return `Its process did not end. One of its files leaves a server, a client or a timer open:${files.join("")}`;
}

/** The files whose tests took longest together, in seconds. Tests of one file may overlap. */
function printSlowest(tests) {
  const totals = new Map();
  for (const { file, ms } of tests) {
    if (file === undefined || ms === undefined) continue;
    const path = relative(root, resolve(root, file));
    totals.set(path, (totals.get(path) ?? 0) + ms);
  }
  const slowest = [...totals].sort(([, one], [, other]) => other - one).slice(0, 8);
  const texts = slowest.map(([file, ms]) => `${file} ${(ms / 1000).toFixed(0)} s`);
  if (texts.length > 0) console.log(`slowest files: ${texts.join(", ")}`);
}

function noteSkip(runtime, { name, reason }) {
  const skip = skips.get(name) ?? { on: [], reason: undefined };
  if (!skip.on.includes(runtime)) skip.on.push(runtime);
  if (reason !== "TODO") skip.reason ??= reason;
  skips.set(name, skip);
}

/** One paragraph for each reason and place. */
function printSkips() {
  const groups = new Map();
  for (const [test, { on, reason }] of skips) {
    const heading = `skipped on ${on.join(", ")}: ${reason ?? "(no reason given)"}`;
    groups.set(heading, [...groups.get(heading) ?? [], test]);
  }
  for (const [heading, tests] of groups) console.log(`\n${heading} (${tests.length})\n${indent(tests.join("\n"))}`);
}

/**
 * Tests of Bun that are not there: neither under their name, nor as a parent of subtests, which Bun does not list, nor in a
 * skipped group.
 */
function findMissing(wanted, tests, runtime) {
  const run = new Set(filesFor(runtime));
  const seen = tests.map((test) => test.name);
  const names = new Set(seen);
  const skippedGroups = tests.filter((test) => test.status === "skipped").map(({ name }) => `${name} > `);
  return wanted.filter(({ file }) => file === undefined || run.has(file)).map((test) => test.name).filter((name) =>
    !names.has(name) && !seen.some((other) => other.startsWith(`${name} > `)) &&
    !skippedGroups.some((group) => name.startsWith(group))
  );
}

async function runOnBun(all) {
  const known = testsBefore(all);
  const done = new Set(known.map(({ file }) => file));
  const files = all.filter((file) => !done.has(file));
  if (files.length === 0) return { tests: known, output: "", status: 0 };
  const report = join(temporary, "bun.xml");
  const args = [
    "test",
    `--timeout=${HANG_MS}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...files.map((file) => `./${file}`),
  ];
  const result = await run(findBin("bun"), args);
  const tests = readJunit(report);
  // A file that does not load is not in Bun's report.
  const loaded = new Set(tests.map(({ file }) => file));
  const unloaded = files.filter((file) => !loaded.has(file)).map((file) => ({ file, name: file, status: "failed" }));
  return { ...result, tests: [...known, ...tests, ...unloaded] };
}

/** What the reports say of the files in which nothing failed. Of a file that is in two, the later one counts: `npm test` runs a part of some. */
function testsBefore(files) {
  const byFile = new Map();
  for (const report of values["bun-report"]) {
    const tests = readJunit(report);
    for (const file of new Set(tests.map(({ file }) => file))) {
      byFile.set(
        file,
        tests.filter((test) => test.file === file),
      );
    }
  }
  const tests = [...byFile.values()].flat().filter(({ file }) => files.includes(file));
  const open = new Set(tests.filter(({ status }) => status === "failed").map(({ file }) => file));
  return tests.filter(({ file }) => !open.has(file));
}

async function runOnDeno(files) {
  const report = join(temporary, "deno.xml");
  // As many files at once as there are cores: most of them wait.
  const result = await run(findBin("deno"), [
    "test",
    "-A",
    "--no-check",
    "--parallel",
    `--junit-path=${report}`,
    ...inChunks(files, join(temporary, "deno")),
  ]);
  const all = readJunit(report);
  // Deno lists groups and parents beside their tests.
  const parents = new Set(all.flatMap(({ name }) => ancestors(name)));
  return { ...result, tests: all.filter(({ name, status }) => status === "failed" || !parents.has(name)) };
}

async function runOnNode(files, major) {
  const node = findNode(major);
  const report = join(temporary, `node${major}.jsonl`);
  const hook = new URL("../tests/runtime/node_hook.mjs", import.meta.url).href;
  const reporter = fileURLToPath(new URL("../tests/runtime/node_reporter.mjs", import.meta.url));
  const result = await run(node, [
    "--disable-warning=ExperimentalWarning",
    `--import=${hook}`,
    "--test",
    // Else Node takes one file at a time on two cores, though most of them wait.
    "--test-concurrency=2",
    // A file that hangs is named, and the files after it are still reported.
    `--test-timeout=${HANG_MS}`,
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${report}`,
    ...inChunks(files, join(temporary, `node${major}`)),
  ], node);
  const lines = readReport(report).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  const tests = lines.filter(({ name }) => name !== undefined);
  const output = lines.filter(({ name }) => name === undefined).map(({ output }) => output).join("");
  return { ...result, tests, output: result.output + output };
}

async function run(command, args, node) {
  const caches = {
    NODE_COMPILE_CACHE: join(temporary, "compiled"),
    TOOLWIRE_TRANSLATIONS: join(temporary, "translated"),
  };
  const { status, stdout, stderr } = await runToEnd(command, args, {
    cwd: root,
    // On Node each of the files that it is given has its own process.
    env: { ...childEnv(node), ...(node !== undefined && caches) },
    timeout: 1_100_000,
  });
  return { status, output: `${stdout}${stderr}` };
}

function readReport(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The tests of a JUnit file, named by their groups. */
function readJunit(path) {
  const tests = [];
  const groups = [];
  let test;
  for (
    const [, tag, attributes, text] of readReport(path).matchAll(/<(\/?[a-z]+)((?:\s+[\w-]+="[^"]*")*)\s*\/?>([^<]*)/g)
  ) {
    const { name, message, time } = readAttributes(attributes);
    if (tag === "testsuite") groups.push(name);
    if (tag === "/testsuite") groups.pop();
    if (tag === "testcase") {
      // The outermost group is the file.
      test = { file: groups[0], name: [...groups.slice(1), name].join(" > "), status: "passed" };
      test.ms = Number(time ?? 0) * 1000;
      tests.push(test);
    }
    if (tag === "skipped") Object.assign(test, { status: "skipped", reason: message });
    if (tag === "failure" || tag === "error") {
      Object.assign(test, { status: "failed", output: unescapeXml(text) || message });
    }
  }
  return tests;
}

function readAttributes(text) {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, unescapeXml(value)]),
  );
}

function unescapeXml(text) {
  const named = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(lt|gt|quot|apos|amp));/gi, (_, hex, decimal, name) => {
    if (name !== undefined) return named[name];
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}

/** `a > b > c` has `a` and `a > b`. */
function ancestors(name) {
  const parts = name.split(" > ");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(" > "));
}

function indent(text) {
  return text.trimEnd().split("\n").map((line) => `    ${line}`).join("\n");
}
