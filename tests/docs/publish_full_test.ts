/** The package of docs/tools.md with tools for JSR passes `deno publish`; without a written type it does not. */
import { match, strictEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The program of the section, with the names that packages have on JSR. */
async function readProgram(): Promise<string> {
  const page = await readFile(join(ROOT, "docs/tools.md"), "utf8");
  const [, fence = ""] = /### Publish tools on JSR\n.*?```ts\n(.*?)```/s.exec(page) ?? [];
  return fence.replaceAll(/"toolwire(\/\w+)?"/g, '"@toolwire/toolwire$1"');
}

/** Rehearses the publication of a package of one module. Toolwire is that of the sources, whose types are checked elsewhere. */
async function publish(deno: string, program: string): Promise<{ readonly code: unknown; readonly output: string }> {
  await using folder = await temporaryFolder();
  const tools = join(folder.path, "tools");
  await mkdir(tools);
  await writeFile(join(folder.path, "deno.json"), JSON.stringify({ workspace: ["./tools"], links: [ROOT] }));
  const imports = { "@toolwire/toolwire": "jsr:@toolwire/toolwire" };
  const manifest = { name: "@ada/tools", version: "1.0.0", license: "MIT", exports: "./mod.ts", imports };
  await writeFile(join(tools, "deno.json"), JSON.stringify(manifest));
  await writeFile(join(tools, "mod.ts"), program);
  const args = ["publish", "--dry-run", "--allow-dirty", "--no-check"];
  const env = { ...process.env, NO_COLOR: "1" };
  return await new Promise((resolve) =>
    execFile(
      deno,
      args,
      { cwd: tools, env },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  );
}

testWith("tools and a server with written types pass deno publish", [findProgram("deno")], async (deno) => {
  const { code, output } = await publish(deno, await readProgram());
  strictEqual(code, 0, output);
  match(output, /Success/);
});

testWith("a tool without a written type is a slow type", [findProgram("deno")], async (deno) => {
  const program = await readProgram();
  const { code, output } = await publish(deno, program.replace(/const greet: Tool<[^=]*>/, "const greet"));
  strictEqual(code, 1, output);
  match(output, /missing-explicit-type/);
});
