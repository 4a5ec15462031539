// Weighs the server of npm's mcp-lite in tests/moving before and after its move, bundled by esbuild, minified and compressed by gzip:
// `node bench/moved_size.mjs`. The packages of the servers are installed by tests/moving/moving_full_test.ts.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = `${root}.cache/moving`;
if (!existsSync(`${packages}/node_modules/toolwire`)) {
  throw new Error("Run tests/moving/moving_full_test.ts on Bun first: it installs the packages of the servers");
}

const read = (name) => readFileSync(`${root}tests/moving/servers/mcp_lite/${name}.ts`, "utf8");

/** The moved server on `toolwire/core`, with what its tools need. */
function onCore(text) {
  const imports = 'import { createServer, defineTool, Failure, type Logger, ToolError } from "toolwire";';
  const wire = "wires: [mcp({ sessions:";
  if (!text.includes(imports) || !text.includes(wire)) throw new Error("The moved server has changed");
  return text
    .replace(imports, imports.replace('"toolwire"', '"toolwire/core"') + '\nimport { keyRing } from "toolwire/keys";')
    .replaceAll(wire, "keys: KEYS, wires: [mcp({ catalog: mcpCatalog, sessions:")
    .replace("mcpSessions }", "mcpCatalog, mcpSessions }")
    .replace(
      "const stock =",
      'const KEYS = keyRing("k1:a secret that is long enough for a measurement");\nconst stock =',
    );
}

async function weigh(what, contents) {
  const bundle = { bundle: true, minify: true, format: "esm", platform: "node", write: false, logLevel: "error" };
  const { outputFiles: [file] } = await build({ stdin: { contents, resolveDir: packages, loader: "ts" }, ...bundle });
  const kB = (bytes) => (bytes / 1_000).toFixed(0);
  console.log(`| ${what} | ${kB(file.contents.length)} | ${kB(gzipSync(file.contents).length)} |`);
}

console.log("| bundle | minified, kB | and gzip, kB |\n|---|---:|---:|");
await weigh("the server with mcp-lite", read("server"));
await weigh("the same server here", read("moved"));
await weigh("… on `toolwire/core`", onCore(read("moved")));
await weigh("of each: zod", 'export { z } from "zod";');
await weigh("of each: hono", 'export { Hono } from "hono";');
