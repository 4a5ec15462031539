/**
 * Holds the source to its layers: imports point down only.
 *
 * Pure: sources go in, broken rules come out.
 *
 * @module
 */

import { LAYERS, PACKAGES, RUNTIME_FOLDERS } from "./layers.ts";

/** One import. */
export interface Import {
  /** What is imported: a path from the root of the repository, or a package. */
  readonly to: string;
  /** Whether the import is erased at run time. */
  readonly isType: boolean;
}

/** A source file, by its path from the root of the repository. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A source without comments; its strings are emptied where `keepStrings` is false. */
export function stripComments(text: string, keepStrings: boolean): string {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=[.,;)\]\s])/g;
  return text.replace(token, (found) => {
    if (found.startsWith("//") || found.startsWith("/*")) return " ";
    if (found.startsWith("/")) return "0";
    if (keepStrings) return found;
    return found.startsWith("`") ? (found.match(/\$\{[^}]*\}/g) ?? ['""']).join(" ") : '""';
  });
}

/** The imports and re-exports of a source, dynamic ones included. */
export function importsOf({ path, text }: Source): Import[] {
  const code = stripComments(text, true);
  const statement =
    /\b(?:import|export)\s+(type\s+)?([\w*\s{},$]*?)\s*\bfrom\s*["']([^"']+)["']|\bimport\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']\s*\)/g;
  return [...code.matchAll(statement)].map(([, type, names, from, bare, dynamic]) => ({
    to: resolve(path, from ?? bare ?? dynamic ?? ""),
    isType: type !== undefined || isTypesOnly(names),
  }));
}

/** Whether `{ type A, type B }` names nothing but types. */
function isTypesOnly(names: string | undefined): boolean {
  const inner = /^\{([\s\S]*)\}$/.exec(names?.trim() ?? "")?.[1];
  return inner !== undefined && inner.split(",").every((name) => name.trim() === "" || /^\s*type\s/.test(name));
}

function resolve(from: string, to: string): string {
  if (!to.startsWith(".")) return to;
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The layer of a path; `undefined` if it has none. */
export function layerOf(path: string): string | undefined {
  const fitting = LAYERS.flatMap(({ name, folders }) =>
    folders.filter((folder) => fits(path, folder)).map((folder) => ({ name, folder }))
  );
  // The longest is the innermost.
  return fitting.reduce<{ name: string; folder: string } | undefined>(
    (best, next) => best === undefined || next.folder.length > best.folder.length ? next : best,
    undefined,
  )?.name;
}

/** Whether a path is in a folder: `*` stands for one name, `**` for any number of folders. */
function fits(path: string, folder: string): boolean {
  const pattern = folder.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/|\*/g, (star) => (star === "*" ? "[^/]+" : "(?:[^/]+/)*"));
  return new RegExp(`^${pattern}${folder.endsWith(".ts") ? "$" : ""}`).test(path);
}

/** Every rule that these sources break, as sentences. */
export function brokenRules(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [...brokenImports(source), ...namedRuntimes(source)]);
}

function brokenImports(source: Source): string[] {
  const { path } = source;
  const layer = layerOf(path);
  if (layer === undefined) return [`${path} is in no layer: add its folder to tests/arch/layers.ts`];
  return importsOf(source).flatMap(({ to, isType }) => {
    if (!/^(src\/|apps\/|mod\.ts$)/.test(to)) return brokenPackage(path, to, isType);
    const target = layerOf(to);
    if (target === undefined) return [`${path} imports ${to}, which is in no layer`];
    if (isOtherWire(path, to)) return [`${path} imports ${to}: a wire never imports another wire`];
    if (target === layer) return [];
    const below = LAYERS.find(({ name }) => name === layer)?.imports ?? [];
    if (below.includes(target) || (isType && below.includes(`type:${target}`))) return [];
    const hint = below.includes(`type:${target}`) ? "may import types only from" : "may not import";
    return [`${path} imports ${to}: ${layer} ${hint} ${target}`];
  });
}

function isOtherWire(from: string, to: string): boolean {
  const [one, other] = [from, to].map((path) => /^src\/wires\/([^/]+)\//.exec(path)?.[1]);
  return one !== undefined && other !== undefined && one !== other && other !== "framing";
}

function brokenPackage(path: string, name: string, isType: boolean): string[] {
  if (/^(node|bun|deno|cloudflare):/.test(name)) {
    return isRuntimePath(path)
      ? []
      : [`${path} imports ${name}: modules of a runtime are imported in ${RUNTIME_FOLDERS.join(", ")} only`];
  }
  const allowed = PACKAGES.find(([one]) => name === one || name.startsWith(`${one}/`));
  if (allowed === undefined) return [`${path} imports ${name}, which is not in the list of packages (docs/decisions)`];
  return isType || allowed[1].some((folder) => fits(path, folder))
    ? []
    : [`${path} imports ${name}: only ${allowed[1].join(", ")} may`];
}

function isRuntimePath(path: string): boolean {
  return RUNTIME_FOLDERS.some((folder) => fits(path, folder));
}

function namedRuntimes({ path, text }: Source): string[] {
  if (isRuntimePath(path)) return [];
  const code = stripComments(text, false);
  const named =
    /(?<![.\w$])(Bun|Deno|process|Buffer|__dirname|__filename|require)\b(?!\s*[:?]|\()|\bglobalThis\s*\.\s*(Bun|Deno|process|Buffer)\b|\bimport\.meta\b/g;
  return [...code.matchAll(named)].map(([found]) =>
    `${path} names ${found}: runtimes are named in ${RUNTIME_FOLDERS.join(", ")} only`
  );
}

/** Files that import each other in a circle at run time, or `withTypes`, as sentences; empty if no circle exists. */
export function circles(sources: readonly Source[], withTypes: boolean = false): string[] {
  const edges = new Map(
    sources.map((
      source,
    ) => [source.path, importsOf(source).filter(({ isType }) => withTypes || !isType).map(({ to }) => to)]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    else if (!done.has(path)) {
      for (const to of edges.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    }
  };
  for (const { path } of sources) visit(path, []);
  return found;
}
