/**
 * Finds the examples of the documentation: the `ts` fences of Markdown files and of `@example` blocks in sources.
 *
 * A fence that cannot run by itself says so after `ts`: `check` (a server that listens for ever, a call to somewhere else) is type-checked
 * only, as is `fragment server tools`, with the names that a reader has already (`givens.ts`) declared; `fragment` with a path is an excerpt
 * of that file (`excerpts_test.ts`); `peer` (the same by another library) is type-checked, and asked the same as the next fence, which is
 * ours, by `peers_test.ts`.
 *
 * Markdown imports from npm, as `toolwire/serve`; doc comments import from JSR, as `jsr:@toolwire/toolwire/serve`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One fence. */
export interface Example {
  /** Its place: `README.md:12`, relative to the root. */
  readonly place: string;
  /** How it is tested. `unmarked` fences import nothing of Toolwire and are not marked as fragments. */
  readonly kind: "run" | "check" | "peer" | "fragment" | "excerpt" | "unmarked";
  readonly code: string;
  /** Marks after `fragment`: names that are declared for the check, and `each` for one program a line. */
  readonly given?: readonly string[];
}

/** All fences of README.md, docs/, the home page of the site, the pairs of `peers/`, mod.ts, src/ and apps/cli/, in this order. */
export function findExamples(root: string): Example[] {
  const pages = [
    "README.md",
    ...listFiles(root, "docs", ".md"),
    "apps/site/pages/index.md",
    ...listFiles(root, "tests/docs/peers", ".md"),
  ];
  return [
    ...pages.flatMap((file) => findFences(file, read(root, file))),
    ...["mod.ts", ...listFiles(root, "src", ".ts"), ...listFiles(root, "apps/cli", ".ts")].flatMap((file) =>
      findFences(file, keepComments(read(root, file)))
    ),
  ];
}

/** The `ts` and `typescript` fences of a text. */
export function findFences(file: string, text: string): Example[] {
  const fences = text.matchAll(/^([ ]*)(`{3,})(?:ts|typescript)\b([^\n`]*)\n(.*?)^[ ]*\2`*[ ]*$/gms);
  return Array.from(fences, (match) => {
    const [, indent = "", , info = "", body = ""] = match;
    const code = indent === "" ? body : body.replaceAll(new RegExp(`^ {1,${indent.length}}`, "gm"), "");
    const line = text.slice(0, match.index).split("\n").length;
    const [mark, ...given] = info.trim().split(/\s+/);
    const kind = kindOf(mark, given, code);
    return { place: `${file}:${line}`, kind, code, ...(kind === "fragment" && { given }) };
  });
}

function kindOf(mark: string | undefined, given: readonly string[], code: string): Example["kind"] {
  if (mark === "fragment") return given.some((name) => name.includes("/")) ? "excerpt" : "fragment";
  if (mark === "check" || mark === "peer") return mark;
  return IMPORTED.test(code) ? "run" : "unmarked";
}

/** Imports from Toolwire, in either spelling. */
const IMPORTED = /(?<=from )"(?:jsr:@toolwire\/)?toolwire((?:\/[\w/-]+)?)"/;

/** The code with all imports from npm: `"toolwire/serve"`. */
export function importFromNpm(code: string): string {
  return code.replaceAll(new RegExp(IMPORTED, "g"), '"toolwire$1"');
}

/** The code with all imports from JSR: `"jsr:@toolwire/toolwire/serve"`. */
export function importFromJsr(code: string): string {
  return code.replaceAll(new RegExp(IMPORTED, "g"), '"jsr:@toolwire/toolwire$1"');
}

/** The doc comments of a source without their asterisks, everything else as empty lines, so that line numbers stay. */
function keepComments(source: string): string {
  let isInside = false;
  return source.split("\n").map((line) => {
    if (/^\s*\/\*\*/.test(line)) isInside = !line.includes("*/");
    else if (isInside) {
      if (line.includes("*/")) isInside = false;
      else return line.replace(/^\s*\* ?/, "");
    }
    return "";
  }).join("\n");
}

function listFiles(root: string, folder: string, extension: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(extension)).map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .sort();
}

function read(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "ENOENT") return "";
    throw thrown;
  }
}

/** What another library does, and what is done here instead, under one heading. */
export interface Pair {
  /** The heading, without its marks. */
  readonly heading: string;
  readonly peer: Example;
  readonly ours: Example;
}

/** Pages for users of another library, and the files with the rest of their pairs: the pages show those in part. */
const PAIR_FILES: Readonly<Record<string, string>> = {
  "docs/coming-from-mcp-lite.md": "tests/docs/peers/mcp_lite.md",
  "docs/coming-from-the-official-sdk.md": "tests/docs/peers/official.md",
};

/** The pairs of a page, then those of its file in `peers/`. @throws {Error} As `findPairs`. */
export function readPairs(root: string, page: string): Pair[] {
  return [page, PAIR_FILES[page] ?? ""].flatMap((file) => findPairs(file, read(root, file)));
}

/**
 * The pairs of a page: each `peer` fence, and the fence that follows it.
 *
 * @throws {Error} If a `peer` fence is followed by none of ours, or a heading has two.
 */
export function findPairs(file: string, text: string): Pair[] {
  const lines = text.split("\n");
  const fences = findFences(file, text);
  const pairs = fences.flatMap((peer, index): Pair[] => {
    if (peer.kind !== "peer") return [];
    const ours = fences[index + 1];
    if (ours?.kind !== "run") throw new Error(`${peer.place} has no counterpart that runs`);
    const before = lines.slice(0, Number(peer.place.split(":").at(-1)) - 1);
    const heading = before.findLast((line) => /^#+ /.test(line))?.replace(/^#+ /, "") ?? "";
    return [{ heading, peer, ours }];
  });
  if (new Set(pairs.map(({ heading }) => heading)).size < pairs.length) {
    throw new Error(`${file}: a heading has two pairs`);
  }
  return pairs;
}
