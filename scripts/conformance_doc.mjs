// docs/conformance.md: a section for each of the commands that make it, which leave the others' alone.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./runtimes.mjs";

const FILE = join(root, "docs/conformance.md");
const SECTIONS = ["Server", "Client"];
const HEAD = [
  "# Conformance",
  "",
  "MCP has official suites, which test servers and clients of any SDK. These are our results with `@modelcontextprotocol/conformance` 0.1.16 and 0.2.0-alpha.12, so that you need not take our word for",
  '"all revisions". A scenario has passed if at least one of its checks has run, and none has failed.',
  "",
];

/** Writes the section of this title: lines of Markdown. */
export function writeSection(title, lines) {
  const parts = readFileSync(FILE, "utf8").split(/^## /m).slice(1);
  const sections = new Map(parts.map((text) => [text.slice(0, text.indexOf("\n")), `## ${text.trimEnd()}`]));
  sections.set(title, [`## ${title}`, "", ...lines].join("\n").trimEnd());
  const known = SECTIONS.filter((one) => sections.has(one)).map((one) => sections.get(one));
  writeFileSync(FILE, `${HEAD.join("\n")}\n${known.join("\n\n")}\n`);
}

/** A row of a table. */
export function row(cells) {
  return `| ${cells.join(" | ")} |`;
}

/**
 * A table whose rows are scenarios and whose columns are runs.
 *
 * @param more Returns the cell of a further column by the name of a scenario, which is headed by `title`.
 */
export function scenarioTable(columns, more) {
  const names = [...new Set(columns.flatMap(({ scenarios }) => [...scenarios.keys()]))].sort();
  const heads = [...(more ? [more.title] : []), ...columns.map(({ title }) => title)];
  return [
    row(["", ...heads]),
    row(["---", ...heads.map(() => "---")]),
    ...names.map((name) => {
      const results = columns.map(({ scenarios }) => formatScenario(scenarios.get(name)));
      return row([name, ...(more ? [more.format(name)] : []), ...results]);
    }),
  ];
}

function formatScenario(scenario) {
  if (scenario === undefined) return "–";
  const { passed, failed, warned, skipped, state } = scenario;
  if (state === "skipped") return "skipped";
  const more = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  return `${state === "failed" ? "✗ " : ""}${passed}/${passed + failed.length + warned.length}${more}`;
}

/** The sums of a run, for a cell or a line of output. */
export function formatTotal({ scenarios }) {
  const all = [...scenarios.values()];
  if (all.length === 0) return "no scenarios";
  const sum = (count) => all.reduce((total, one) => total + count(one), 0);
  const [passed, warned, failed, skipped] = [
    sum((one) => one.passed),
    sum((one) => one.warned.length),
    sum((one) => one.failed.length),
    sum((one) => one.skipped.length),
  ];
  const count = (state) => all.filter((one) => one.state === state).length;
  const parts = [
    `${passed}/${passed + warned + failed} checks`,
    `${count("passed")}/${all.length} scenarios`,
    ...(count("skipped") > 0 ? [`${count("skipped")} scenarios skipped`] : []),
    ...(skipped > 0 ? [`${skipped} checks skipped`] : []),
    ...(warned > 0 ? [`${warned} warnings`] : []),
  ];
  return parts.join(", ");
}

/** `formatTotal` for a table whose head names checks and scenarios. */
export function formatCell(column) {
  return formatTotal(column).replace(/(\/\d+) (?:checks|scenarios)/g, "$1");
}

/** What was not checked, and why, and the warnings: a line for each reason, with the number of runs that have it. */
export function formatNotes(columns) {
  const skipped = countNotes(columns, ({ skipped, state }) => {
    return state === "skipped" && skipped.length === 0 ? ["no check applies"] : [...new Set(skipped)];
  });
  const warned = countNotes(columns, (scenario) => scenario.warned);
  return [
    ...(skipped.length > 0 ? ["Skipped by the suites:", "", ...skipped, ""] : []),
    ...(warned.length > 0 ? ["Warnings:", "", ...warned, ""] : []),
  ];
}

function countNotes(columns, notesOf) {
  const runs = new Map();
  for (const { scenarios } of columns) {
    for (const [name, scenario] of scenarios) {
      const lines = notesOf(scenario).map((note) => `${name}: ${firstSentence(note)}`);
      for (const line of lines) runs.set(line, (runs.get(line) ?? 0) + 1);
    }
  }
  return [...runs].sort().map(([note, count]) => `- ${note} (${count} ${count === 1 ? "run" : "runs"})`);
}

function firstSentence(text) {
  return text.replace(/\. [A-Z].*$/s, "");
}

/** The failed checks and the problems of the runners, a line each. */
export function formatFailures(columns) {
  return columns.flatMap(({ title, scenarios, problems }) => [
    ...problems.map((problem) => `${title}: ${problem}`),
    ...[...scenarios].flatMap(([name, { failed }]) => failed.map((check) => `${title}: ${name}: ${check}`)),
  ]);
}
