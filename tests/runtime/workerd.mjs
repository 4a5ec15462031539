// Runs test files inside workerd: each is bundled into its own Worker, `node:test` being the shim, and run by `workerd test`.
import { build } from "esbuild";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBin, root, runToEnd } from "../../scripts/runtimes.mjs";

const SHIM = fileURLToPath(new URL("node_test_shim.mjs", import.meta.url));
const ALLOWED = new Set(["node:assert", "node:assert/strict"]);
const MARK = "::toolwire-test ";
const ENTRY = "workerd_entry.mjs";
const STUB = "stub";
const BUILTINS = new Set(builtinModules);

/** From this date on `node:assert` is there without a flag. */
const COMPATIBILITY_DATE = "2026-08-04";

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "test", worker = (
  compatibilityDate = "${COMPATIBILITY_DATE}",
  modules = [(name = "test.js", esModule = embed "test.js")],
))]);
`;

/**
 * @param files test files, relative to the root
 * @returns `{ tests: { file, name, status, reason?, output? }[], unfit: { file, reason }[], output, status }`, as the matrix wants it
 */
export async function runOnWorkerd(files) {
  const bundles = await Promise.all(files.map(bundleTest));
  const tests = bundles.filter(({ error }) => error !== undefined).map(({ file, error }) => failure(file, error));
  const folder = mkdtempSync(join(tmpdir(), "toolwire-workerd-"));
  try {
    // A process for each: a file that does not load would take the others with it.
    for (const { file, code } of bundles) if (code !== undefined) tests.push(...await runBundle(folder, file, code));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { tests, unfit: bundles.filter(({ reason }) => reason !== undefined), output: "", status: 0 };
}

async function runBundle(folder, file, code) {
  writeFileSync(join(folder, "test.js"), code);
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  const { status, stdout, stderr } = await runToEnd(findBin("workerd"), ["test", "config.capnp"], {
    cwd: folder,
    timeout: 300_000,
  });
  const lines = stdout.split("\n").filter((line) => line.startsWith(MARK));
  const results = lines.map((line) => JSON.parse(line.slice(MARK.length)));
  const tests = results.filter(({ end }) => !end);
  const isWhole = results.some(({ end }) => end);
  const isExplained = status === 0 || tests.some((test) => test.status === "failed");
  return isWhole && isExplained ? tests : [...tests, failure(file, `It did not run to its end:\n${stderr}`)];
}

function failure(file, output) {
  return { file, name: `all of ${file}`, status: "failed", output };
}

/** @returns `{ file, code }`, or `{ file, reason }` if the file needs more than workerd has, or `{ file, error }` */
async function bundleTest(file) {
  try {
    return { file, ...await bundle(file) };
  } catch (thrown) {
    return { file, error: thrown.message };
  }
}

async function bundle(file) {
  const entry = `
    import { runTests } from "node:test";
    import ${JSON.stringify(`./${file}`)};
    const say = (result) => console.log(${JSON.stringify(MARK)} + JSON.stringify({ file: ${
    JSON.stringify(file)
  }, ...result }));
    let failed = 0;
    export default {
      async test() {
        await runTests((result) => {
          if (result.status === "failed") failed++;
          say(result);
        });
        say({ end: true });
        if (failed > 0) throw new Error(failed + " failed");
      },
    };`;
  const { metafile, outputFiles } = await build({
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
    plugins: [builtins, workWithinRequest],
    logLevel: "silent",
    keepNames: true,
    // package.json says `sideEffects: false`, which would drop the tests.
    ignoreAnnotations: true,
  });
  const needs = findStaticStubs(metafile.inputs);
  return needs.length === 0 ? { code: outputFiles[0].text } : { reason: `needs ${needs.join(", ")}` };
}

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
    onLoad({ filter: /[/\\]src[/\\]engine[/\\]memory\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace("{ workEndsWithRequest = false }", "{ workEndsWithRequest = true }");
      if (contents === source) throw new Error(`${path} has no default of workEndsWithRequest`);
      return { loader: "ts", contents };
    });
  },
};

/** The stubs that are loaded whatever the tests do, with who imports them: reached without a dynamic import. */
function findStaticStubs(inputs) {
  const found = new Map();
  const seen = new Set([ENTRY]);
  for (const file of seen) {
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === "dynamic-import") continue;
      if (path.startsWith(`${STUB}:`)) found.set(path.slice(STUB.length + 1), file);
      else seen.add(path);
    }
  }
  return [...found].map(([name, importer]) => `${name} (${importer})`);
}
