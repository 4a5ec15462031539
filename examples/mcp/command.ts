/**
 * How the server is started as a program, on the runtime that runs this one.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** `toolwire stdio server.ts`, from the sources of this repository: elsewhere it is `npx toolwire stdio`. */
export function stdioCommand(): Command {
  const bin = pathOf("../../apps/cli/main.ts");
  return {
    command: process.execPath,
    args: [...flags(), bin, "stdio", pathOf("server.ts")],
  };
}

/** The path of a file beside this one. */
export function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

function flags(): readonly string[] {
  if (process.versions["bun"] !== undefined) return [];
  if (process.versions["deno"] === undefined) return process.execArgv;
  // The package.json in this folder would else count as a separate project.
  return ["run", "-A", "--no-check", "--quiet", `--config=${pathOf("../../deno.json")}`];
}
