// Lets Node run the tests from source: `jsr:@toolwire/…` is where tsconfig.json says, as it is on Bun. The matrix names a folder for
// translated files in TOOLWIRE_TRANSLATIONS, since each test file has its own process.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import process from "node:process";

const root = new URL("../../", import.meta.url);
const { paths } = JSON.parse(readFileSync(new URL("tsconfig.json", root), "utf8")).compilerOptions;
const folder = process.env.TOOLWIRE_TRANSLATIONS;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [path] = Object.hasOwn(paths, specifier) ? paths[specifier] : [];
    return path === undefined ? nextResolve(specifier, context) : nextResolve(new URL(path, root).href, context);
  },
});

// Node 22 has no `using` yet. Only the tests are translated: what they test is to run as it is. Later versions keep what they compile.
const tests = new URL("tests/", root).href;
const own = ["src/", "apps/", "examples/", "mod.ts"].map((name) => new URL(name, root).href);
if (Number.parseInt(process.versions.node, 10) < 24) {
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.endsWith(".ts")) return nextLoad(url, context);
      const translate = url.startsWith(tests) ? toEs2023 : own.some((name) => url.startsWith(name)) && withoutTypes;
      if (!translate || (translate === withoutTypes && folder === undefined)) return nextLoad(url, context);
      const source = readFileSync(new URL(url), "utf8");
      return { format: "module", source: translateOnce(url, source, translate), shortCircuit: true };
    },
  });
}

/** As Node does it by itself. */
function withoutTypes(source) {
  return stripTypeScriptTypes(source);
}

function toEs2023(source, url) {
  const { transformSync } = createRequire(import.meta.url)("esbuild");
  return transformSync(source, { loader: "ts", target: "es2023", sourcemap: "inline", sourcefile: url }).code;
}

/** Reads what another process has translated. */
function translateOnce(url, source, translate) {
  if (folder === undefined) return translate(source, url);
  const file = join(folder, createHash("sha1").update(`${url}\n${source}`).digest("hex"));
  try {
    return readFileSync(file, "utf8");
  } catch {
    const code = translate(source, url);
    keep(file, code);
    return code;
  }
}

/** A program whose files are limited keeps nothing. */
function keep(file, code) {
  const part = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(part, code);
    renameSync(part, file);
  } catch {
    rmSync(part, { force: true });
  }
}
