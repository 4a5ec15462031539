/** `.mcpb` bundles: accepted by the format's own tool, unpacked by it, and started by Node. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../../mod.ts";
import { type BundleManifest, packBundle } from "../../../src/entries/packaging.ts";
import { stdioTransport } from "../../../src/entries/stdio.ts";
import { findNode, findProgram, type Found, root, runProgram, testWith } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const MAX_BYTES = 1_000_000;

const PACKAGE = {
  name: "@ada/weather",
  version: "1.2.3",
  description: "Weather for cities",
  author: "Ada <ada@example.com>",
  license: "MIT",
  type: "module",
};

const SERVER = `
import { createServer, defineTool } from "toolwire";
import * as v from "toolwire/schema";
import process from "node:process";
import { city } from "./city.ts";
console.log("loaded");
const weather = defineTool("get_weather").describe("Weather of a city").input(v.object({ city }))
  .handle(({ city }) => city + ": " + process.env.LEVEL + " " + process.env.API_KEY);
export const server = createServer({ name: "weather", version: "1.2.3", tools: [weather] });
export const other = 1;
`;

function findBundleTool(): Found {
  const path = join(root, ".cache/generators/mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js");
  return existsSync(path) ? { path } : { missing: "mcpb is not installed: run node scripts/install_generators.mjs" };
}

/** A project whose \`toolwire\` is the sources of this repository. */
function writeProject(folder: string, server: string = SERVER): string {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const files = {
    "package.json": JSON.stringify(PACKAGE),
    "tsconfig.json": JSON.stringify({ extends: join(root, "tsconfig.json") }),
    "city.ts": 'import * as v from "toolwire/schema";\nexport const city = v.string();\n',
    "server.ts": server,
    LICENSE: "MIT\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, "server.ts");
}

testWith(
  "an .mcpb bundle is valid, small, the same twice, and started from its files by Node",
  [findNode(24), findBundleTool()],
  async (node, tool) => {
    await using folder = await temporaryFolder();
    const module = writeProject(folder.path);
    const options = { module, variables: [{ name: "API_KEY" }, { name: "LEVEL", default: "info" }] };
    const [bundle, again] = [await packBundle(options), await packBundle(options)];
    strictEqual(bundle.fileName, "weather-1.2.3.mcpb");
    deepStrictEqual(bundle.manifest.tools, [{ name: "get_weather", description: "Weather of a city" }]);
    ok(bundle.bytes.byteLength < MAX_BYTES, `${bundle.bytes.byteLength} bytes`);
    deepStrictEqual(again.bytes, bundle.bytes);

    const file = join(folder.path, bundle.fileName);
    writeFileSync(file, bundle.bytes);
    const unpacked = join(folder.path, "unpacked");
    for (const words of [["unpack", file, unpacked], ["validate", join(unpacked, "manifest.json")]]) {
      const { code, stdout, stderr } = await runProgram([node, tool, ...words]);
      strictEqual(code, 0, `${words.join(" ")}\n${stdout}${stderr}`);
    }
    deepStrictEqual(readdirSync(unpacked).sort(), ["LICENSE", "manifest.json", "server"]);
    const manifest = JSON.parse(readFileSync(join(unpacked, "manifest.json"), "utf8")) as BundleManifest;
    strictEqual(await callAsHost(node, unpacked, manifest), "Paris: debug k-1");
  },
);

/** Starts the program of a bundle as its manifest says, and calls its tool. */
async function callAsHost(node: string, folder: string, { server }: BundleManifest): Promise<unknown> {
  const settings: Readonly<Record<string, string>> = { api_key: "k-1", level: "debug" };
  const fill = (text: string) =>
    text.replace("${__dirname}", folder).replace(/\$\{user_config\.(\w+)\}/g, (_, key: string) => settings[key] ?? "");
  const { args, env = {} } = server.mcp_config;
  const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
  const client = createClient(stdioTransport(node, args.map(fill), { cwd: "/", env: filled, stderr: "ignore" }));
  try {
    return await client.$.call("get_weather", { city: "Paris" });
  } finally {
    client.$.close();
  }
}

testWith("packBundle() says what it cannot pack", [findProgram("bun")], async () => {
  await using folder = await temporaryFolder();
  await rejects(packBundle({ module: join(folder.path, "none.ts") }), /there is no file/);
  const module = writeProject(folder.path, 'export const server = { name: "not one" };\n');
  await rejects(packBundle({ module }), /the packed server does not start: server\.ts does not export a server/);
  writeProject(folder.path);
  await rejects(packBundle({ module, exportName: "other" }), /does not export a server/);
  writeProject(folder.path, 'import "no-such-package";\n');
  await rejects(packBundle({ module }), /Could not resolve "no-such-package" \(server\.ts:1\)/);
  writeProject(folder.path, 'import "jsr:@toolwire/other";\n');
  await rejects(packBundle({ module }), /Could not resolve "jsr:.*npm install toolwire/);
  writeProject(folder.path, 'throw new Error("no database");\n');
  await rejects(packBundle({ module }), /does not start: [^]*no database/);
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ ...PACKAGE, author: undefined }));
  await rejects(packBundle({ module }), /package\.json has no author/);
});

testWith("toolwire pack writes the bundle, and refuses what is not a module", [findProgram("bun")], async (bun) => {
  await using folder = await temporaryFolder();
  writeProject(folder.path);
  const cli = [bun, join(root, "apps/cli/main.ts"), "pack"];
  const packed = await runProgram([...cli, "server.ts", "--env", "API_KEY", "--json"], { cwd: folder.path });
  strictEqual(packed.code, 0, packed.stderr);
  const { bytes, manifest } = JSON.parse(packed.stdout);
  strictEqual(readFileSync(join(folder.path, "weather-1.2.3.mcpb")).byteLength, bytes);
  strictEqual(manifest.user_config.api_key.sensitive, true);
  const missing = await runProgram([...cli, "none.ts"], { cwd: folder.path });
  deepStrictEqual([missing.code, missing.stdout], [1, ""]);
  match(missing.stderr, /^Cannot pack .*none\.ts: there is no file /);
  const wrong = await runProgram([...cli, "https://example.com/mcp"], { cwd: folder.path });
  strictEqual(wrong.code, 2);
  match(wrong.stderr, /is not a module such as \.\/server\.ts/);
});
