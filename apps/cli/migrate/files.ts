/** The files of a folder: which are read, and their package. */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** A file that a conversion would change: its path, and its text before and after. */
export interface FileChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "coverage", ".git", ".cache"]);
const SOURCE = /\.([cm]?[jt]s|[jt]sx)$/;

/**
 * Paths of JavaScript and TypeScript files below a folder, or the file itself; no links, `.d.ts`, `node_modules`, `dist` and the like.
 *
 * @param fail Receives a path that cannot be looked at, and the exception.
 */
export function sourceFiles(
  path: string,
  ignored: readonly string[],
  fail: (path: string, thrown: unknown) => void,
  root: string = path,
): readonly string[] {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink() && path !== root) return [];
    const name = relative(root, path).replaceAll("\\", "/");
    if (ignored.some((glob) => fits(glob, name))) return [];
    if (stat.isFile()) return isSource(path) ? [path] : [];
    if (!stat.isDirectory()) return [];
    const entries = readdirSync(path).filter((entry) => !SKIPPED.has(entry)).sort();
    return entries.flatMap((entry) => sourceFiles(join(path, entry), ignored, fail, root));
  } catch (thrown) {
    fail(path, thrown);
    return [];
  }
}

/** Whether a file is one of JavaScript or TypeScript by its name, and has more than declarations. */
export function isSource(file: string): boolean {
  return SOURCE.test(file) && !/\.d\.[cm]?ts$/.test(file);
}

/** Whether a path fits a glob with `*`, `**` and `?`, or is below a folder that fits. */
function fits(glob: string, name: string): boolean {
  const source = glob.replaceAll("\\", "/").replace(/^\.?\/|\/$/g, "").split(/(\*\*\/?|\*|\?)/).map((part) => {
    if (part.startsWith("**")) return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  }).join("");
  return new RegExp(`^(${source}|${source}/.*)$`).test(name);
}

/** Path of the nearest package.json in a folder or above it; `undefined` if no folder has one. */
export function nearestManifest(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestManifest(parent);
}
