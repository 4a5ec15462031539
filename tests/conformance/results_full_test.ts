/** The scripts over the official suites: a runner that crashes, hangs or skips is not a success. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
// @ts-expect-error: a script without types
import * as doc from "../../scripts/conformance_doc.mjs";
// @ts-expect-error: a script without types
import * as script from "../../scripts/conformance_results.mjs";
import { temporaryFolder } from "../temporary_folder.ts";

interface Results {
  readonly scenarios: ReadonlyMap<string, { readonly state: string; readonly skipped: readonly string[] }>;
  readonly problems: readonly string[];
}

const { runSuite } = script as {
  runSuite(command: string, args: readonly string[], options: Readonly<Record<string, unknown>>): Promise<Results>;
};
const { formatTotal, formatNotes } = doc as {
  formatTotal(column: Results): string;
  formatNotes(columns: readonly Results[]): readonly string[];
};

const PASSED = { id: "ping", status: "SUCCESS" };
const COMMON = { id: "wire-schema-valid", status: "SUCCESS" };
const SKIPPED = { id: "skills", status: "SKIPPED", errorMessage: "there are no skills" };
const FAILED = { id: "ping", status: "FAILURE", description: "did not answer" };

/** A runner that announces `announced` scenarios, writes the checks of some, and then runs `end`. */
function runnerOf(scenarios: Readonly<Record<string, readonly object[]>>, announced: number, end: string): string {
  return `
    const { mkdirSync, writeFileSync } = require("node:fs");
    const output = process.argv[process.argv.indexOf("-o") + 1];
    console.log("Running all suite (${announced} scenarios) against http://localhost");
    for (const [name, checks] of Object.entries(${JSON.stringify(scenarios)})) {
      const folder = output + "/server-" + name + "-2026-11-22T21-52-07-055Z";
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + "/checks.json", JSON.stringify(checks));
    }
    ${end}`;
}

const END = 'console.log("Total: 1 passed, 0 failed");';

async function runFake(
  scenarios: Readonly<Record<string, readonly object[]>>,
  { announced = Object.keys(scenarios).length, end = END, timeoutMs = 60_000 } = {},
): Promise<Results> {
  await using folder = await temporaryFolder();
  const runner = join(folder.path, "runner.cjs");
  writeFileSync(runner, runnerOf(scenarios, announced, end));
  const output = join(folder.path, "results");
  return await runSuite("node", [runner], { cwd: folder.path, output, timeoutMs });
}

test("a run that ends with all of its results has no problems", async () => {
  const { problems, scenarios } = await runFake({ ping: [PASSED, COMMON] });
  deepStrictEqual(problems, []);
  strictEqual(scenarios.get("ping")?.state, "passed");
});

for (
  const [what, end, problem] of [
    ["crashes after it wrote results", "process.kill(process.pid, 'SIGKILL');", /did not end .* or crashed: SIGKILL/],
    ["throws after it wrote results", "throw new Error('broken');", /ended with status 1, and no check failed/],
    ["ends before its total", "process.exit(0);", /ended before it printed a total/],
  ] as const
) {
  test(`a runner that ${what} is a problem`, async () => {
    const { problems, scenarios } = await runFake({ ping: [PASSED] }, { end });
    strictEqual(scenarios.get("ping")?.state, "passed");
    match(problems.join("\n"), problem);
  });
}

test("a runner that hangs is killed, and is a problem", async () => {
  const { problems } = await runFake({ ping: [PASSED] }, {
    end: `${END} setInterval(() => {}, 1_000);`,
    timeoutMs: 2_000,
  });
  match(problems.join("\n"), /did not end within 2000 ms/);
});

test("a runner that leaves scenarios out is a problem", async () => {
  const { problems } = await runFake({ ping: [PASSED] }, { announced: 2 });
  deepStrictEqual(problems, ["the runner wrote the results of 1 scenarios, and announced 2"]);
});

test("a scenario with skipped and common checks only is not passed, and its reason is shown", async () => {
  const column = await runFake({ skills: [SKIPPED, COMMON], tasks: [SKIPPED], ping: [PASSED], empty: [] });
  deepStrictEqual(column.problems, []);
  const states = [...column.scenarios].map(([name, { state }]) => [name, state] as const);
  deepStrictEqual(Object.fromEntries(states), {
    skills: "skipped",
    tasks: "skipped",
    ping: "passed",
    empty: "skipped",
  });
  strictEqual(formatTotal(column), "2/2 checks, 1/4 scenarios, 3 scenarios skipped, 2 checks skipped");
  match(formatNotes([column]).join("\n"), /- skills: there are no skills \(1 run\)/);
});

test("a scenario with a failed check is failed, whatever else it has", async () => {
  const { scenarios, problems } = await runFake({ ping: [PASSED, FAILED, SKIPPED] }, {
    end: `${END} process.exit(1);`,
  });
  strictEqual(scenarios.get("ping")?.state, "failed");
  deepStrictEqual(problems, []);
});
