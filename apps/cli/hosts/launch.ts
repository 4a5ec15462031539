/** The program that a host starts for a module: paths are absolute, as hosts choose the folder and have a short `PATH`. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { VERSION } from "../../../src/internal/version.ts";
import type { HostProgram } from "./host.ts";

/** The runtime with which a host starts a module, and the program `toolwire` that runs now. */
export interface LaunchRuntime {
  readonly name: "bun" | "deno" | "node";
  /** Absolute path of its executable. */
  readonly path: string;
  /** Path of the running `toolwire`; `undefined` if it was not started from a file. */
  readonly program: string | undefined;
}

/**
 * The program that a host starts for a module: `toolwire stdio <module>`, of the package beside the module, else the running one.
 *
 * @param module Absolute path.
 * @param exportName Export that is the server. Default: `server` or `default`.
 */
export function launchModule(module: string, exportName: string | undefined, runtime: LaunchRuntime): HostProgram {
  const folder = dirname(module);
  const program = findInstalled(folder) ?? runtime.program ?? `npm:toolwire@${VERSION}`;
  const words = [program, "stdio", exportName === undefined ? module : `${module}#${exportName}`];
  if (runtime.name !== "deno") return { command: runtime.path, args: words };
  const config = findUpwards(folder, "deno.json", "deno.jsonc");
  return {
    command: runtime.path,
    args: ["run", "-A", "--quiet", "--sloppy-imports", ...config === undefined ? [] : ["--config", config], ...words],
  };
}

/** The program of the package `toolwire` that a module would import. */
function findInstalled(folder: string): string | undefined {
  const manifest = findUpwards(folder, join("node_modules", "toolwire", "package.json"));
  if (manifest === undefined) return undefined;
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly bin: { readonly toolwire: string } };
  const program = join(dirname(manifest), bin.toolwire);
  return existsSync(program) ? program : undefined;
}

/** The first of the files that exists in the folder, or in one above it. */
function findUpwards(folder: string, ...names: readonly string[]): string | undefined {
  for (let at = folder;; at = dirname(at)) {
    const found = names.map((name) => join(at, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}
