/**
 * The page of the conformance suite lists its checks, and docs/spec.md has each check in the section of its rule.
 *
 * `UPDATE_CHECKS=1 bun test ./tests/docs/conformance_suite_test.ts` writes the list.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { type ConformanceCheck, conformanceSuite } from "../../src/testing/mod.ts";

const PAGE = fileURLToPath(new URL("../../docs/conformance-suite.md", import.meta.url));
const SPECIFICATION = fileURLToPath(new URL("../../docs/spec.md", import.meta.url));
const HEADING = "## Checks\n";

const TARGET = {
  mcpLite: "http://localhost/mcp-lite/v1",
  grpcWeb: "http://localhost",
  webSocket: "ws://localhost/mcp-lite/v1",
  webtools: "http://localhost/webtools/documents",
};

/** Names of the bindings of MCP-lite, in the order of the list. */
const BINDINGS = new Map([["http", "HTTP"], ["websocket", "WebSocket"], ["grpc-web", "gRPC"]]);

/** A row for each rule; those of MCP-lite say over which bindings they are checked. */
function listChecks(checks: readonly ConformanceCheck[]): string {
  const [webtools = [], lite = []] = [true, false].map((is) =>
    checks.filter(({ binding }) => (binding === "webtools") === is)
  );
  const bindingsOf = (id: string) =>
    [...BINDINGS].filter(([name]) => lite.some((check) => check.id === id && check.binding === name));
  const rows = [...Map.groupBy(lite, ({ id }) => id)].map(([id, [check]]) => {
    const over = bindingsOf(id).map(([, title]) => title);
    return `| \`${id}\` | ${check?.level} | ${
      over.length === BINDINGS.size ? "all" : over.join(", ")
    } | ${check?.title} |\n`;
  }).sort();
  const others = webtools.map(({ id, level, title }) => `| \`${id}\` | ${level} | ${title} |\n`);
  return `\n### MCP-lite\n\n| id | level | over | rule |\n|---|---|---|---|\n${rows.join("")}` +
    `\n### Webtools\n\n| id | level | rule |\n|---|---|---|\n${others.join("")}`;
}

const checks = conformanceSuite(TARGET);

test("docs/conformance-suite.md lists the checks", () => {
  const page = readFileSync(PAGE, "utf8");
  const expected = page.slice(0, page.indexOf(HEADING)) + HEADING + listChecks(checks);
  if (process.env["UPDATE_CHECKS"] === "1") writeFileSync(PAGE, expected);
  strictEqual(readFileSync(PAGE, "utf8"), expected);
});

/** Sections of the specification's page by their numbers, or by their titles; each with the ids on its lines of checks. */
function idsBySection(): Map<string, string[]> {
  const sections = readFileSync(SPECIFICATION, "utf8").split(/^#{2,4} /m);
  return new Map(sections.map((text) => {
    const [, number, title = ""] = /^(?:([\dA]+(?:\.\d+)*)\.? )?(.*)/.exec(text) ?? [];
    const [, list = ""] = /^\[Checks\]\(conformance-suite\.md#[\w-]+\):(.*(?:\n`.*)*)/m.exec(text) ?? [];
    return [number ?? title, [...list.matchAll(/`([^`]+)`/g)].map(([, id = ""]) => id)];
  }));
}

test("docs/spec.md has each check in the section of its rule, and no others", () => {
  const listed = idsBySection();
  const expected = Map.groupBy(checks, ({ section, binding }) => (binding === "webtools" ? "Webtools" : section));
  for (const [section, of] of expected) {
    deepStrictEqual(
      (listed.get(section) ?? []).sort(),
      [...new Set(of.map(({ id }) => id))].sort(),
      `section ${section}`,
    );
  }
  const known = new Set(checks.map(({ id }) => id));
  deepStrictEqual([...listed.values()].flat().filter((id) => !known.has(id)), []);
});
