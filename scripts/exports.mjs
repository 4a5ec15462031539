/**
 * The entries of the package, from the listing of `src/entries/`: `node scripts/exports.mjs` writes them into `package.json`, `deno.json`,
 * `jsr.json` and the paths of `tsconfig.json`, what each exports into `tests/arch/exports.txt`, its declarations into
 * `tests/arch/signatures.txt`, and the map `src/entries/README.md`.
 *
 * A file `src/entries/engines/durable_object.ts` is the entry `./engines/durable-object`. Two entries are elsewhere: the front door, and
 * the program.
 *
 * @module
 */
import { parse } from "@babel/parser";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { listEntries, renderReadme } from "./entry_map.mjs";

const ROOT = new URL("../", import.meta.url);

/** The checked-in list of what the entries export. */
export const LIST = new URL("tests/arch/exports.txt", ROOT);

/** The text of each manifest, by its name, as the entries require it. */
export function renderManifests() {
  const entries = listEntries();
  const sources = entries.map(([entry, file]) => [entry, `./${file}`]);
  const built = entries.map(([entry, file]) => {
    const base = `./dist/${file.slice(0, -".ts".length)}`;
    return [entry, { types: `${base}.d.ts`, default: `${base}.js` }];
  });
  const paths = ["toolwire", "jsr:@toolwire/toolwire"].flatMap((name) =>
    sources.map(([entry, file]) => [`${name}${entry.slice(1)}`, [file]])
  );
  return {
    "package.json": withMember("package.json", "exports", [...built, ["./package.json", "./package.json"]]),
    "deno.json": withMember("deno.json", "exports", sources),
    "jsr.json": withMember("jsr.json", "exports", sources),
    "tsconfig.json": withMember("tsconfig.json", "paths", paths),
  };
}

/** A manifest with other values for the members of `name`, one a line. */
function withMember(file, name, values) {
  const text = readFileSync(new URL(file, ROOT), "utf8");
  return text.replace(new RegExp(`^( *)"${name}": \\{\\n[^]*?\\n\\1\\}`, "m"), (_, indent) => {
    const lines = values.map(([key, value]) => `${indent}  ${JSON.stringify(key)}: ${inline(value)}`);
    return `${indent}"${name}": {\n${lines.join(",\n")}\n${indent}}`;
  });
}

function inline(value) {
  return JSON.stringify(value, undefined, 1).replace(/\n */g, " ").replace("[ ", "[").replace(" ]", "]");
}

/** The list of what each entry exports. */
export function listExports() {
  const sections = listEntries().map(([entry, source]) => {
    const names = exportsOf(readFileSync(new URL(source, ROOT), "utf8"));
    return [`${entry} (${source})`, ...names.map((name) => `  ${name}`)].join("\n");
  });
  return `${sections.join("\n\n")}\n`;
}

/** The names that a module exports, in order; types are marked, and `* from` stands for all names of another module. */
export function exportsOf(text) {
  const { body } = parse(text, { sourceType: "module", plugins: ["typescript"] }).program;
  const names = new Set();
  for (const { type, exportKind, source, specifiers, declaration } of body) {
    if (type === "ExportAllDeclaration") names.add(`* from ${source.value}`);
    if (type !== "ExportNamedDeclaration") continue;
    const isType = exportKind === "type";
    for (const { exported, exportKind: kind } of specifiers) {
      names.add(`${isType || kind === "type" ? "type " : ""}${exported.name}`);
    }
    for (const { id } of declaration?.declarations ?? (declaration ? [declaration] : [])) {
      names.add(`${isType ? "type " : ""}${id.name}`);
    }
  }
  return [...names].sort((one, other) => keyOf(one) < keyOf(other) ? -1 : 1);
}

/** Values come before types. */
function keyOf(name) {
  return name.replace(/^type /, "~").toLowerCase();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of Object.entries(renderManifests())) writeFileSync(new URL(file, ROOT), text);
  writeFileSync(LIST, listExports());
  // Loaded here alone: it starts the compiler, and tests that start no process import this file.
  const { listSignatures, SIGNATURES } = await import(new URL("signatures.mjs", import.meta.url).href);
  writeFileSync(SIGNATURES, listSignatures());
  writeFileSync(new URL("src/entries/README.md", ROOT), renderReadme());
}
