/** Commands on files that are not their own: links, pipes, devices, other commands at the same time, planted names. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { root } from "../../../serve/programs.ts";
import { runHere } from "../run_here.ts";
import { linkDevice } from "./device.ts";

const UNIX = { timeout: 120_000, skip: process.platform === "win32" && "links and pipes are those of Unix" };
const URL_OF_MCP = "https://mcp.example/mcp";

/** A home folder with a project in it, and `toolwire` in the project. */
async function createPlace() {
  const folder = await temporaryFolder();
  const at = (...names: readonly string[]) => join(folder.path, ...names);
  mkdirSync(at("home/.cursor"), { recursive: true });
  mkdirSync(at("project/.cursor"), { recursive: true });
  const run = (...args: readonly string[]) => runHere({ cwd: at("project"), env: { HOME: at("home") } }, ...args);
  return { at, run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test("twelve installs at once are all there", UNIX, async () => {
  await using place = await createPlace();
  const names = [...Array(12).keys()].map((number) => `server-${number}`);
  const ended = await Promise.all(names.map((name) => place.run("install", "cursor", URL_OF_MCP, "--name", name)));
  deepStrictEqual(ended.map(({ code }) => code), names.map(() => 0), ended.map(({ errors }) => errors).join(""));
  const { mcpServers } = JSON.parse(readFileSync(place.at("home/.cursor/mcp.json"), "utf8"));
  deepStrictEqual(Object.keys(mcpServers).sort(), [...names].sort());
});

test("install does not follow a project's link to the user's own file", UNIX, async () => {
  await using place = await createPlace();
  const own = place.at("home/.cursor/mcp.json");
  writeFileSync(own, '{"mcpServers":{"secret":{"command":"x","env":{"KEY":"s3-own"}}}}');
  symlinkSync(own, place.at("project/.cursor/mcp.json"));
  const before = readFileSync(own, "utf8");
  const { code, errors } = await place.run("install", "cursor", URL_OF_MCP, "--scope", "project");
  strictEqual(code, 2);
  match(errors, /it leads to .*home\/\.cursor\/mcp\.json, outside of .*project/);
  strictEqual(readFileSync(own, "utf8"), before);
  deepStrictEqual(readdirSync(place.at("project/.cursor")), ["mcp.json"]);
});

test("install shows where a link of the user leads, and keeps it", UNIX, async () => {
  await using place = await createPlace();
  writeFileSync(place.at("dotfiles.json"), "{}");
  symlinkSync(place.at("dotfiles.json"), place.at("home/.cursor/mcp.json"));
  const { code, errors } = await place.run("install", "cursor", URL_OF_MCP, "--name", "a");
  strictEqual(code, 0, errors);
  match(errors, /^Written, a link to .*dotfiles\.json; the old file is .*home\/\.cursor\/mcp\.json\.toolwire-/m);
  ok(lstatSync(place.at("home/.cursor/mcp.json")).isSymbolicLink());
});

test("a device and a pipe are neither read nor replaced", UNIX, async () => {
  await using place = await createPlace();
  const device = linkDevice(place.at("project"), "device");
  execFileSync("mkfifo", [place.at("project/pipe")]);
  execFileSync("mkfifo", [place.at("home/.cursor/mcp.json")]);
  const installed = await place.run("install", "cursor", URL_OF_MCP, "--name", "a");
  deepStrictEqual([installed.code, /it is a pipe, not a regular file/.test(installed.errors)], [2, true]);
  writeFileSync(place.at("project/tools.json"), "[]");
  for (const name of ["device", "pipe"]) {
    for (
      const command of [
        ["types", "tools.json", "-o", name],
        ["types", "tools.json", "-o", name, "--check"],
        ["record", "record:none", "-o", name, "--force"],
      ]
    ) {
      const { code } = await place.run(...command);
      strictEqual(code, 2, command.join(" "));
    }
  }
  ok(statSync(device).isCharacterDevice());
  match((await place.run("list")).errors, /it is a pipe/);
});

test("types replaces its own text without a copy, and another text with one", UNIX, async () => {
  await using place = await createPlace();
  writeFileSync(place.at("project/tools.json"), "[]");
  writeFileSync(place.at("project/contract.ts"), "export const mine = 1;\n");
  const first = await place.run("types", "tools.json", "-o", "contract.ts");
  const copies = () => readdirSync(place.at("project")).filter((name) => name.endsWith(".bak"));
  deepStrictEqual([first.code, copies().length], [0, 1], first.errors);
  match(first.errors, /^The old file is .*contract\.ts\.toolwire-/);
  writeFileSync(place.at("project/tools.json"), '[{"name":"a","inputSchema":{"type":"object"}}]');
  const second = await place.run("types", "tools.json", "-o", "contract.ts");
  deepStrictEqual([second.errors.includes("contract.ts: written"), copies().length], [true, 1]);
});

test("names twice in a file, and names of objects, are no other server", UNIX, async () => {
  await using place = await createPlace();
  const file = place.at("home/.cursor/mcp.json");
  const twice = '{"mcpServers":{"a":{"url":"https://one.example"},"a":{"url":"https://two.example"}}}';
  for (
    const [text, reason] of [
      [twice, /line 1, column 50: "a" is there twice; remove one of them/],
      [`{"mcpServers":{},\n"mcpServers":{}}`, /line 2, column 1: "mcpServers" is there twice/],
    ] as const
  ) {
    writeFileSync(file, text);
    const { code, errors } = await place.run("install", "cursor", URL_OF_MCP, "--name", "a", "--force");
    strictEqual(code, 1, errors);
    match(errors, reason);
    strictEqual(readFileSync(file, "utf8"), text);
  }
  writeFileSync(file, "{}");
  for (const name of ["constructor", "toString"]) {
    const { code, errors } = await place.run("install", "cursor", URL_OF_MCP, "--name", name);
    strictEqual(code, 0, errors);
  }
  match((await place.run("install", "cursor", URL_OF_MCP, "--name", "__proto__")).errors, /"__proto__" is not a name/);
});

test("pack refuses a name that leads outside, and a licence that is elsewhere", UNIX, async () => {
  await using place = await createPlace();
  const project = place.at("project");
  const manifest = { name: "weather", version: "1.0.0", description: "Weather", author: "Ada", type: "module" };
  const write = (more: object) =>
    writeFileSync(join(project, "package.json"), JSON.stringify({ ...manifest, ...more }));
  writeFileSync(
    join(project, "server.ts"),
    `import { createServer, defineTool } from "${join(root, "mod.ts")}";\n` +
      'export const server = createServer({ tools: [defineTool("a").describe("A").handle(() => 1)], logger: false });\n',
  );
  for (const name of ["../../evil", "@a/../../evil", "a/b", ".."]) {
    write({ name });
    const { code, errors } = await place.run("pack", "server.ts");
    strictEqual(code, 1, errors);
    match(errors, /package\.json has the name .*, which npm refuses/);
  }
  write({});
  writeFileSync(place.at("secret"), "s3-secret");
  symlinkSync(place.at("secret"), join(project, "LICENSE"));
  const linked = await place.run("pack", "server.ts");
  deepStrictEqual([linked.code, existsSync(join(project, "weather-1.0.0.mcpb"))], [1, false], linked.errors);
  match(linked.errors, /LICENSE leads to .*secret, which is not a file of the package/);
});

test("a configuration that is nested too deeply is left as it is, with the reason", UNIX, async () => {
  await using place = await createPlace();
  const file = place.at("home/.cursor/mcp.json");
  const nested = "[".repeat(100_000) + "]".repeat(100_000);
  for (const text of [`{"a":${nested}}`, nested]) {
    writeFileSync(file, text);
    const { code, errors } = await place.run("install", "cursor", URL_OF_MCP, "--name", "a");
    strictEqual(code, 1, errors);
    match(errors, /mcp\.json: it is nested too deeply to be read/);
    strictEqual(readFileSync(file, "utf8"), text);
  }
});

test("names of files with control sequences are printed escaped", UNIX, async () => {
  await using place = await createPlace();
  const out = "a\u001b[2Jb.ts";
  writeFileSync(place.at("project/tools.json"), "[]");
  const { code, errors } = await place.run("types", "tools.json", "-o", out);
  deepStrictEqual([code, errors.includes("\u001b"), existsSync(place.at("project", out))], [0, false, true], errors);
});
