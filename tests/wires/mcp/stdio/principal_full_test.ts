/** Who calls over stdio, and with which options of MCP: `toolwire stdio` as a process. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient } from "../../../../mod.ts";
import { stdioTransport } from "../../../../src/entries/stdio.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { run } from "../../../apps/cli/run.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const hook = new URL("../../../runtime/node_hook.mjs", import.meta.url).href;
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  deno: ["run", "-A", "--quiet", "--no-check"],
  node: ["--disable-warning=ExperimentalWarning", `--import=${hook}`],
};
const MODULE = "tests/wires/mcp/stdio/scoped_module.ts";

function argsOf(...options: readonly string[]): string[] {
  return [...FLAGS[runtime] ?? [], "apps/cli/main.ts", "stdio", MODULE, ...options];
}

/** What a caller may do: names of the listed tools, the result of `write` or its code, whether the prompt is given. */
async function accessWith(...options: readonly string[]) {
  const transport = stdioTransport(process.execPath, argsOf(...options), { cwd: root, stderr: "ignore" });
  const { $ } = createClient(transport);
  try {
    const listed = (await $.list()).map(({ name }) => name).filter((name) => !/^(redeem|cancel)$/.test(name));
    const code = (error: { readonly code: string }) => error.code;
    const prompt = await transport.prompts.get("review").then(() => "given", code);
    return { listed, write: await $.call("write").catch(code), prompt };
  } finally {
    $.close();
  }
}

test("without options the user who started the program has every scope", async () => {
  deepStrictEqual(await accessWith(), {
    listed: ["write", "admin", "plain"],
    write: { id: "local", scopes: ["docs:write"] },
    prompt: "given",
  });
});

test("--principal and --scopes name the caller, who then has these scopes only", async () => {
  deepStrictEqual(await accessWith("--principal", "ada", "--scopes", "docs:write, admin"), {
    listed: ["write", "admin", "plain"],
    write: { id: "ada", scopes: ["docs:write", "admin"] },
    prompt: "permission_denied",
  });
  deepStrictEqual(await accessWith("--principal", "local"), {
    listed: ["write", "plain"],
    write: "permission_denied",
    prompt: "permission_denied",
  });
  const { write } = await accessWith("--scopes=docs:write");
  deepStrictEqual(write, { id: "local", scopes: ["docs:write"] });
});

test("an empty principal and an unknown option are wrong usage", async () => {
  for (const option of ["--principal=", "--scope=docs:write"]) {
    const { code, errors } = await run("stdio", MODULE, option);
    strictEqual(code, 2);
    match(errors, /^Usage: toolwire stdio <module> \[--principal <id>\]/m);
  }
});

test("toolwire stdio honours the options of the module's mcp({ … })", async () => {
  const child = spawn(process.execPath, argsOf(), { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => out += text);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  child.stdin.end(`${JSON.stringify(list)}\n`);
  await new Promise((resolve) => child.once("close", resolve));
  const { result } = JSON.parse(out) as { result: { tools: unknown[]; nextCursor?: string } };
  deepStrictEqual([result.tools.length, typeof result.nextCursor], [1, "string"]);
});
