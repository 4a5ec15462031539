// Measures what Toolwire weighs: bundle sizes, and the time its import adds to a process start.
// `node bench/size.mjs [--runtime bun,deno,node] [--starts 30]`; needs the root's dev dependencies only.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, readVersion, root } from "./runtimes.mjs";

/** `export` keeps a name in use, so that the bundler cannot drop what stands behind it. */
const bundles = {
  "front door, all exports": `export * from "./mod.ts";`,
  "client alone": `export { createClient } from "./mod.ts";`,
};

const emptyScript = fileURLToPath(new URL("empty.mjs", import.meta.url));
/** Node takes Toolwire as it is published, the others take the source. */
const frontDoors = { bun: `${root}mod.ts`, deno: `${root}mod.ts`, node: `${root}dist/mod.js` };

const { values } = parseArgs({
  options: {
    runtime: { type: "string", default: Object.keys(commands).join() },
    starts: { type: "string", default: "30" },
  },
});
const runtimes = values.runtime.split(",");
const starts = Number(values.starts);

console.log(await formatSizes());
if (runtimes.includes("node")) buildPackage();
console.log(`\nImport of the front door over an empty script, ${starts} starts each: median (quartiles).\n`);
console.log(formatTable(["runtime", "ms"], measureImports()));

async function formatSizes() {
  const rows = [];
  for (const [name, code] of Object.entries(bundles)) {
    const bytes = await bundle(code);
    rows.push([name, formatKb(bytes.byteLength), formatKb(gzipSync(bytes, { level: 9 }).byteLength)]);
  }
  return formatTable(["bundle", "min, kB", "min + gzip, kB"], rows);
}

async function bundle(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2023",
  });
  return outputFiles[0].contents;
}

function formatKb(byteLength) {
  return (byteLength / 1000).toFixed(1);
}

/** Each start of the front door against the start of nothing just before it. */
function measureImports() {
  const samples = Object.fromEntries(runtimes.map((runtime) => [runtime, []]));
  // The first start fills the runtimes' caches and does not count.
  for (let start = 0; start <= starts; start++) {
    for (const runtime of runtimes) {
      const emptyMs = timeStart(runtime, emptyScript);
      const importMs = timeStart(runtime, frontDoors[runtime]) - emptyMs;
      if (start > 0) samples[runtime].push(importMs);
    }
  }
  return runtimes.map((runtime) => [`${runtime} ${readVersion(runtime)}`, formatSpread(samples[runtime])]);
}

function timeStart(runtime, script) {
  const [command, ...args] = commands[runtime](script);
  const startMs = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${script} failed on ${runtime}: ${stderr}`);
  return performance.now() - startMs;
}
