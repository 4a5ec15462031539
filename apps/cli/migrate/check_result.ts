/** Checks converted files before they are written: names that the conversion left without a declaration, and errors of the compiler. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DiagnosticCategory, Project, type SourceFile, ts } from "ts-morph";
import { MARKER } from "./draft.ts";
import type { FileChange } from "./files.ts";
import { libraryOf } from "./imports.ts";
import { packagesIn } from "./manifest.ts";

/** An error of the compiler that a file has after its conversion, and did not have before. */
export interface CompileError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Result of {@link checkResult}. */
export interface ResultCheck {
  /** Names without a declaration that had one before, by file. */
  readonly unbound: ReadonlyMap<string, readonly string[]>;
  readonly errors: readonly CompileError[];
  /** Whether the types of the packages were found. Without them there are no errors of types. */
  readonly isTyped: boolean;
  /** The tsconfig.json that could not be read, with the reason. The files were compiled without it. */
  readonly unreadConfig: { readonly file: string; readonly reason: string } | undefined;
}

/** Codes of the compiler for names that have no declaration. */
const UNBOUND_CODES: ReadonlySet<number> = new Set([2304, 2503, 2552, 18004]);

/** An error as plain values: it stays readable when the text of its file is replaced. */
interface Found {
  readonly code: number;
  readonly line: number;
  readonly message: string;
  /** Source text at the place of the error. */
  readonly text: string;
}

/** Compiles files as they were and as they would be, with the configuration of their folder. Writes nothing. */
export function checkResult(folder: string, changes: readonly FileChange[]): ResultCheck {
  const isTyped = changes.every(({ file, before }) => hasPackages(dirname(file), before));
  const { project, unreadConfig } = openProject(folder, isTyped);
  const before = compile(project, changes.map(({ file, before }) => [file, before]));
  const after = compile(project, changes.map(({ file, after }) => [file, after]));
  const unbound = new Map<string, readonly string[]>();
  const errors: CompileError[] = [];
  for (const { file, after: text } of changes) {
    const known = new Set(before.get(file)?.map(({ message }) => message));
    const added = (after.get(file) ?? []).filter(({ message }) => !known.has(message));
    const missing = unboundIn(before.get(file));
    const names = unboundIn(after.get(file)).filter((name) => !missing.includes(name));
    if (names.length > 0) unbound.set(file, names);
    if (!isTyped || !/\.[cm]?tsx?$/.test(file)) continue;
    const lines = text.split("\n");
    const others = added.filter(({ line }) => lines[line - 2]?.includes(MARKER) !== true);
    errors.push(...others.map(({ line, message }) => ({ file, line, message })));
  }
  return { unbound, errors, isTyped, unreadConfig };
}

/** Names without a declaration. Without types also the globals of runtimes have none. */
function unboundIn(errors: readonly Found[] = []): readonly string[] {
  const names = errors.filter(({ code }) => UNBOUND_CODES.has(code)).map(({ text }) => text);
  return [...new Set(names)].filter((name) => !(name in globalThis));
}

/** Whether the converted packages that a file imports are installed. */
function hasPackages(folder: string, text: string): boolean {
  const names = packagesIn(text).filter((name) => libraryOf(name) !== undefined);
  return names.every((name) => isInstalled(folder, name));
}

function isInstalled(folder: string, name: string): boolean {
  if (existsSync(join(folder, "node_modules", name))) return true;
  return folder !== dirname(folder) && isInstalled(dirname(folder), name);
}

/** The errors of files by their paths. */
function compile(
  project: Project,
  files: readonly (readonly [file: string, text: string])[],
): ReadonlyMap<string, readonly Found[]> {
  const sources = files.map(([file, text]) =>
    [file, project.createSourceFile(file, text, { overwrite: true })] as const
  );
  return new Map(sources.map(([file, source]) => [file, errorsOf(source)]));
}

/** A project with the options of the folder's tsconfig.json, which finds Toolwire in this package. Without types it has names alone. */
function openProject(folder: string, isTyped: boolean): { project: Project } & Pick<ResultCheck, "unreadConfig"> {
  const own = { noEmit: true, skipLibCheck: true, allowJs: true, checkJs: true, allowImportingTsExtensions: true };
  if (!isTyped) {
    const compilerOptions = { ...own, noResolve: true, lib: ["lib.esnext.d.ts"], types: [] };
    return { project: new Project({ compilerOptions }), unreadConfig: undefined };
  }
  const file = ts.findConfigFile(folder, existsSync);
  const paths = pathsOfPackage();
  const { ESNext: target } = ts.ScriptTarget;
  const usual = { ...own, paths, strict: true, target, module: ts.ModuleKind.Preserve };
  if (file === undefined) return { project: new Project({ compilerOptions: usual }), unreadConfig: undefined };
  try {
    const project = new Project({ tsConfigFilePath: file, skipAddingFilesFromTsConfig: true });
    const given = project.getCompilerOptions();
    project.compilerOptions.set({ ...own, incremental: false, composite: false, paths: { ...given.paths, ...paths } });
    return { project, unreadConfig: undefined };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/\.$/, "") : String(thrown);
    return { project: new Project({ compilerOptions: usual }), unreadConfig: { file, reason } };
  }
}

function errorsOf(source: SourceFile): readonly Found[] {
  const errors = source.getPreEmitDiagnostics().filter((one) => one.getCategory() === DiagnosticCategory.Error);
  return errors.map((one) => {
    const start = one.getStart() ?? 0;
    return {
      code: one.getCode(),
      line: one.getLineNumber() ?? 1,
      message: ts.flattenDiagnosticMessageText(one.compilerObject.messageText, " "),
      text: source.getFullText().slice(start, start + (one.getLength() ?? 0)),
    };
  });
}

/** Files of the entries of this package by their names: its sources in the repository, otherwise its declarations. */
function pathsOfPackage(): Record<string, string[]> {
  const root = findPackage();
  if (root === undefined) return {};
  const { exports } = readJson(join(root, "package.json")) as { readonly exports: Readonly<Record<string, unknown>> };
  const sources = existsSync(join(root, "deno.json"))
    ? (readJson(join(root, "deno.json")) as { readonly exports: Readonly<Record<string, string>> }).exports
    : {};
  const files = Object.entries(exports).flatMap(([name, entry]) => {
    const types = typeof entry === "object" ? (entry as { readonly types?: string } | null)?.types : undefined;
    // A repository may have declarations of an earlier build.
    const file = [sources[name], types].find((one) => one !== undefined && existsSync(join(root, one)));
    return file === undefined ? [] : [[`toolwire${name.slice(1)}`, [join(root, file)]] satisfies [string, string[]]];
  });
  return Object.fromEntries(files);
}

/** The folder of this package. `undefined` if it was loaded from a URL. */
function findPackage(): string | undefined {
  if (!import.meta.url.startsWith("file:")) return undefined;
  let folder = dirname(fileURLToPath(import.meta.url));
  for (; folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && (readJson(manifest) as { readonly name?: string }).name === "toolwire") return folder;
  }
  return undefined;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
