/**
 * Lets Node 22.18 or later run the example from a checkout:
 * `node --import ./examples/library/node_resolve.ts examples/library/main.ts`.
 *
 * Bun reads the file itself, Deno `deno.json`; this hook gives Node the paths of Toolwire's sources, as `tsconfig.json` has it.
 * Outside this repository a script for Node imports the npm package `toolwire` instead, and needs nothing of this.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../../", import.meta.url);
const config: unknown = JSON.parse(readFileSync(new URL("tsconfig.json", root), "utf8"));
const { compilerOptions } = config as { compilerOptions: { paths: Record<string, readonly string[]> } };
const sources = new Map(Object.entries(compilerOptions.paths));

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [source] = sources.get(specifier) ?? [];
    return source === undefined
      ? nextResolve(specifier, context)
      : { url: new URL(source, root).href, format: "module-typescript", shortCircuit: true };
  },
});
