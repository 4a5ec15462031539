/**
 * Measures the source against fixed limits: `node scripts/house.mjs [--check] [--list <measure>] [--words <path>…]`.
 *
 * Without options it prints one table row per measure. `--check` exits with status 1 if a measure exceeds its limit. `--list` prints the
 * offenders of one measure with file and line. `--words` searches only the given files and folders for words of
 * `scripts/word_list.mjs`, prints each with its replacement and, with `--check`, exits with status 1 if it finds any.
 *
 * Generated code (folders called `gen`) is not measured. A source is `{ path, text }`, with a path relative to the root of the repository.
 *
 * @module
 */
import { parse } from "@babel/parser";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { WORD_LIST } from "./word_list.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What is searched for words: all `.ts`, `.mjs` and `.md` files of a folder, or a single file. */
const WORD_PATHS = {
  ".ts": ["mod.ts", "src", "apps", "tests", "bench", "scripts", "examples"],
  ".mjs": ["src", "apps", "tests", "bench", "scripts", "examples"],
  ".md": [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    "apps",
    "docs",
    "skills",
    "AGENTS.md",
  ],
};

/** What is published, and so measured. */
const MEASURED = ["src", "apps/cli"];

const SKIPPED_FOLDERS = new Set(["node_modules", "gen", "dist", ".cache", ".work"]);
const SMALL_FILE_LINES = 25;
const FUNCTION_P95_LINES = 20;
const FUNCTION_MAX_LINES = 60;

/**
 * All measures, in the order of the table. `measure` gets the published sources and returns today's figure and its offenders;
 * `limit` is the highest figure that is allowed.
 */
export const MEASURES = [
  { name: "folders", title: "top-level names under src/", limit: 13, measure: topLevelNames },
  // Figures without a limit: a ceiling that is raised for each feature holds nothing.
  { name: "files", title: "files of src/ and apps/cli/", limit: Infinity, measure: fileCount },
  { name: "lines", title: "lines of src/ and apps/cli/", limit: Infinity, measure: lineCount },
  { name: "cycles", title: "import cycles, types included", limit: 0, measure: asCount(findCycles) },
  { name: "names", title: "names exported by two files", limit: 0, measure: asCount(findSharedNames) },
  {
    name: "small",
    title: `files of at most ${SMALL_FILE_LINES} lines`,
    limit: Infinity,
    measure: asCount(findSmallFiles),
  },
  {
    name: "p95",
    title: "lines of a function, 95th percentile",
    limit: FUNCTION_P95_LINES,
    measure: functionPercentile,
  },
  {
    name: "functions",
    title: `functions over ${FUNCTION_MAX_LINES} lines`,
    limit: 0,
    measure: asCount((sources) => describeLong(sources, FUNCTION_MAX_LINES)),
  },
  { name: "any", title: "uses of the type any", limit: 0, measure: asCount(findAny) },
  {
    name: "words",
    title: "words of scripts/word_list.mjs",
    limit: 0,
    measure: () => asCount(describeWords)(readWordSources()),
  },
];

function asCount(find) {
  return (sources) => {
    const offenders = find(sources);
    return { figure: offenders.length, offenders };
  };
}

function topLevelNames(sources) {
  const names = new Set(sources.filter(({ path }) => path.startsWith("src/")).map(({ path }) => path.split("/")[1]));
  return { figure: names.size, offenders: [...names].sort() };
}

function fileCount(sources) {
  const offenders = [...groupBy(sources, folderOf)].map(([folder, files]) => `${folder}: ${files.length}`).sort();
  return { figure: sources.length, offenders };
}

function lineCount(sources) {
  const lengths = sources.map(({ path, text }) => ({ path, lines: countLines(text) }));
  lengths.sort((one, other) => other.lines - one.lines);
  return {
    figure: lengths.reduce((sum, { lines }) => sum + lines, 0),
    offenders: lengths.map(({ path, lines }) => `${path}: ${lines}`),
  };
}

