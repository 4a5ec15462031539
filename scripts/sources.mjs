/**
 * The source files as the scripts of this folder read them: `{ path, text }`, with a path relative to the root of the repository. Generated
 * code (folders called `gen`) is left out.
 *
 * @module
 */
import { parse } from "@babel/parser";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What is published. */
const PUBLISHED = ["src", "apps/cli"];

const SKIPPED_FOLDERS = new Set(["node_modules", "gen", "dist", ".cache", ".work"]);

/** The published TypeScript files, without generated code. */
export function readSources() {
  return PUBLISHED.flatMap((folder) => listFiles(folder, ".ts")).map(readSource);
}

/** Paths below a folder that end in `extension`; of a file its own. */
export function listFiles(place, extension) {
  const info = statSync(join(ROOT, place), { throwIfNoEntry: false });
  if (info === undefined) return [];
  if (info.isFile()) return place.endsWith(extension) ? [place] : [];
  return readdirSync(join(ROOT, place), { withFileTypes: true }).sort((one, other) => one.name < other.name ? -1 : 1)
    .flatMap((entry) => {
      if (entry.isDirectory()) {
        return SKIPPED_FOLDERS.has(entry.name) ? [] : listFiles(`${place}/${entry.name}`, extension);
      }
      return entry.name.endsWith(extension) ? [`${place}/${entry.name}`] : [];
    });
}

export function readSource(path) {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

const parsed = new Map();

/** The syntax tree of a file. Kept, as several scripts read the same files. */
export function parseSource(path, text) {
  const known = parsed.get(path);
  if (known?.text === text) return known.tree;
  const plugins = path.endsWith(".ts") ? ["typescript", "decoratorAutoAccessors"] : [];
  let tree;
  try {
    tree = parse(text, { sourceType: "module", plugins, allowReturnOutsideFunction: true, errorRecovery: true });
  } catch (error) {
    throw new Error(`Cannot parse ${path}: ${error.message}`, { cause: error });
  }
  parsed.set(path, { text, tree });
  return tree;
}
