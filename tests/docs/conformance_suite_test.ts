/**
 * The page of the conformance suite lists its checks, and docs/spec.md has the section of each.
 *
 * `UPDATE_CHECKS=1 bun test ./tests/docs/conformance_suite_test.ts` writes the list.
 */
import { ok, strictEqual } from "node:assert/strict";
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

test("the id of each check begins with the number of a section of docs/spec.md that states rules", () => {
  const page = readFileSync(SPECIFICATION, "utf8");
  const sections = new Map(
    page.split(/^#{2,4} /m).map((text) => [/^(?:[\dA.]+\d|[\w-]+)/.exec(text)?.[0] ?? "", text.split(/\s+/).length]),
  );
  for (const { id, section, binding } of checks) {
    const number = binding === "webtools" ? "Webtools" : section;
    ok((sections.get(number) ?? 0) > 10, `${id}: docs/spec.md has no rules in a section ${number}`);
    ok(id.startsWith(`${number.toLowerCase()}-`) || id.startsWith(`${number}-`), `${id} is of section ${number}`);
  }
});