function countLines(text) {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function findSmallFiles(sources) {
  return sources.map(({ path, text }) => ({ path, lines: countLines(text) }))
    .filter(({ lines }) => lines <= SMALL_FILE_LINES)
    .map(({ path, lines }) => `${path}:1: ${lines} lines`);
}

/**
 * Import cycles between files, `import type`, re-exports and `import()` included: each strongly connected component with more than
 * one file is one sentence.
 */
export function findCycles(sources) {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  return componentsOf(imports).filter((paths) => paths.length > 1).map((paths) => {
    const members = new Set(paths);
    const edges = paths.sort().flatMap((path) =>
      imports.get(path).filter(({ to }) => members.has(to) && to !== path).map(({ to, line }) =>
        `\n  ${path}:${line} imports ${to}`
      )
    );
    return `${paths.length} files: ${paths.join(", ")}${edges.join("")}`;
  });
}

function importsOf({ path, text }) {
  const found = [];
  visit(parseSource(path, text), (node) => {
    const from = node.type === "CallExpression" && node.callee.type === "Import"
      ? node.arguments[0]
      : node.type === "TSImportType"
      ? node.argument.literal ?? node.argument
      : node.source;
    if (from?.type !== "StringLiteral" || !from.value.startsWith(".")) return;
    found.push({ to: posix.join(posix.dirname(path), from.value), line: node.loc.start.line });
  });
  return found;
}

/** Strongly connected components of a graph, by Tarjan's algorithm. Edges to unknown nodes are ignored. */
function componentsOf(edges) {
  const components = [];
  const stack = [];
  const index = new Map();
  const low = new Map();
  const enter = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const { to } of edges.get(node)) {
      if (!edges.has(to)) continue;
      if (!index.has(to)) {
        enter(to);
        low.set(node, Math.min(low.get(node), low.get(to)));
      } else if (stack.includes(to)) low.set(node, Math.min(low.get(node), index.get(to)));
    }
    if (low.get(node) === index.get(node)) components.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of edges.keys()) if (!index.has(node)) enter(node);
  return components;
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

const FUNCTIONS = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ObjectMethod",
  "ClassMethod",
  "ClassPrivateMethod",
]);

/** The length of every function, method, accessor, constructor and arrow function that has a block body. */
export function functionsOf({ path, text }) {
  const found = [];
  visit(parseSource(path, text), (node, parent) => {
    if (!FUNCTIONS.has(node.type) || node.body.type !== "BlockStatement") return;
    const { start, end } = node.loc;
    const named = node.id ?? node.key?.id ?? node.key ?? parent?.id ?? parent?.key;
    found.push({ path, line: start.line, lines: end.line - start.line + 1, name: named?.name ?? "(anonymous)" });
  });
  return found;
}

function functionPercentile(sources) {
  const lengths = sources.flatMap(functionsOf).map(({ lines }) => lines).sort((one, other) => one - other);
  return {
    figure: lengths[Math.ceil(lengths.length * 0.95) - 1] ?? 0,
    offenders: describeLong(sources, FUNCTION_P95_LINES),
  };
}

/** Functions of more than `limit` lines as sentences, the longest first. */
export function describeLong(sources, limit) {
  return sources.flatMap(functionsOf).filter(({ lines }) => lines > limit)
    .sort((one, other) => other.lines - one.lines)
    .map(({ path, line, name, lines }) => `${path}:${line}: ${name}, ${lines} lines`);
}

/** Uses of the type `any`, as `path:line`. */
export function findAny(sources) {
  return sources.flatMap(({ path, text }) => {
    const found = [];
    visit(parseSource(path, text), (node) => {
      if (node.type === "TSAnyKeyword") found.push(`${path}:${node.loc.start.line}`);
    });
    return found;
  });
}

/**
 * Words of the list in the comments of TypeScript and JavaScript, and in the prose of Markdown: `{ path, line, found, instead }`.
 *
 * In fences of Markdown, and of comments, only the comments of the code count. Text in backticks and addresses do not count.
 */
export function findWords({ path, text }) {
  const prose = path.endsWith(".md") ? proseOfMarkdown(text) : proseOfComments(path, text);
  return WORD_LIST.flatMap(({ pattern, instead }) =>
    Array.from(prose.matchAll(pattern), ({ 0: found, index }) => ({
      path,
      line: prose.slice(0, index).split("\n").length,
      found: found.replaceAll(/\s+/g, " ").trim(),
      instead,
    }))
  ).sort((one, other) => one.line - other.line);
}

function describeWords(sources) {
  return sources.flatMap(findWords).map(({ path, line, found, instead }) => `${path}:${line}: ${found} → ${instead}`);
}

/** Stands for text that is not prose. It is not white space, so that a phrase cannot span it. */
const MASK = "\0";

function mask(text) {
  return text.replaceAll(/\S/g, MASK);
}

/** The text with everything masked but its comments, line by line as before. */
function proseOfComments(path, text) {
  let prose = "";
  let end = 0;
  for (const comment of parseSource(path, text).comments) {
    prose += mask(text.slice(end, comment.start)) + textOfComment(text.slice(comment.start, comment.end));
    end = comment.end;
  }
  return proseOfMarkdown(prose + mask(text.slice(end)));
}

