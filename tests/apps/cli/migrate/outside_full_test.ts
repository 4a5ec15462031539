/** `toolwire migrate` changes nothing outside of the folder that it is given, and ends soon on odd files. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { runHere } from "../run_here.ts";

const OPTIONS = { timeout: 120_000, skip: process.platform === "win32" && "links are those of Unix" };
const MANIFEST = '{ "name": "a", "dependencies": { "@modelcontextprotocol/sdk": "^1.0.0" } }\n';
const SERVER = 'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n' +
  'import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n' +
  'const server = new McpServer({ name: "a", version: "1.0.0" });\nawait server.connect(new StdioServerTransport());\n';

test("a package.json above the folder, or linked from elsewhere, is left and listed", OPTIONS, async () => {
  for (const isLink of [false, true]) {
    await using folder = await temporaryFolder();
    const source = join(folder.path, "src");
    mkdirSync(source);
    writeFileSync(join(folder.path, "package.json"), MANIFEST);
    if (isLink) symlinkSync("../package.json", join(source, "package.json"));
    writeFileSync(join(source, "server.ts"), SERVER);
    const { code, errors } = await runHere({ cwd: folder.path }, "migrate", "src");
    strictEqual(code, 1, errors);
    match(errors, /package\.json:1 is outside of the folder, and was not changed; .*"toolwire"/);
    strictEqual(readFileSync(join(folder.path, "package.json"), "utf8"), MANIFEST);
    ok(readFileSync(join(source, "server.ts"), "utf8").includes("toolwire"));
  }
});

test("without Git the old files are kept", OPTIONS, async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "server.ts"), SERVER);
  const { errors } = await runHere({ cwd: folder.path }, "migrate");
  match(errors, /The old file is .*server\.ts\.toolwire-.*\.bak\n/);
  const [copy = ""] = readdirSync(folder.path).filter((name) => name.endsWith(".bak"));
  deepStrictEqual(readFileSync(join(folder.path, copy), "utf8"), SERVER);
});

test("200,000 blanks after a word are read once", OPTIONS, async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "package.json"), MANIFEST);
  writeFileSync(join(folder.path, "server.ts"), SERVER);
  for (const word of ["import", "from", "require", "import(", "new"]) {
    writeFileSync(join(folder.path, `${word.replace("(", "-call")}.js`), `// ${word}${" ".repeat(200_000)}x\n`);
  }
  const before = performance.now();
  const { errors } = await runHere({ cwd: folder.path }, "migrate");
  match(errors, /files changed/);
  // Quadratic time would be minutes.
  ok(performance.now() - before < 60_000);
});
