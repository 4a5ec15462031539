/** How large the list of GitHub's operations is, by option, and that no option changes which arguments are valid. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "../../../mod.ts";
import { type OpenApiImportOptions, toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { root, testWith } from "../../serve/programs.ts";

const DOCUMENT = join(root, ".cache/github/api.github.com-23.0.2.json");
const found = existsSync(DOCUMENT)
  ? { path: DOCUMENT }
  : { missing: "GitHub's document is not installed: run node scripts/install_github_document.mjs" };

const SMALL: OpenApiImportOptions = { outputSchemas: false, shareSchemas: true, maxDescriptionChars: 160 };

/** Rows of docs/openapi.md. */
const ROWS: readonly OpenApiImportOptions[] = [
  {},
  { shareSchemas: true },
  { outputSchemas: false },
  { outputSchemas: false, shareSchemas: true, maxDescriptionChars: 300, maxArgumentChars: 100 },
  { ...SMALL, maxArgumentChars: 60 },
  { ...SMALL, maxArgumentChars: 0 },
];

type Members = Readonly<Record<string, unknown>>;

/** A schema without texts for people, and with definitions in the places of their references; deep ones end. */
function meaning(node: unknown, defs: Members, depth = 0): unknown {
  if (Array.isArray(node)) return node.map((item) => meaning(item, defs, depth));
  if (typeof node !== "object" || node === null || depth > 24) return node === Object(node) ? "deep" : node;
  const { $ref, $defs: _, description, ...rest } = node as Members;
  if (typeof $ref === "string") {
    return meaning({ ...defs[decodeURIComponent($ref.slice("#/$defs/".length))] as Members, ...rest }, defs, depth + 1);
  }
  // A property may be called description.
  const kept = typeof description === "string" ? rest : { ...rest, ...(description !== undefined && { description }) };
  return Object.fromEntries(Object.entries(kept).map(([name, part]) => [name, meaning(part, defs, depth + 1)]));
}

const inputOf = (inputSchema: Members) => meaning(inputSchema, (inputSchema["$defs"] ?? {}) as Members);

testWith("the list of GitHub's operations, by option, is as large as docs/openapi.md states", [found], async (path) => {
  const document = JSON.parse(await readFile(path, "utf8"));
  const listOf = (options: OpenApiImportOptions) =>
    createServer({ tools: toolsFromOpenApi(document, { onLeftOut: () => {}, ...options }) }).tools;
  const whole = listOf({});
  const lines = ROWS.map((options) => {
    const list = listOf(options);
    strictEqual(list.length, 1_223);
    const names = JSON.stringify(options).replaceAll(/[{}"]/g, "").replaceAll(":", ": ").replaceAll(",", ", ");
    const kilobytes = Math.round(new TextEncoder().encode(JSON.stringify(list)).length / 1_000);
    return `| ${names === "" ? "none" : `\`${names}\``} | ${kilobytes.toLocaleString("en")} |`;
  });
  console.log(lines.join("\n"));
  const page = await readFile(join(root, "docs/openapi.md"), "utf8");
  for (const line of lines) ok(page.includes(line), `docs/openapi.md does not have the line ${line}`);

  const small = listOf({ ...SMALL, maxArgumentChars: 0 });
  for (const [index, tool] of whole.entries()) {
    const { name, description, inputSchema } = small[index] ?? {};
    strictEqual(name, tool.name);
    ok(description !== undefined && description.length > 2);
    deepStrictEqual(inputOf(inputSchema ?? {}), inputOf(tool.inputSchema), name);
  }
});