/** A comment without its delimiters, which become spaces, so that a phrase may span lines. */
function textOfComment(comment) {
  return comment.replace(/^\/\*+|^\/\/+|^#+/, blank).replace(/\*+\/$/, blank).replaceAll(/^[ \t]*\*(?!\*)/gm, blank);
}

function blank(text) {
  return text.replaceAll(/[^\n]/g, " ");
}

/** Markdown with its code, its addresses and TSDoc's links masked. Comments in fences stay. */
function proseOfMarkdown(text) {
  return text
    .replaceAll(
      /^( *`{3,})([^\n`]*\n)([^]*?)^( *`{3,} *)$/gm,
      (_fence, ticks, info, code, end) =>
        mask(ticks + info) + commentsOfCode(info.trim().split(/\s+/)[0], code) + mask(end),
    )
    .replaceAll(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[^\0])+?(?<!`)\1(?!`)/g, mask)
    .replaceAll(/\]\([^)\s]+\)|https?:\/\/[^\s)>]+|\{@\w+[^}]*\}/g, mask)
    .replaceAll(/^ *>/gm, blank);
}

const SLASH_LANGUAGES = new Set(["ts", "typescript", "tsx", "js", "mjs", "javascript", "jsonc", "proto", "go", "rust"]);
const HASH_LANGUAGES = new Set([
  "sh",
  "bash",
  "shell",
  "yaml",
  "yml",
  "toml",
  "python",
  "py",
  "nginx",
  "dockerfile",
  "ini",
]);

/** Code of a fence with everything masked but its comments. Read by words, as a snippet need not parse. */
function commentsOfCode(language, code) {
  const strings = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/.source;
  const comments = SLASH_LANGUAGES.has(language)
    ? /\/\*[^]*?\*\/|(?<!:)\/\/[^\n]*/.source
    : HASH_LANGUAGES.has(language)
    ? /(?<=^|\s)#[^\n]*/.source
    : /(?!)/.source;
  let prose = "";
  let end = 0;
  for (const { 0: found, 1: comment, index } of code.matchAll(new RegExp(`${strings}|(${comments})`, "gm"))) {
    prose += mask(code.slice(end, index)) + (comment === undefined ? mask(found) : textOfComment(comment));
    end = index + found.length;
  }
  return prose + mask(code.slice(end));
}

/** The files that are searched for words, of the whole repository or below the given paths. */
export function readWordSources(paths = [""]) {
  const wanted = paths.map((path) => path.replace(/^\.?\/+/, "").replace(/\/+$/, ""));
  const files = Object.entries(WORD_PATHS).flatMap(([extension, places]) =>
    places.flatMap((place) => listFiles(place, extension))
  );
  return files.filter((path) => wanted.some((one) => one === "" || path === one || path.startsWith(`${one}/`)))
    .map(readSource);
}

/** The published TypeScript files, without generated code. */
export function readSources() {
  return MEASURED.flatMap((folder) => listFiles(folder, ".ts")).map(readSource);
}

function listFiles(place, extension) {
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

function readSource(path) {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

const parsed = new Map();

/** The syntax tree of a file. Kept, as several measures read the same files. */
function parseSource(path, text) {
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

/** Calls `see(node, parent)` for every node of a syntax tree. */
function visit(node, see, parent) {
  see(node, parent);
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || key.endsWith("omments") || key === "tokens" || key === "errors" || key === "extra") continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string") visit(child, see, node);
    }
  }
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

function folderOf({ path }) {
  return path.split("/").slice(0, 2).join("/");
}

function printTable() {
  const sources = readSources();
  const rows = MEASURES.map(({ name, title, limit, measure }) => {
    const { figure } = measure(sources);
    return [title, name, figure.toLocaleString("en"), limit.toLocaleString("en"), figure <= limit ? "ok" : "OVER"];
  });
  const table = [["measure", "--list", "today", "limit", ""], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column === 2 || column === 3 ? cell.padStart(widths[column]) : cell.padEnd(widths[column])
    );
    console.log(`| ${cells.join(" | ")} |`);
  }
  return rows.filter((row) => row[4] === "OVER").length;
}

function printList(name) {
  const found = MEASURES.find((measure) => measure.name === name);
  if (found === undefined) {
    throw new Error(`Unknown measure ${name}: known are ${MEASURES.map((measure) => measure.name).join(", ")}`);
  }
  const { figure, offenders } = found.measure(readSources());
  for (const offender of offenders) console.log(offender);
  console.log(`${found.title}: ${figure}, at most ${found.limit}`);
  return figure > found.limit ? 1 : 0;
}

function printWords(paths) {
  const sources = readWordSources(paths.map((path) => relative(ROOT, path)));
  if (sources.length === 0) throw new Error(`Cannot search ${paths.join(", ")}: no file below is searched for words`);
  const offenders = describeWords(sources);
  for (const offender of offenders) console.log(offender);
  console.log(`${offenders.length} words in ${sources.length} files`);
  return offenders.length;
}

function main() {
  const { values, positionals } = parseArgs({
    options: { check: { type: "boolean" }, list: { type: "string" }, words: { type: "boolean" } },
    allowPositionals: true,
  });
  const over = values.words
    ? printWords(positionals.length > 0 ? positionals : [ROOT])
    : values.list === undefined
    ? printTable()
    : printList(values.list);
  if (values.check && over > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
