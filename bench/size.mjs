// Measures what Toolwire weighs: bundle sizes, and the time its import adds to a process start; with `--entries` for each entry.
// `node bench/size.mjs [--entries] [--runtime bun,deno,node] [--starts 30]`; needs the root's dev dependencies only.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { readCount, readNames, readOptions } from "./options.mjs";
import { formatSpread, formatTable } from "./report.mjs";
import { buildPackage, commands, readVersion, root } from "./runtimes.mjs";

/** `export` keeps a name in use, so that the bundler cannot drop its code. */
const bundles = {
  "core, mcpLite() and one tool": coreServer(""),
  "core, mcp(), mcpLite() and one tool": coreServer("mcp(), "),
  "front door, all exports": `export * from "./mod.ts";`,
  "client alone": `export { createClient } from "./mod.ts";`,
  "client of the core alone": `export { createClient } from "./src/entries/core.ts";`,
};

/** A server of the core with one tool. */
function coreServer(wires) {
  return `import { createServer, defineTool, mcpLite } from "./src/entries/core.ts";
    import { mcp } from "./src/entries/mcp.ts";
    const tool = defineTool("t").describe("T").handle(() => 1);
    export const server = createServer({ tools: [tool], wires: [${wires}mcpLite()] });`;
}

const emptyScript = fileURLToPath(new URL("empty.mjs", import.meta.url));
const { exports, peerDependencies } = readJson("package.json");
const { exports: sources } = readJson("deno.json");
/** What an entry is on each runtime: Node takes Toolwire as it is published, the others take the source. */
const entries = Object.entries(exports).filter(([, file]) => typeof file === "object").map(([name, file]) => ({
  name: `toolwire${name.slice(1)}`,
  bun: root + sources[name],
  deno: root + sources[name],
  node: root + file.default,
}));
const [frontDoor] = entries;

const { runtimes, starts, byEntry } = readOptions({
  runtime: { type: "string", default: Object.keys(commands).join() },
  starts: { type: "string", default: "30" },
  entries: { type: "boolean", default: false },
}, ({ runtime, starts, entries }) => ({
  runtimes: readNames("runtime", runtime, Object.keys(commands)),
  starts: readCount("--starts", starts),
  byEntry: entries,
}));

if (runtimes.includes("node")) buildPackage();
if (byEntry) {
  console.log(formatTable(
    ["entry", "min + gzip, kB", "beside the front door, kB", ...runtimes.map((name) => `import on ${name}, ms`)],
    await weighEntries(),
  ));
} else {
  console.log(await formatSizes());
  console.log(`\nImport of the front door over an empty script, ${starts} starts each: median (quartiles).\n`);
  const rows = measureImports(frontDoor).map((
    cell,
    index,
  ) => [`${runtimes[index]} ${readVersion(runtimes[index])}`, cell]);
  console.log(formatTable(["runtime", "ms"], rows));
}

function readJson(file) {
  return JSON.parse(readFileSync(root + file, "utf8"));
}

/** What each entry costs alone, and what it adds to a program that has the front door already. */
async function weighEntries() {
  const weigh = async (...files) => {
    const code = files.map((file, index) =>
      `import * as part${index} from ${JSON.stringify(file)}; globalThis.part${index} = part${index};`
    );
    return zipBytes((await bundle(code.join("\n"), "node")).atStart);
  };
  const frontDoorBytes = await weigh(frontDoor.bun);
  const rows = [];
  for (const entry of entries) {
    console.error(`${entry.name} …`);
    const added = entry === frontDoor ? 0 : await weigh(frontDoor.bun, entry.bun) - frontDoorBytes;
    rows.push([entry.name, formatKb(await weigh(entry.bun)), formatKb(added), ...measureImports(entry)]);
  }
  return rows;
}

async function formatSizes() {
  const rows = [];
  for (const [name, code] of Object.entries(bundles)) {
    const { atStart, later, modules } = await bundle(code);
    const onDemand = later.length === 0 ? "" : formatKb(zipBytes(later));
    rows.push([name, formatKb(minBytes(atStart)), formatKb(zipBytes(atStart)), String(modules), onDemand]);
  }
  return formatTable(["bundle", "min, kB", "min + gzip, kB", "modules", "on demand, min + gzip, kB"], rows);
}

function minBytes(files) {
  return files.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function zipBytes(files) {
  return files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).byteLength, 0);
}

/**
 * The files that a program loads when it starts, and those that it loads on demand, by `import()`. What its user brings along, and what
 * the platform has, stays out.
 */
async function bundle(contents, platform = "browser") {
  const { outputFiles, metafile: { outputs } } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    splitting: true,
    outdir: root,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform,
    external: Object.keys(peerDependencies),
    target: "es2023",
  });
  const entry = Object.keys(outputs).find((name) => outputs[name].entryPoint === "<stdin>");
  const atStart = reach(outputs, [entry], ["import-statement"]);
  const later = reach(outputs, [...atStart], ["import-statement", "dynamic-import"]);
  const filesOf = (names) =>
    Array.from(names, (name) => outputFiles.find(({ path }) => path === resolve(name)).contents);
  const modules = [...atStart].flatMap((name) => Object.keys(outputs[name].inputs)).length;
  return { atStart: filesOf(atStart), later: filesOf([...later].filter((name) => !atStart.has(name))), modules };
}

/** Names of the files that files import, themselves included. */
function reach(outputs, from, kinds) {
  const names = new Set(from);
  // The loop visits what is added to the set meanwhile.
  for (const name of names) {
    for (const { path, kind } of outputs[name].imports) if (kinds.includes(kind) && path in outputs) names.add(path);
  }
  return names;
}

function formatKb(byteLength) {
  return (byteLength / 1000).toFixed(1);
}

/** Of each runtime: each start of the entry against the start of nothing just before it. */
function measureImports(entry) {
  const samples = runtimes.map(() => []);
  // The first start fills the runtimes' caches and does not count.
  for (let start = 0; start <= starts; start++) {
    for (const [index, runtime] of runtimes.entries()) {
      const emptyMs = timeStart(runtime, emptyScript);
      const importMs = timeStart(runtime, entry[runtime]) - emptyMs;
      if (start > 0) samples[index].push(importMs);
    }
  }
  return samples.map(formatSpread);
}

function timeStart(runtime, script) {
  const [command, ...args] = commands[runtime](script);
  const startMs = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${script} failed on ${runtime}: ${stderr}`);
  return performance.now() - startMs;
}
