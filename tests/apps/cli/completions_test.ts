/** Proposals for words of the command line, and the scripts that ask for them. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import * as v from "../../../src/entries/schema.ts";
import { serve } from "../../../src/entries/serve.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runHere } from "./run_here.ts";

async function createHome() {
  const folder = await temporaryFolder();
  mkdirSync(join(folder.path, ".cursor"));
  mkdirSync(join(folder.path, "src"));
  writeFileSync(
    join(folder.path, ".cursor/mcp.json"),
    '{ "mcpServers": { "weather": { "url": "https://x.example" } } }',
  );
  writeFileSync(join(folder.path, "src/server.ts"), "");
  writeFileSync(join(folder.path, "notes.md"), "");
  const propose = async (...words: readonly string[]) => {
    const { code, out, errors } = await runHere({ cwd: folder.path }, "__complete", "--", ...words);
    deepStrictEqual([code, errors], [0, ""]);
    return out.trimEnd().split("\n").map((line) => line.split("\t")[0]).filter((value) => value !== "");
  };
  return { path: folder.path, propose, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("commands, flags and values of flags are completed", async () => {
  await using home = await createHome();
  deepStrictEqual(await home.propose("inst"), ["install"]);
  ok((await home.propose("")).length > 15);
  deepStrictEqual(await home.propose("help", "pub"), ["publish"]);
  deepStrictEqual(await home.propose("install", "cursor", "--sc"), ["--scope"]);
  deepStrictEqual(await home.propose("install", "cursor", "--scope", ""), ["user", "project"]);
  deepStrictEqual(await home.propose("list", "x", "--bearer"), ["--bearer-env"]);
  deepStrictEqual(await home.propose("no-such-command", ""), []);
  deepStrictEqual(await home.propose("__comp"), []);
});

test("hosts, shells, modules and servers of hosts are completed; programs are left to the shell", async () => {
  await using home = await createHome();
  deepStrictEqual(await home.propose("install", "c"), ["claude-desktop", "claude-code", "cursor", "codex"]);
  deepStrictEqual(await home.propose("completions", "p"), ["powershell"]);
  deepStrictEqual(await home.propose("list", ""), ["src/", "cursor:weather"]);
  deepStrictEqual(await home.propose("list", "src/"), ["src/server.ts"]);
  deepStrictEqual(await home.propose("install", "zed", "--force", "src/s"), ["src/server.ts"]);
  deepStrictEqual(await home.propose("list", "--", "np"), []);
});

test("the tools of a URL and their arguments are completed; names that a shell would interpret are not", async () => {
  const search = defineTool("search_documents").describe("Search").input(
    v.object({ query: v.string(), limit: v.number() }),
  )
    .handle(() => []);
  const other = defineTool("send").describe("Send").handle(() => "sent");
  const running = await serve(createServer({ tools: [search, other] }), { port: 0, graceMs: 0 });
  await using home = await createHome();
  try {
    deepStrictEqual(await home.propose("call", running.url, "s"), ["search_documents", "send"]);
    deepStrictEqual(await home.propose("call", "--timeout", "5s", running.url, "sea"), ["search_documents"]);
    deepStrictEqual(await home.propose("call", running.url, "search_documents", ""), ["query=", "limit="]);
    deepStrictEqual(await home.propose("call", running.url, "search_documents", "query=a", "li"), ["limit="]);
    deepStrictEqual(await home.propose("call", "http://127.0.0.1:1/mcp", ""), []);
  } finally {
    await running.close();
  }
  writeFileSync(
    join(home.path, ".cursor/mcp.json"),
    '{ "mcpServers": { "$(reboot)": { "url": "https://x.example" } } }',
  );
  deepStrictEqual(await home.propose("list", "cursor:"), []);
});

test("--next completes a word that was not begun", async () => {
  await using home = await createHome();
  const { out } = await runHere({ cwd: home.path }, "__complete", "--next", "--", "install");
  match(out, /^claude-desktop\tClaude Desktop\n/);
});

test("toolwire completions prints a script for each shell, and names the shells", async () => {
  await using home = await createHome();
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, out } = await runHere({ cwd: home.path }, "completions", shell);
    strictEqual(code, 0);
    match(out, /__complete/);
    match(out, new RegExp(`^.*completions ${shell}`, "m"));
  }
  const { code, errors } = await runHere({ cwd: home.path }, "completions", "tcsh");
  strictEqual(code, 2);
  match(errors, /^There is no script for "tcsh"; shells are bash, zsh, fish, powershell\n/);
});
