/**
 * The rooms of the source: `node scripts/house.mjs` prints the files, lines of code, lines of comment and exported names of each.
 *
 * `--check` exits with status 1 if two files declare one name, or a comment or page has a word of `scripts/word_list.mjs`. Sizes of files and
 * functions are held by oxlint (`.oxlintrc.json`), dead exports by knip (`npm run dead`), circles and layers by `tests/arch`.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseSource, readSources } from "./sources.mjs";
import { describeWords, readWordSources } from "./words.mjs";

export { readSources };

/** Folders whose folders are rooms. */
const DIVIDED = ["src/core", "src/inspection", "src/integrations", "src/jobs", "src/server", "src/wires"];

/** The room of a path: a folder below one of `DIVIDED`, else a folder of `src/` or `apps/`. */
export function roomOf(path) {
  const [top, folder, inner, ...rest] = path.split("/");
  const whole = `${top}/${folder}`;
  return DIVIDED.includes(whole) && rest.length > 0 ? `${whole}/${inner}` : whole;
}

/** Figures of one room, or of all together. */
export function measure(sources) {
  const lines = sources.map(countLines);
  return {
    files: sources.length,
    code: lines.reduce((sum, { code }) => sum + code, 0),
    comment: lines.reduce((sum, { comment }) => sum + comment, 0),
    names: sources.reduce((sum, source) => sum + exportsOf(source).length, 0),
  };
}

/** Lines that have code, and lines that have a comment alone. Blank lines are neither. */
function countLines({ path, text }) {
  let masked = text;
  for (const { start, end } of parseSource(path, text).comments) {
    masked = masked.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + masked.slice(end);
  }
  const filled = (lines) => lines.split("\n").filter((line) => line.trim() !== "").length;
  return { code: filled(masked), comment: filled(text) - filled(masked) };
}

/**
 * Names that two files declare and export. Re-exports are not declarations. Files of different folders under `src/wires/` may share
 * a name: the same role has the same name in each wire.
 */
export function findSharedNames(sources) {
  const places = sources.flatMap((source) => exportsOf(source));
  return [...groupBy(places, ({ name }) => name)]
    .filter(([, found]) => found.some((one) => found.some((other) => isClash(one.path, other.path))))
    .map(([name, found]) => `${name}: ${found.map(({ path, line }) => `${path}:${line}`).join(", ")}`)
    .sort();
}

function isClash(one, other) {
  const [wire, otherWire] = [one, other].map((path) => /^src\/wires\/([^/]+)\//.exec(path)?.[1]);
  return one !== other && (wire === undefined || otherWire === undefined || wire === otherWire);
}

/** Names that a file declares and exports, each once: overloads share a name, and so may a value and a type. */
function exportsOf({ path, text }) {
  const { body } = parseSource(path, text).program;
  const imported = new Set(
    body.filter(({ type }) => type === "ImportDeclaration").flatMap(({ specifiers }) =>
      specifiers.map(({ local }) => local.name)
    ),
  );
  const found = new Map();
  for (const { type, declaration, specifiers, source } of body) {
    if (type !== "ExportNamedDeclaration" || source) continue;
    const own = specifiers.filter(({ local }) => !imported.has(local.name)).map(({ exported }) => exported);
    for (const { name, value, loc } of [...own, ...declaredBy(declaration)]) {
      if (!found.has(name ?? value)) found.set(name ?? value, { name: name ?? value, path, line: loc.start.line });
    }
  }
  return [...found.values()];
}

/** The identifiers that a declaration introduces. */
function declaredBy(declaration) {
  if (!declaration) return [];
  if (declaration.type !== "VariableDeclaration") return declaration.id ? [declaration.id] : [];
  return declaration.declarations.flatMap(({ id }) => boundBy(id));
}

function boundBy(pattern) {
  if (pattern.type === "Identifier") return [pattern];
  if (pattern.type === "AssignmentPattern") return boundBy(pattern.left);
  if (pattern.type === "RestElement") return boundBy(pattern.argument);
  if (pattern.type === "ArrayPattern") return pattern.elements.filter((element) => element !== null).flatMap(boundBy);
  return pattern.properties.flatMap((property) => boundBy(property.value ?? property));
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

function printRooms(sources) {
  const rooms = [...groupBy(sources, ({ path }) => roomOf(path))].sort(([one], [other]) => one < other ? -1 : 1);
  const rows = [...rooms, ["all", sources]].map((
    [room, files],
  ) => [room, ...Object.values(measure(files)).map(String)]);
  const table = [["room", "files", "code", "comment", "names"], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    const cells = row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
    console.log(`| ${cells.join(" | ")} |`);
  }
}

function main() {
  const sources = readSources();
  printRooms(sources);
  if (!process.argv.includes("--check")) return;
  const problems = [...findSharedNames(sources), ...describeWords(readWordSources())];
  for (const problem of problems) console.log(`OVER ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
