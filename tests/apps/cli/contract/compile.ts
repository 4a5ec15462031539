/** Compiles files with the compiler of the repository. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runProgram } from "../../../serve/programs.ts";

/** One error of the compiler. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Compiles files that may import `toolwire`, by name. Returns the errors, in the order of the files' lines. */
export async function compileFiles(tsc: string, files: Readonly<Record<string, string>>): Promise<Diagnostic[]> {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/contract-"));
  try {
    const compilerOptions = { noUnusedLocals: false };
    const project = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"], exclude: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { stdout } = await runProgram([tsc, "-p", folder, "--pretty", "false"], { withinMs: 240_000 });
    const found = stdout.matchAll(/^(\S*?)([^/\s(]+)\((\d+),\d+\): error (.*(?:\n {2}.*)*)/gm);
    const diagnostics = [...found].map(([, , file = "", line, text = ""]) => ({ file, line: Number(line), text }));
    if (stdout.trim() !== "" && diagnostics.length === 0) throw new Error(stdout);
    return diagnostics;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
