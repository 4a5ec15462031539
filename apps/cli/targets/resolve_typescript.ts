/**
 * Resolves imports of TypeScript as `tsc` does with `module: nodenext`: `./shop.js` is `./shop.ts` if there is no `./shop.js`. Bun does it
 * by itself; Deno with `--sloppy-imports` alone, which a program cannot set.
 */
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Sources of the extensions that TypeScript writes into imports. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

let isRegistered = false;

/**
 * Registers a hook for modules, once in a process: an import of `./shop.js` in a TypeScript file loads `./shop.ts` if there is no `./shop.js`.
 * Has no effect on Bun and Deno, and on Node without `module.registerHooks`.
 */
export function resolveTypeScript(): void {
  // Deno has the function for CommonJS alone.
  if (isRegistered || "deno" in process.versions || "bun" in process.versions) return;
  isRegistered = true;
  nodeModule.registerHooks?.({
    resolve: (specifier, context, next) => next(resolveSource(specifier, context.parentURL) ?? specifier, context),
  });
}

/** URL of the TypeScript file that a specifier stands for; `undefined` if it is not such a specifier, or the named file exists. */
export function resolveSource(specifier: string, parent: string | undefined): string | undefined {
  const [, stem = "", extension = ""] = /^(\.\.?\/.*)(\.[cm]?jsx?)$/.exec(specifier) ?? [];
  if (extension === "" || parent === undefined || !/^file:.*\.[cm]?tsx?$/.test(parent)) return undefined;
  if (existsSync(fileURLToPath(new URL(specifier, parent)))) return undefined;
  return SOURCES[extension]?.map((source) => new URL(stem + source, parent))
    .find((url) => existsSync(fileURLToPath(url)))?.href;
}
