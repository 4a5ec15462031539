/**
 * Clients that published generators create from the OpenAPI document: `openapi-typescript` with `openapi-fetch`, and
 * `openapi-python-client`. They compile, and have the same findings on a running server.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bearer } from "../../../src/entries/auth.ts";
import { serve } from "../../../src/entries/serve.ts";
import { type Found, root, runProgram, testWith } from "../../serve/programs.ts";
import { createLibrary } from "./library.ts";

const GENERATORS = join(root, ".cache/generators");
const NODE_MODULES = join(GENERATORS, "typescript/node_modules");
const PYTHON = join(GENERATORS, "python/bin");

const EXPECTED = {
  sum: 3,
  queried: 50,
  found: { text: "x", exact: true, tags: ["a", "b"] },
  until: "2027-01-01",
  code: "invalid_input",
  promised: [202, true],
  scanned: 3,
  cancelled: false,
};

function find(path: string): Found {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return existsSync(path) ? { path } : { missing: `${name} is not installed: run node scripts/install_generators.mjs` };
}

/** Serves the library, writes its document to a folder, and passes both on. */
async function withLibrary(use: (folder: string, url: string) => Promise<void>): Promise<void> {
  const auth = bearer((token) => (token === "ada" ? { id: "ada" } : undefined));
  const { server, gate } = createLibrary({ auth });
  const listening = await serve(server, { port: 0, graceMs: 0 });
  await mkdir(GENERATORS, { recursive: true });
  const folder = await mkdtemp(join(GENERATORS, "generated-"));
  try {
    gate.resolve();
    const headers = { authorization: "Bearer ada" };
    const response = await fetch(`${listening.url}/rest/openapi.json`, { headers });
    await writeFile(join(folder, "openapi.json"), await response.text());
    await use(folder, listening.url);
  } finally {
    await listening.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a program that has to succeed, and returns its output. */
async function run(cwd: string, ...command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(command, { cwd, withinMs: 300_000 });
  strictEqual(code, 0, `${command.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

const OPTIONS = ["--strict", "--noEmitOnError", "--skipLibCheck", "--target", "es2023", "--module", "nodenext"];

testWith(
  "openapi-typescript and openapi-fetch: the client compiles and works",
  [find(join(NODE_MODULES, ".bin/openapi-typescript")), find(join(NODE_MODULES, ".bin/tsc"))],
  (generator, compiler) =>
    withLibrary(async (folder, url) => {
      await symlink(NODE_MODULES, join(folder, "node_modules"));
      await writeFile(join(folder, "package.json"), '{ "type": "module" }');
      await copyFile(join(root, "tests/wires/rest/generated/client.ts.txt"), join(folder, "client.ts"));
      await run(folder, generator, "openapi.json", "--output", "api.d.ts");
      await writeFile(join(folder, "globals.d.ts"), "declare const process: { readonly argv: readonly string[] };\n");
      await run(folder, compiler, ...OPTIONS, "client.ts", "globals.d.ts");
      deepStrictEqual(JSON.parse(await run(folder, process.execPath, "client.js", url, "ada")), EXPECTED);
    }),
);

testWith(
  "openapi-python-client: the client compiles, is well-typed and works",
  [find(join(PYTHON, "openapi-python-client")), find(join(PYTHON, "mypy")), find(join(PYTHON, "python"))],
  (generator, mypy, python) =>
    withLibrary(async (folder, url) => {
      await writeFile(join(folder, "config.yaml"), "post_hooks: []\n");
      await copyFile(join(root, "tests/wires/rest/generated/client.py"), join(folder, "client.py"));
      const output = join(folder, "library_client");
      const source = ["--path", "openapi.json", "--config", "config.yaml", "--output-path", output, "--meta", "none"];
      const printed = await run(folder, generator, "generate", ...source, "--fail-on-warning");
      strictEqual(/warning/i.test(printed), false, printed);
      await run(folder, python, "-m", "compileall", "-q", "library_client", "client.py");
      await run(folder, mypy, "--no-incremental", "client.py");
      deepStrictEqual(JSON.parse(await run(folder, python, "client.py", url, "ada")), EXPECTED);
    }),
);
