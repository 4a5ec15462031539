import { readFile } from "node:fs/promises";

/** Compiles the WebAssembly of the installed package. */
export async function readModule(): Promise<WebAssembly.Module> {
  return await WebAssembly.compile(await readFile(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm"))));
}
