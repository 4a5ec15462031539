/** docs/spec.md has the section of each check of the conformance suite. */
import { ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { conformanceSuite } from "../../src/entries/testing.ts";

const SPECIFICATION = fileURLToPath(new URL("../../docs/spec.md", import.meta.url));

const TARGET = {
  mcpLite: "http://localhost/mcp-lite/v1",
  grpcWeb: "http://localhost",
  webSocket: "ws://localhost/mcp-lite/v1",
  webtools: "http://localhost/webtools/documents",
};

const checks = conformanceSuite(TARGET);

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
