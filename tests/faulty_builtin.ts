/** Replaces functions of a module of the runtime, also in modules that have imported them by name. */
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { runtime } from "./runtime/runtime.ts";

/** Functions of a module, by name. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Reason to skip tests that replace functions of the runtime. */
export const NO_REPLACING: string | false = runtime !== "bun" && runtime !== "node" &&
  "modules of this runtime cannot be replaced";

/** Not a literal: only Bun has it. */
const BUN_TEST: string = "bun:test";

/** Runs work while a module, such as `node:fs`, has other functions. `replace` receives its own. */
export async function withBuiltin<Value>(
  specifier: string,
  replace: (own: Functions) => Functions,
  work: () => Promise<Value>,
): Promise<Value> {
  const own = { ...await import(specifier) } as Functions;
  const put = await findPut(specifier, own);
  const replaced = replace(own);
  put(replaced);
  try {
    return await work();
  } finally {
    put(Object.fromEntries(Object.keys(replaced).map((name) => [name, own[name]!])));
  }
}

async function findPut(specifier: string, own: Functions): Promise<(functions: Functions) => void> {
  if (runtime === "bun") {
    const { mock } = await import(BUN_TEST) as { mock: { module(name: string, create: () => Functions): void } };
    return (functions) => mock.module(specifier, () => ({ ...own, ...functions }));
  }
  return (functions) => {
    Object.assign(process.getBuiltinModule(specifier) as object, functions);
    syncBuiltinESMExports();
  };
}
