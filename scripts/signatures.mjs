/**
 * The declarations of all that the package exports, as the compiler writes them, without comments: `node scripts/exports.mjs` writes them
 * into `tests/arch/signatures.txt`, so that a change of a public type is read in the diff of that file.
 *
 * @module
 */
import { parse } from "@babel/parser";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { listEntries } from "./entry_map.mjs";
import { findBin, root, runOrThrow } from "./runtimes.mjs";

/** The checked-in declarations. */
export const SIGNATURES = new URL("../tests/arch/signatures.txt", import.meta.url);

/** Each exported declaration once, by name, after the entries that export it. */
export function listSignatures() {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-signatures-"));
  try {
    const flags = ["--emitDeclarationOnly", "--removeComments", "--noCheck", "--newLine", "lf", "--outDir", folder];
    runOrThrow(findBin("tsc"), ["-p", "tsconfig.build.json", ...flags], { cwd: root });
    return renderSignatures(listEntries(), (file) => {
      const built = join(folder, file.replace(/\.ts$/, ".d.ts"));
      return existsSync(built) ? readFileSync(built, "utf8") : undefined;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param entries Names of entries and their files.
 * @param read The text of a declaration file, by the path of its source; undefined if it does not exist.
 */
export function renderSignatures(entries, read) {
  const modules = new Map();
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file, read(file)));
    return modules.get(file);
  };
  /** Declarations by file and name, each with its entries. */
  const found = new Map();
  for (const [entry, file] of entries) {
    for (const [exported, { from, name, text }] of resolveExports(file, moduleOf)) {
      const key = `${exported.toLowerCase()} ${exported} ${from} ${name}`;
      const known = found.get(key) ?? { entries: [], text: name === exported ? text : `${text}\n// as ${exported}` };
      known.entries.push(entry);
      found.set(key, known);
    }
  }
  const sections = [...found].sort(([one], [other]) => one < other ? -1 : 1)
    .map(([, { entries, text }]) => `// ${entries.join(", ")}\n${text}\n`);
  return sections.join("\n");
}

/** What a module exports, by name, each with the file that declares it. */
function resolveExports(file, moduleOf) {
  const { exported, all } = moduleOf(file);
  const found = new Map();
  for (const source of all) {
    // All names of a package, such as valibot's, are in tests/arch/exports.txt.
    if (source.startsWith(".")) {
      for (const [name, one] of resolveExports(resolvePath(file, source), moduleOf)) found.set(name, one);
    }
  }
  for (const [name, { source, local, text }] of exported) {
    found.set(name, resolveOne({ file, source, local, text }, moduleOf));
  }
  return found;
}

function resolveOne({ file, source, local, text }, moduleOf) {
  if (source === undefined) return { from: file, name: local, text };
  if (!source.startsWith(".")) return { from: source, name: local, text: `// ${local} of ${source}` };
  const found = resolveExports(resolvePath(file, source), moduleOf).get(local);
  if (found === undefined) throw new Error(`${file} exports ${local} of ${source}, which does not declare it`);
  return found;
}

function resolvePath(file, source) {
  return posix.join(posix.dirname(file), source);
}

/** The exports of one declaration file: declarations with their text, re-exports with their source. */
function readModule(file, text) {
  if (text === undefined) throw new Error(`There are no declarations of ${file}`);
  const { body } = parse(text, { sourceType: "module", plugins: [["typescript", { dts: true }]] }).program;
  const declared = new Map();
  const imported = new Map();
  const exported = new Map();
  const all = [];
  for (const node of body) {
    const { declaration = node, source, specifiers = [] } = node;
    if (node.type === "ExportAllDeclaration") all.push(source.value);
    if (node.type === "ImportDeclaration") {
      for (const { local, imported: name } of specifiers) {
        imported.set(local.name, { source: source.value, local: name?.name ?? "default" });
      }
    }
    for (const name of namesOf(declaration ?? {})) {
      const code = text.slice(node.start, node.end).replace(/^(export )?(declare )?/, "");
      declared.set(name, declared.has(name) ? `${declared.get(name)}\n${code}` : code);
      if (node.type === "ExportNamedDeclaration") exported.set(name, { local: name });
    }
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const { local, exported: as } of specifiers) {
      exported.set(
        as.name,
        source ? { source: source.value, local: local.name } : imported.get(local.name) ?? { local: local.name },
      );
    }
  }
  for (const one of exported.values()) if (one.source === undefined) one.text = declared.get(one.local);
  return { exported, all };
}

function namesOf({ type, id, declarations }) {
  if (type === "VariableDeclaration") return declarations.map((one) => one.id.name);
  return id?.name === undefined ? [] : [id.name];
}
