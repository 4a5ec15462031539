/**
 * Searches comments and Markdown for words of `scripts/word_list.mjs`: `node scripts/words.mjs [path]…` prints each with its replacement, and
 * exits with status 1 if it finds any.
 *
 * @module
 */
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { listFiles, parseSource, readSource, ROOT } from "./sources.mjs";
import { WORD_LIST } from "./word_list.mjs";

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
    ".changeset",
  ],
};

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

/** Words that are found, one a line. */
export function describeWords(sources) {
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

function main(paths) {
  const sources = readWordSources(paths.map((path) => relative(ROOT, path)));
  if (sources.length === 0) throw new Error(`Cannot search ${paths.join(", ")}: no file below is searched for words`);
  const found = describeWords(sources);
  for (const one of found) console.log(one);
  console.log(`${found.length} words in ${sources.length} files`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.length > 2 ? process.argv.slice(2) : [ROOT]);
