// Runs the command of a conformance suite and reads what became of each scenario. A command that crashes, hangs or ends early is a
// problem, no matter what it has written before.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runToEnd } from "./runtimes.mjs";

/** Checks that the suites add to many scenarios: they say nothing about the subject of a scenario. */
const COMMON_CHECKS = new Set(["wire-schema-valid"]);

/**
 * Runs a command that writes its results into the folder `output`.
 *
 * @param options.timeoutMs Time limit, after which the command is killed.
 * @param options.isOne Whether it runs one scenario by name; then it does not print the number of scenarios.
 * @returns What it printed, the results by scenario, and the problems of the command itself.
 */
export async function runSuite(command, args, { cwd, output, timeoutMs, isOne = false }) {
  const settings = { cwd, timeout: timeoutMs, killSignal: "SIGKILL" };
  const { status, stdout, stderr } = await runToEnd(command, [...args, "-o", output], settings);
  const text = `${stdout}${stderr}`;
  const scenarios = readScenarios(output);
  return { text, scenarios, problems: findProblems({ status, text, scenarios, timeoutMs, isOne }) };
}

function findProblems({ status, text, scenarios, timeoutMs, isOne }) {
  const problems = [];
  const hasFailed = [...scenarios.values()].some(({ failed }) => failed.length > 0);
  if (typeof status !== "number") problems.push(`the runner did not end within ${timeoutMs} ms, or crashed: ${status}`);
  else if (status !== 0 && !hasFailed) problems.push(`the runner ended with status ${status}, and no check failed`);
  if (isOne) return scenarios.size > 0 ? problems : [...problems, "the runner wrote no results"];
  const [, announced] = /^Running .*\((\d+) scenarios\)/m.exec(text) ?? [];
  if (Number(announced) !== scenarios.size) {
    problems.push(
      `the runner wrote the results of ${scenarios.size} scenarios, and announced ${announced ?? "no number"}`,
    );
  }
  if (!/^Total: /m.test(text)) problems.push("the runner ended before it printed a total");
  return problems;
}

function readScenarios(output) {
  const scenarios = new Map();
  for (const file of findChecks(output)) {
    const name = relative(output, dirname(file)).replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[^/]*$/, "");
    scenarios.set(name, readChecks(JSON.parse(readFileSync(file, "utf8"))));
  }
  return scenarios;
}

function findChecks(folder) {
  let entries = [];
  try {
    entries = readdirSync(folder, { recursive: true });
  } catch {
    // A runner that has crashed may have written nothing.
  }
  return entries.filter((entry) => /(^|\/)checks\.json$/.test(entry)).map((entry) => join(folder, entry));
}

/** Results of one scenario. Its state is `passed` only if a check of its subject has run. */
export function readChecks(checks) {
  const of = (wanted) => checks.filter(({ status }) => status === wanted);
  const [passed, warned, failed] = [of("SUCCESS"), of("WARNING"), of("FAILURE")];
  const hasRun = [...passed, ...warned].some(({ id }) => !COMMON_CHECKS.has(id));
  return {
    passed: passed.length,
    warned: warned.map(describeCheck),
    failed: failed.map(describeCheck),
    skipped: of("SKIPPED").map(({ errorMessage, description }) => errorMessage ?? description),
    state: failed.length > 0 ? "failed" : hasRun ? "passed" : "skipped",
  };
}

function describeCheck({ id, errorMessage, description }) {
  return `${id}: ${errorMessage ?? description}`;
}
