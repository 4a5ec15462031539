/** The program at the top of docs/deployment.md, unchanged: it starts, is probed, answers, and ends by signal. */
import { strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../mod.ts";
import { mcpTransport } from "../../src/entries/mcp.ts";
import { sendRaw } from "../serve/client.ts";
import { importFromJsr } from "../docs/extract.ts";
import { findNode, findProgram, type Found, root, startProgram, testWith } from "../serve/programs.ts";
import { documented } from "./fleet.ts";

/** What is between `deno` and the script on the page. */
const [, denoFlags = ""] = /^deno (.*) main\.ts$/m.exec(documented("sh", "deno run")) ?? [];
const hook = `--import=${new URL("../runtime/node_hook.mjs", import.meta.url).href}`;

const commands: readonly (readonly [name: string, program: Found, args: readonly string[]])[] = [
  ["bun", findProgram("bun"), []],
  ["deno", findProgram("deno"), [...denoFlags.split(" "), "--no-check", `--config=${join(root, "deno.json")}`]],
  ["node24", findNode(24), ["--disable-warning=ExperimentalWarning", hook]],
];

for (const [name, program, args] of commands) {
  testWith(`the documented program runs on ${name}`, [program], async (path) => {
    // Inside the repository, where the runtimes know what `jsr:@toolwire/toolwire` is.
    mkdirSync(join(root, ".cache"), { recursive: true });
    const folder = mkdtempSync(join(root, ".cache/deployment-"));
    try {
      const script = join(folder, "main.ts");
      writeFileSync(script, importFromJsr(documented("ts", "keysFromEnv(),")));
      const env = {
        PORT: "0",
        HOSTS: "tools.example,localhost",
        TOOLWIRE_KEYS: "k1:a secret of at least thirty-two bytes",
      };
      await using running = await startProgram([path, ...args, script], { cwd: folder, env });
      const url = running.url.replace("0.0.0.0", "localhost");
      strictEqual((await fetch(`${url}/healthz`)).status, 200);
      strictEqual((await fetch(`${url}/readyz`)).status, 200);
      for (const transport of [`${url}/mcp-lite/v1`, mcpTransport(`${url}/mcp`)]) {
        const client = createClient(transport);
        strictEqual(await client.$.call("ping"), "pong");
        client.$.close();
      }
      const probe = (host: string) => sendRaw(url, `GET /readyz HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      strictEqual((await probe("tools.example")).status, 200);
      strictEqual((await probe("evil.example")).status, 403);
      running.signal("SIGTERM");
      strictEqual(await running.exited, 0, running.output());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
