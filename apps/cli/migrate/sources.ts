/** Reads the source files of a folder. A file that cannot be read is reported with its reason, and the others are converted. */
import { readFileSync } from "node:fs";
import type { Project, SourceFile } from "ts-morph";
import { sourceFiles } from "./files.ts";
import { libraryOf } from "./imports.ts";
import { packagesIn } from "./manifest.ts";

/** A file that is not converted, and why. It stays as it is. */
export interface FailedFile {
  readonly file: string;
  readonly reason: string;
}

/** Returns what a step returns; `undefined` if it throws, with the reason reported. */
export function orReason<Value>(step: () => Value, fail: (reason: string) => void): Value | undefined {
  try {
    return step();
  } catch (thrown) {
    fail(reasonOf(thrown));
    return undefined;
  }
}

/** Errors of the file system as words: their messages begin with a number and end with the path. */
function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as Partial<NodeJS.ErrnoException>;
  if (code === "EACCES" || code === "EPERM") return "it cannot be read: permission denied";
  if (code === "ENOENT") return "it was removed meanwhile";
  return message ?? String(thrown);
}

/** Adds the sources of a folder, or one file, to a project. */
export function addSources(
  project: Project,
  path: string,
  ignored: readonly string[],
  fail: (failed: FailedFile) => void,
): readonly SourceFile[] {
  const files = sourceFiles(path, ignored, (file, thrown) => fail({ file, reason: reasonOf(thrown) }));
  return files.flatMap((file) => {
    const failed = (reason: string) => fail({ file, reason });
    const text = orReason(() => readText(file), failed);
    if (text === undefined) return [];
    const source = project.createSourceFile(file, text.replace(/^\uFEFF/, ""), { overwrite: true });
    const problem = isOfLibrary(text) ? syntaxError(source) : undefined;
    if (problem === undefined) return [source];
    failed(problem);
    return [];
  });
}

/** The text of a file. A file that is not text is left out, unless it imports what would be converted. @throws {Error} If so. */
function readText(file: string): string | undefined {
  const bytes = readFileSync(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Videos and translations have the name of TypeScript, too.
    if (isOfLibrary(guessText(bytes))) throw new Error("it is not UTF-8: save it as UTF-8, and run the command again");
    return undefined;
  }
}

/** A text that shows which packages a file imports, whatever its encoding is. */
function guessText(bytes: Uint8Array): string {
  return [new TextDecoder(), new TextDecoder("utf-16le")].map((decoder) => decoder.decode(bytes)).join("\n");
}

/** Packages that files import, and whether all of them could be read. `texts` has those that would be changed. */
export function importsOf(
  files: readonly string[],
  texts: ReadonlyMap<string, string>,
): { readonly imported: Set<string>; readonly isComplete: boolean } {
  let isComplete = true;
  const imported = new Set(files.flatMap((file) => {
    const read = () => texts.get(file) ?? guessText(readFileSync(file));
    return packagesIn(orReason(read, () => isComplete = false) ?? "");
  }));
  return { imported, isComplete };
}

function isOfLibrary(text: string): boolean {
  return packagesIn(text).some((name) => libraryOf(name) !== undefined);
}

/** What the parser guesses behind an error would be written, so that code could be lost. */
function syntaxError(source: SourceFile): string | undefined {
  const { parseDiagnostics: [first] = [] } = source.compilerNode as unknown as {
    readonly parseDiagnostics?: readonly { readonly start: number; readonly messageText: unknown }[];
  };
  if (first === undefined) return undefined;
  const { line, column } = source.getLineAndColumnAtPos(first.start);
  const text = typeof first.messageText === "string" ? `: ${first.messageText.replace(/\.$/, "")}` : "";
  return `it has a syntax error in line ${line}, column ${column}${text}; mend it, and run the command again`;
}
