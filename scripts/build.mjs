// Builds dist/: JavaScript and declarations in files that the entries share, and toolwire.js, a single file that a page or a script
// can import from a URL. Packages that are not among the dependencies, such as those of the program, are in these files, and
// dist/LICENSES has their licences.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { licencesOf } from "./licences.mjs";
import { markPure } from "./mark_pure.mjs";

const { version, name, exports, bin, dependencies, peerDependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const jsrName = JSON.parse(readFileSync("deno.json", "utf8")).name;
const entries = Object.values(exports).filter((entry) => typeof entry === "object");
const programs = [...entries.map((entry) => entry.default), ...Object.values(bin)];
const target = "es2023";

rmSync("dist", { recursive: true, force: true });
run("bun scripts/llms.mjs");
await buildDeclarations();
await buildChunks();
await build({
  // With the adapter of valibot, because the file has no second entry.
  stdin: { contents: 'import "./src/entries/schema.ts"; export * from "./mod.ts";', resolveDir: "." },
  outfile: "dist/toolwire.js",
  bundle: true,
  format: "esm",
  target,
  minify: true,
  legalComments: "none",
  banner: { js: `/* toolwire ${version}, MIT */` },
});

/** A declaration file for each module, by TypeScript, then as few as the entries need. */
async function buildDeclarations() {
  run("tsc -p tsconfig.build.json --emitDeclarationOnly");
  run("node ../install.mjs", "scripts/declarations");
  const { bundleDeclarations } = await import("./declarations/bundle.mjs");
  const bundled = await bundleDeclarations(entries.map(({ types }) => join(types)), "dist");
  for (const file of listFiles(".d.ts")) rmSync(file);
  for (const { name, code } of bundled) {
    const file = join("dist", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, forNpm(code));
  }
}

function run(command, cwd = ".") {
  const { status } = spawnSync(command, { stdio: "inherit", shell: true, cwd });
  if (status !== 0) process.exit(status ?? 1);
}

/** One file for each entry, and one for each set of modules that the same entries share. */
async function buildChunks() {
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const { metafile } = await build({
    metafile: true,
    entryPoints: programs.map((file) => file.replace("./dist/", "./").replace(/\.js$/, ".ts")),
    outdir: "dist",
    outbase: ".",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "bun:*", ...installed.flatMap((id) => [id, `${id}/*`])],
    format: "esm",
    target,
  });
  writeFileSync("dist/LICENSES", licencesOf(metafile));
  for (const file of listFiles(".js")) {
    const code = markPure(forNpm(readFileSync(file, "utf8")));
    // Chunks with a name are loaded by import(): nearly all are commands of the program. These, and packages, take less room without
    // whitespace, and are not what one reads in a stack trace.
    const isDense = /^dist\/chunks\/(?!chunk-)/.test(file) ||
      isOfPackages(metafile.outputs[file.replaceAll("\\", "/")]);
    writeFileSync(file, isDense ? (await transform(code, { minifyWhitespace: true, target })).code : code);
  }
}

/** Whether most of a chunk is code of other packages. */
function isOfPackages({ inputs, bytes }) {
  const foreign = Object.entries(inputs).filter(([path]) => path.includes("node_modules/"));
  return foreign.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) > bytes / 2;
}

/** Examples and error messages of the sources name the modules as on JSR. */
function forNpm(code) {
  return code.replaceAll(`jsr:${jsrName}`, name);
}

function listFiles(extension) {
  return readdirSync("dist", { recursive: true }).filter((file) => file.endsWith(extension)).map((file) =>
    join("dist", file)
  );
}
