/** Another copy of the package, whose module graph has nothing in common with that of the tests. */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "../temporary_folder.ts";
import { root } from "./programs.ts";

/** A copy in a temporary folder, which is deleted at the end of its block. */
export interface PackageCopy extends AsyncDisposable {
  readonly path: string;
  /** Imports a module of the copy, such as `mod.ts`. */
  load<Module>(path: string): Promise<Module>;
}

/** Copies the sources. @param without Names of packages that are not installed beside the copy. */
export async function copyPackage(without: readonly string[] = []): Promise<PackageCopy> {
  const folder = await temporaryFolder();
  const { path } = folder;
  for (const name of ["mod.ts", "src", "package.json", "deno.json"]) {
    cpSync(join(root, name), join(path, name), { recursive: true });
  }
  linkPackages(join(root, "node_modules"), join(path, "node_modules"), without);
  return {
    path,
    load: <Module>(module: string) => import(pathToFileURL(join(path, module)).href) as Promise<Module>,
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

function linkPackages(from: string, to: string, without: readonly string[]): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (without.includes(name) || name.startsWith(".")) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(join(from, name), join(to, name));
  }
}
