// Runs test files inside workerd: some files together are bundled into a Worker, `node:test` being the shim, and run by `workerd test`.
import { build } from "esbuild";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBin, root, runToEnd } from "../../scripts/runtimes.mjs";

const SHIM = fileURLToPath(new URL("node_test_shim.mjs", import.meta.url));
const ALLOWED = new Set(["node:assert", "node:assert/strict"]);
const MARK = "::toolwire-test ";
const ENTRY = "workerd_entry.mjs";
/** How many files a Worker has: each one parses the sources again. */
const FILES_AT_ONCE = 12;
const STUB = "stub";
const BUILTINS = new Set(builtinModules);

/** From this date on `node:assert` is there without a flag. */
const COMPATIBILITY_DATE = "2026-08-04";

/** @param wasm names of the modules of WebAssembly that the tests import */
const configOf = (wasm) =>
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "test", worker = (
  compatibilityDate = "${COMPATIBILITY_DATE}",
  modules = [(name = "test.js", esModule = embed "test.js")${
    wasm.map((name) => `, (name = "${name}", wasm = embed "${name}")`).join("")
  }],
))]);
`;

/**
 * @param files test files, relative to the root
 * @returns `{ tests: { file, name, status, ms, reason?, output? }[], unfit: { file, reason }[], output, status }`, as the matrix wants it
 */
export async function runOnWorkerd(files) {
  const { unfit, fit, tests } = await sortByNeeds(files);
  const chunks = [];
  for (let at = 0; at < fit.length; at += FILES_AT_ONCE) chunks.push(fit.slice(at, at + FILES_AT_ONCE));
  // Two at a time: tests that wait leave the other core idle.
  const work = async () => {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) tests.push(...await runFiles(chunk));
  };
  await Promise.all([work(), work()]);
  return { tests, unfit, output: "", status: 0 };
}

async function runFiles(files) {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-workerd-"));
  try {
    const { outputFiles, wasm } = await bundle(files);
    writeFileSync(join(folder, "test.js"), outputFiles[0].text);
    for (const [name, path] of wasm) copyFileSync(path, join(folder, name));
    writeFileSync(join(folder, "config.capnp"), configOf([...wasm.keys()]));
    return await runBundle(folder, files);
  } catch (thrown) {
    return files.map((file) => failure(file, thrown.message));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runBundle(folder, files) {
  const { status, stdout, stderr } = await runToEnd(findBin("workerd"), ["test", "config.capnp"], {
    cwd: folder,
    timeout: 600_000,
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith(MARK));
  const results = lines.map((line) => JSON.parse(line.slice(MARK.length)));
  const tests = results.filter(({ end }) => !end);
  const ended = new Set(results.filter(({ end }) => end).map(({ file }) => file));
  const isExplained = status === 0 || tests.some((test) => test.status === "failed");
  const unended = files.filter((file) => !ended.has(file) || !isExplained);
  return [...tests, ...unended.map((file) => failure(file, `It did not run to its end:\n${stderr}`))];
}

function failure(file, output) {
  return { file, name: `all of ${file}`, status: "failed", output };
}

/** Which files need no more than workerd has, and what others need: one build reads all of them. */
async function sortByNeeds(files) {
  try {
    const { metafile: { inputs } } = await bundle(files);
    const needs = files.map((file) => ({ file, stubs: findStaticStubs(inputs, file) }));
    const fit = needs.filter(({ stubs }) => stubs.length === 0).map(({ file }) => file);
    const unfit = needs.filter(({ stubs }) => stubs.length > 0)
      .map(({ file, stubs }) => ({ file, reason: `needs ${stubs.join(", ")}` }));
    return { fit, unfit, tests: [] };
  } catch (thrown) {
    return { fit: [], unfit: [], tests: [failure("the bundle", thrown.message)] };
  }
}

async function bundle(files) {
  const imports = files.map((file) => `import "begin:${file}"; import ${JSON.stringify(`./${file}`)};`);
  const entry = `
    import { runTests } from "node:test";
    ${imports.join("\n")}
    const say = (result) => console.log(${JSON.stringify(MARK)} + JSON.stringify(result));
    let failed = 0;
    export default {
      async test() {
        await runTests((result) => {
          if (result.status === "failed") failed++;
          say(result);
        });
        if (failed > 0) throw new Error(failed + " failed");
      },
    };`;
  const wasm = new Map();
  const built = await build({
    stdin: { contents: entry, resolveDir: root, sourcefile: ENTRY },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    target: "es2023",
    external: [...ALLOWED],
    plugins: [beginnings, builtins, workWithinRequest, wasmModules(wasm)],
    logLevel: "silent",
    keepNames: true,
    // package.json says `sideEffects: false`, which would drop the tests.
    ignoreAnnotations: true,
  });
  return { ...built, wasm };
}

/** Modules of WebAssembly are modules of the Worker, as wrangler makes them. @param found their files by name */
const wasmModules = (found) => ({
  name: "wasm-modules",
  setup({ onResolve }) {
    onResolve({ filter: /\.wasm$/ }, ({ path }) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      found.set(name, fileURLToPath(import.meta.resolve(path)));
      return { path: `./${name}`, external: true };
    });
  },
});

/** `begin:<file>`: what is defined from there on are the tests of that file. */
const beginnings = {
  name: "beginnings",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^begin:/ }, ({ path }) => ({ path: path.slice("begin:".length), namespace: "begin" }));
    onLoad({ filter: /.*/, namespace: "begin" }, ({ path }) => ({
      resolveDir: root,
      contents: `import { beginFile } from "node:test"; beginFile(${JSON.stringify(path)});`,
    }));
  },
};

/** `node:test` is the shim. Modules that workerd has no use for throw when they are used, so that a test may import one dynamically, elsewhere. */
const builtins = {
  name: "builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ path }) => {
      if (path === "node:test") return { path: SHIM };
      const isForeign = /^(node|bun|cloudflare):/.test(path) || path === "bun" || BUILTINS.has(path);
      return isForeign && !ALLOWED.has(path) ? { path, namespace: STUB } : undefined;
    });
    // A package of the official client's, which has one entry for Node, one for browsers, and none for workers.
    onResolve({ filter: /^pkce-challenge$/ }, ({ path }) => ({ path, namespace: STUB }));
    onLoad({ filter: /.*/, namespace: STUB }, ({ path }) => ({
      loader: "js",
      contents: `module.exports = new Proxy({}, { get(_, name) {
        if (name === "__esModule" || name === "default") return undefined;
        throw new TypeError("workerd has no ${path}: " + String(name));
      } });`,
    }));
  },
};

/**
 * The tests of a file run within one request, so their servers may keep work in memory: the default of the memory engine's option
 * that accepts this is changed.
 */
const workWithinRequest = {
  name: "work-within-request",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]memory_engine\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace("{ workEndsWithRequest = false }", "{ workEndsWithRequest = true }");
      if (contents === source) throw new Error(`${path} has no default of workEndsWithRequest`);
      return { loader: "ts", contents };
    });
  },
};

/** The stubs that a file loads whatever its tests do, with who imports them: reached without a dynamic import. */
function findStaticStubs(inputs, entry) {
  const found = new Map();
  const seen = new Set([entry]);
  for (const file of seen) {
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === "dynamic-import") continue;
      if (path.startsWith(`${STUB}:`)) found.set(path.slice(STUB.length + 1), file);
      else seen.add(path);
    }
  }
  return [...found].map(([name, importer]) => `${name} (${importer})`);
}
