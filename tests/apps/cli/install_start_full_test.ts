/** `toolwire install`: a program is started once before its entry is written, and a bearer token is a reference. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createServer, defineTool, mcp } from "../../../mod.ts";
import { resolveSource } from "../../../apps/cli/targets/resolve_typescript.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { serve } from "../../../src/entries/serve.ts";
import { root } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { runtime } from "../../runtime/runtime.ts";
import { run } from "./run.ts";
import { runHere } from "./run_here.ts";

const OPTIONS = { timeout: 120_000, skip: process.platform === "win32" && "the files are those of Linux and macOS" };

async function createHome(env: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder();
  const file = join(folder.path, ".cursor/mcp.json");
  const run = (...args: readonly string[]) => runHere({ cwd: folder.path, env }, "install", ...args);
  const read = () => JSON.parse(readFileSync(file, "utf8")).mcpServers;
  return { path: folder.path, file, run, read, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("a program that does not start is not written, unless --no-start says so", OPTIONS, async () => {
  await using home = await createHome();
  const program = ["--", process.execPath, "-e", 'console.error("no such package"); process.exit(1)'];
  const { code, errors } = await home.run("cursor", "--name", "a", ...program);
  deepStrictEqual([code, existsSync(home.file)], [4, false]);
  match(errors, /^The entry is not written, as its program does not start: .*\n.*no such package[^]*--no-start/);
  strictEqual((await home.run("cursor", "--name", "a", "--dry-run", ...program)).code, 0);
  strictEqual((await home.run("cursor", "--name", "a", "--no-start", ...program)).code, 0);
  const secret = await home.run("cursor", "--name", "b", "--env", "API_KEY", ...program);
  deepStrictEqual([secret.code, /^Not tried, as API_KEY is not set here\n/.test(secret.errors)], [0, true]);
  deepStrictEqual(Object.keys(home.read()), ["a", "b"]);
});

test("a module of NodeNext is loaded: ./shop.js is shop.ts, unless there is a shop.js", OPTIONS, async () => {
  await using home = await createHome();
  mkdirSync(join(home.path, "src"));
  writeFileSync(join(home.path, "package.json"), '{ "type": "module" }');
  writeFileSync(join(home.path, "src/shop.ts"), "export const price: number = 3;\n");
  writeFileSync(
    join(home.path, "src/server.ts"),
    `import { createServer, defineTool } from ${JSON.stringify(join(root, "mod.ts"))};\n` +
      'import { price } from "./shop.js";\n' +
      'const tool = defineTool("price").describe("Price").handle(() => price);\n' +
      'export const server = createServer({ name: "shop", tools: [tool], logger: false });\n',
  );
  const listed = await run("list", join(home.path, "src/server.ts"));
  if (runtime === "deno") match(listed.errors, /--sloppy-imports/);
  else strictEqual(listed.out, "// Price\nprice() => unknown\n\n", listed.errors);
  const entry = resolveSource("./shop.js", `file://${home.path}/src/server.ts`);
  strictEqual(entry, `file://${home.path}/src/shop.ts`);
  for (
    const [specifier, parent] of [["./shop.ts", "server.ts"], ["shop.js", "server.ts"], ["./shop.js", "server.js"]]
  ) {
    strictEqual(resolveSource(specifier ?? "", `file://${home.path}/src/${parent}`), undefined);
  }
  writeFileSync(join(home.path, "src/shop.js"), "");
  strictEqual(
    resolveSource("./shop.js", `file://${home.path}/src/server.ts`),
    undefined,
    "a file that exists is meant",
  );
});

test("--bearer-env writes a reference, and the entry has the server's own name", OPTIONS, async () => {
  const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal?.id);
  const auth = bearer((token) => token === "s3-token" ? { id: "ada" } : undefined);
  const listening = await serve(
    createServer({ name: "weather", tools: [whoami], wires: [mcp()], auth, logger: false }),
    {
      port: 0,
    },
  );
  const { origin, port } = new URL(listening.url);
  const url = `http://localhost:${port}/mcp`;
  await using home = await createHome({ TOK: "s3-token" });
  strictEqual((await home.run("cursor", url, "--bearer-env", "TOK")).code, 0);
  deepStrictEqual(home.read(), { weather: { url, headers: { authorization: "Bearer ${env:TOK}" } } });
  const entryOf = async (host: string) => (await home.run(host, `${origin}/mcp`, "--bearer-env", "TOK", "--print")).out;
  match(await entryOf("claude-code"), /"authorization": "Bearer \$\{TOK\}"/);
  match(await entryOf("codex"), /^\[mcp_servers\.weather\]\n[^]*bearer_token_env_var = "TOK"\n$/);
  match(await entryOf("vscode"), /"id": "weather-tok"[^]*"authorization": "Bearer \$\{input:weather-tok\}"/);
  for (const host of ["cursor", "claude-code", "codex", "vscode", "gemini", "windsurf"]) {
    ok(!(await entryOf(host)).includes("s3-token"), host);
  }
  const zed = await home.run("zed", url, "--bearer-env", "TOK");
  strictEqual(zed.code, 2);
  match(zed.errors, /^Cannot refer to TOK in Zed: its file has values only; write the token itself with --token/);
  await listening.close();
});
