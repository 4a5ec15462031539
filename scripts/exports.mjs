// Writes tests/arch/exports.txt, the list of what each entry of the package exports: `node scripts/exports.mjs`.
import { parse } from "@babel/parser";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);

/** The checked-in list. */
export const LIST = new URL("tests/arch/exports.txt", ROOT);

/** The list for the entries of `deno.json`, which name the sources. */
export function listExports() {
  const { exports: entries } = JSON.parse(readFileSync(new URL("deno.json", ROOT), "utf8"));
  const sections = Object.entries(entries).map(([entry, source]) => {
    const names = exportsOf(readFileSync(new URL(source, ROOT), "utf8"));
    return [`${entry} (${source.slice(2)})`, ...names.map((name) => `  ${name}`)].join("\n");
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

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(LIST, listExports());
