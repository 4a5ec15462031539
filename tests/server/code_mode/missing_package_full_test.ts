/** A server whose package of the sandbox is not installed: the error says what to install. */
import { match } from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { temporaryFolder } from "../../temporary_folder.ts";

const PROGRAM = `
  import { createServer, defineTool } from "./mod.ts";
  import { codeMode, quickjs } from "./src/entries/code.ts";
  import { testClient } from "./src/entries/testing.ts";

  const ping = defineTool("ping").describe("Ping").handle(() => 1);
  for (const isolation of ["thread", "inline"]) {
    const server = createServer({ tools: [ping], logger: false, discovery: codeMode({ executor: quickjs({ isolation }) }) });
    await testClient(server).$.call("run_code", { source: "return 1" }).catch(({ message }) => console.log(message));
    await server.close();
  }
`;

test("without the package of the sandbox a program fails, and its error says what to install", async () => {
  await using folder = await temporaryFolder();
  const outfile = join(folder.path, "server.mjs");
  await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd(), loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["quickjs-wasi", "node:*", "bun:*"],
    banner: { js: 'import { createRequire as make } from "node:module"; const require = make(import.meta.url);' },
    logLevel: "silent",
  });
  // Bun would install it.
  const flags = "bun" in process.versions ? ["--no-install"] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, outfile]);
  const line = "Cannot run programs: install the package of the sandbox, npm install quickjs-wasi\n";
  match(stdout, new RegExp(`^(.*${line}){2}$`));
});
