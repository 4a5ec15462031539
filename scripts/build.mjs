// Builds dist/: JavaScript in chunks that the entries share, the declarations that the entries reach, and toolwire.js, a single
// file that a page or a script can import from a URL.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { markPure } from "./mark_pure.mjs";

const { version, name, exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
const jsrName = JSON.parse(readFileSync("deno.json", "utf8")).name;
const entries = Object.values(exports).filter((entry) => typeof entry === "object");
const programs = [...entries.map((entry) => entry.default), ...Object.values(bin)];
const target = "es2023";

rmSync("dist", { recursive: true, force: true });
buildDeclarations();
await buildChunks();
await build({
  entryPoints: ["mod.ts"],
  outfile: "dist/toolwire.js",
  bundle: true,
  format: "esm",
  target,
  minify: true,
  legalComments: "none",
  banner: { js: `/* toolwire ${version}, MIT */` },
});

/** Writes a declaration file for each module, and removes those that no entry reaches. */
function buildDeclarations() {
  const args = ["-p", "tsconfig.build.json", "--emitDeclarationOnly"];
  const { status } = spawnSync("tsc", args, { stdio: "inherit", shell: true });
  if (status !== 0) process.exit(status ?? 1);
  const reached = new Set(entries.map(({ types }) => join(types)));
  for (const file of reached) {
    const code = readForNpm(file);
    writeFileSync(file, code);
    for (const imported of importsOf(code)) reached.add(join(dirname(file), imported));
  }
  for (const file of listFiles(".d.ts")) if (!reached.has(file)) rmSync(file);
}

/** Relative imports of a declaration file, as paths of declaration files. */
function importsOf(code) {
  const found = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)\.[jt]s"/g);
  return Array.from(found, ([, path]) => `${path}.d.ts`);
}

/** One file for each entry, and one for each set of modules that the same entries share. */
async function buildChunks() {
  await build({
    entryPoints: programs.map((file) => file.replace("./dist/", "./").replace(/\.js$/, ".ts")),
    outdir: "dist",
    outbase: ".",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "neutral",
    external: ["node:*", "bun:*"],
    format: "esm",
    target,
  });
  for (const file of listFiles(".js")) writeFileSync(file, markPure(readForNpm(file)));
}

/** Examples and error messages of the sources name the modules as on JSR. */
function readForNpm(file) {
  return readFileSync(file, "utf8").replaceAll(`jsr:${jsrName}`, name);
}

function listFiles(extension) {
  return readdirSync("dist", { recursive: true }).filter((file) => file.endsWith(extension)).map((file) =>
    join("dist", file)
  );
}
