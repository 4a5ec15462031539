/** skills/ is generated from the pages of today, is valid, and serves as skills over MCP; llms.txt has every page. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "../../mod.ts";
import { readSkills, skills } from "../../src/entries/skills.ts";
import { mcp, mcpTransport } from "../../src/entries/mcp.ts";
import { findExamples, findFences } from "./extract.ts";
// @ts-expect-error: a script without types
import * as skillsScript from "../../scripts/skills.mjs";
// @ts-expect-error: a script without types
import * as llmsScript from "../../scripts/llms.mjs";

interface ListedPage {
  readonly name: string;
  readonly title: string;
  readonly group: string;
}
const { buildSkills, findStale } = skillsScript as {
  readonly buildSkills: () => Map<string, string>;
  readonly findStale: (built: ReadonlyMap<string, string>) => readonly string[];
};
const { llmsText, llmsFullText, readPublicPages, readPackagedPages } = llmsScript as {
  readonly llmsText: (pages: readonly ListedPage[], url: string) => string;
  readonly llmsFullText: (pages: readonly ListedPage[], url: string) => string;
  readonly readPublicPages: () => readonly ListedPage[];
  readonly readPackagedPages: () => readonly ListedPage[];
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const NAMES = [
  "asking",
  "client",
  "coming-from-the-official-sdk",
  "deployment",
  "promises",
  "serving",
  "testing",
  "tools",
];
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const built = buildSkills();
const texts = NAMES.map((name) => ({ name, text: built.get(`skills/${name}/SKILL.md`) ?? "" }));

test("skills/ is what the pages of today give: run npm run generate:skills", () => {
  deepStrictEqual(findStale(built), []);
  const files = readdirSync(join(root, "skills"), { recursive: true, encoding: "utf8" });
  const written = files.map((file) => `skills/${file.replaceAll("\\", "/")}`).filter((file) =>
    /\.(md|json)$/.test(file)
  );
  deepStrictEqual(written.sort(), [...built.keys()].sort());
  for (const [path, text] of built) strictEqual(readFileSync(join(root, path), "utf8"), text, path);
});

test("a section that changed names the skills whose rules have to be read again", () => {
  const state = JSON.parse(built.get("skills/sync-state.json") ?? "");
  state.tools["docs/tools.md#handlers"] = "0".repeat(64);
  deepStrictEqual(findStale(new Map([["skills/sync-state.json", JSON.stringify(state)]])), [
    "tools: docs/tools.md#handlers has changed; read scripts/skills/tools.md again",
  ]);
});

test("skills() serves the folder, and a client reads and verifies each", async () => {
  const server = createServer({ tools: [], resources: await skills(join(root, "skills")), wires: [mcp()] });
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  const reader = readSkills(mcpTransport("http://localhost/mcp", { fetch }));
  const listed = await reader.list();
  deepStrictEqual(listed.map(({ frontmatter }) => frontmatter.name).sort(), NAMES);
  for (const skill of listed) {
    const { name, description, metadata, requires, sources } = skill.frontmatter;
    strictEqual((metadata as Readonly<Record<string, string>>)["library_version"], version);
    match(description, /Use it /, "It says when");
    ok(Array.isArray(requires) && requires.every((one) => NAMES.includes(one)), name);
    ok(Array.isArray(sources) && sources.every((one) => existsSync(join(root, one))), name);
    strictEqual((await reader.read(skill)).text, built.get(`skills/${name}/SKILL.md`));
  }
});

test("each skill has rules, a program that the tests run, five mistakes, and fewer than 500 lines", () => {
  const examples = findExamples(root).filter(({ place }) => place.startsWith("docs/"));
  // The program of deployment.md is run by tests/deployment/main_full_test.ts.
  const run = new Set(
    examples.filter(({ kind, place }) => kind === "run" || place.includes("deployment")).map(({ code }) => code),
  );
  for (const { name, text } of texts) {
    ok(text.split("\n").length < 500, name);
    match(text, /\n## Rules\n\n- /, name);
    const programs = findFences(name, text).filter(({ kind }) => kind === "run");
    ok(programs.length > 0, name);
    deepStrictEqual(programs.filter(({ code }) => !run.has(code)).map(({ place }) => place), []);
    const [, mistakes = ""] = text.split("\n## Five mistakes\n");
    deepStrictEqual(
      Array.from(mistakes.matchAll(/^(\d)\. /gm), ([, number]) => number),
      ["1", "2", "3", "4", "5"],
      name,
    );
  }
});

test("npm packs the skills, JSR does not, and tools that look for skills find them", () => {
  const { files, keywords, intent } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  ok(files.includes("skills") && files.includes("llms.txt") && keywords.includes("tanstack-intent"));
  strictEqual(intent.docs, "docs/");
  const { publish } = JSON.parse(readFileSync(join(root, "jsr.json"), "utf8"));
  ok(!publish.include.includes("skills"));
});

test("links of skills lead to files of the package", () => {
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const left = (files as readonly string[]).filter((file) => file.startsWith("!")).map((file) => file.slice(1));
  for (const { name, text } of texts) {
    const prose = text.replaceAll(/^ *(`{3,})[^]*?^ *\1`*$/gm, "");
    const targets = Array.from(prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g), ([, target = ""]) => target);
    const paths = targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(`skills/${name}`, target));
    ok(paths.length > 0, name);
    const broken = paths.filter((path) => !existsSync(join(root, path)) || left.some((one) => path.startsWith(one)));
    deepStrictEqual(broken, [], name);
    deepStrictEqual(new Set(paths.map((path) => dirname(path).split("/")[0])).has("tests"), false);
  }
});

test("llms.txt has a name, a summary, groups, and each page once with a sentence", () => {
  const pages = readPublicPages();
  const text = llmsText(pages, "https://docs.example");
  match(text, /^# Toolwire\n\n> .+\.\n\n/);
  const groups = Array.from(text.matchAll(/^## (.+)$/gm), ([, group = ""]) => group);
  strictEqual(groups.at(-1), "Optional");
  const rows = Array.from(text.matchAll(/^- .*$/gm), ([row]) => row);
  for (const row of rows) match(row, /^- \[[^\]]+\]\(https:\/\/docs\.example\/[\w/-]+\.md\): \S.*[.!?]$/);
  strictEqual(rows.length, pages.length);
  const docs = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md") && file !== "README.md");
  deepStrictEqual(docs.filter((file) => !text.includes(`/${file})`)), []);
});

test("llms-full.txt has the text of each page for users, and the package's llms.txt no page that is left out", () => {
  const pages = readPublicPages();
  const full = llmsFullText(pages, "https://docs.example");
  for (const { name, group } of pages) {
    const text = readFileSync(join(root, `docs/${name}.md`), "utf8").trim();
    strictEqual(full.includes(`<!-- https://docs.example/${name}.md -->\n\n${text}`), group !== "Contribute", name);
  }
  const packaged = readPackagedPages().map(({ name }) => name);
  ok(packaged.includes("tools") && !packaged.includes("architecture"));
});
