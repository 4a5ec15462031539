// docs/conformance.md: a section for each of the commands that make it, which leave the others' alone.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./runtimes.mjs";

const FILE = join(root, "docs/conformance.md");
const SECTIONS = ["Server", "Client"];
const HEAD = [
  "# Conformance",
  "",
  "What the official suites of the Model Context Protocol say, the packages `@modelcontextprotocol/conformance` 0.1.16 and",
  "0.2.0-alpha.12: of `mcp()`, by `npm run conformance`, and of `mcpTransport()` with `oauthFetch()`, by",
  "`npm run conformance:client`. Each command writes its section. A cell counts the checks that pass; `–`: the scenario is not",
  "part of the run; 0/0: it is, and checks nothing there.",
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
