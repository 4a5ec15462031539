/** The examples of the documentation as programs to type-check: each in a folder with what a reader has beside it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Example, findExamples, importFromNpm } from "./extract.ts";
import { GIVEN_FILES, GIVENS } from "./givens.ts";

/** An example, and its files. */
export interface Program {
  /** Place of the fence, such as `docs/agents.md:42`. */
  readonly place: string;
  /** Name of a folder. */
  readonly folder: string;
  /** Code by file name. Line numbers of errors are those of the fence. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * The programs of these kinds, with imports from npm. Constants are exported, since readers export them: with `declaration`, which
 * `tsc --init` turns on, their types then have to have names.
 *
 * @throws {Error} If a mark of a fragment is unknown.
 */
export function findPrograms(root: string, kinds: readonly Example["kind"][]): Program[] {
  return findExamples(root).filter(({ kind }) => kinds.includes(kind)).map((example) => {
    const { place } = example;
    const files = { ...besideOf(root, example), ...codeOf(example) };
    return { place, folder: place.replaceAll(/\W+/g, "_"), files };
  });
}

/** Writes a folder for each program. */
export function writePrograms(folder: string, programs: readonly Program[]): void {
  for (const program of programs) {
    mkdirSync(join(folder, program.folder));
    for (const [name, code] of Object.entries(program.files)) writeFileSync(join(folder, program.folder, name), code);
  }
}

/** Replaces paths of programs in the output of a compiler by the places of their fences. */
export function namePlaces(output: string, programs: readonly Program[]): string {
  const places = new Map(programs.map(({ folder, place }) => [folder, place]));
  return output.replaceAll(/^(?:.*\/)?(\w+)\/[\w.]+(?=\(\d+,\d+\))/gm, (path, folder) => places.get(folder) ?? path);
}

/** The code with the declarations of what is given, after it. With the mark `each`, one program for each line after the imports. */
function codeOf({ place, code, given = [] }: Example): Record<string, string> {
  const unknown = given.filter((name) => name !== "each" && !name.endsWith(".ts") && GIVENS[name] === undefined);
  if (unknown.length > 0) throw new Error(`${place}: declare ${unknown.join(", ")} in tests/docs/givens.ts`);
  const end = `${given.map((name) => GIVENS[name] ?? "").join("\n")}\nexport {};\n`;
  const lines = importFromNpm(code).replaceAll(/^const /gm, "export const ").split("\n");
  if (!given.includes("each")) return { "index.ts": `${lines.join("\n")}\n${end}` };
  const programs = lines.flatMap((line, at): [string, string][] => {
    if (line === "" || line.startsWith("import ")) return [];
    const own = lines.map((other, index) => other.startsWith("import ") || index === at ? other : "");
    return [[`line${at}.ts`, `${own.join("\n")}\n${end}`]];
  });
  return Object.fromEntries(programs);
}

/** Files that the code imports: those of its marks, and those that its page has the reader save. */
function besideOf(root: string, { place, code, given = [] }: Example): Record<string, string> {
  const page = place.includes(".md:") ? readFileSync(join(root, place.replace(/:\d+$/, "")), "utf8") : "";
  const saved = new Map(
    Array.from(
      page.matchAll(/^(?:.*[Ss]ave as|As)\s`([\w.]+)`:\n\n```ts[^\n]*\n([^]*?)^```$/gm),
      ([, name = "", text = ""]) => [name, text] as const,
    ),
  );
  const files: Record<string, string> = {};
  const addImported = (text: string) => {
    for (const [, name = ""] of text.matchAll(/from "\.\/([\w.]+)"/g)) add(name);
  };
  const add = (name: string) => {
    const text = given.includes(name) ? GIVEN_FILES[name] : saved.get(name);
    if (text === undefined || files[name] !== undefined) return;
    files[name] = importFromNpm(text);
    addImported(text);
  };
  addImported(code);
  for (const name of given) if (name.endsWith(".d.ts")) add(name);
  return files;
}
