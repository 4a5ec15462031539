/** The program in a pseudo-terminal, with a script of what to wait for and what to type. */
import { ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { findProgram, root } from "../../serve/programs.ts";
import { commandOf } from "./run.ts";

const python = findProgram("python3");

/** Options of tests that need a pseudo-terminal. */
export const TERMINAL_OPTIONS = {
  timeout: 120_000,
  skip: process.platform === "win32" ? "there are no pseudo-terminals" : "missing" in python && python.missing,
};

/** A step of the script: text to wait for, or text to type. */
export type Step = { readonly until: string } | { readonly send: string };

/** What the terminal has shown. */
export interface Shown {
  readonly code: number;
  readonly output: string;
  /** The output without escape sequences. */
  readonly plain: string;
}

/** Where the program runs. */
export interface TerminalPlace {
  /** Width of the terminal. Default: 80. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the repository's root. */
  readonly cwd?: string;
}

/** Runs the program `toolwire` in a terminal to its end. */
export function showInTerminal(args: readonly string[], steps: readonly Step[], place?: TerminalPlace): Promise<Shown> {
  return showCommand(
    commandOf(...args).map((word) => word === "apps/cli/main.ts" ? join(root, word) : word),
    steps,
    place,
  );
}

/** Runs a command in a terminal to its end. */
export async function showCommand(
  command: readonly string[],
  steps: readonly Step[],
  { columns = 80, env = {}, cwd = root }: TerminalPlace = {},
): Promise<Shown> {
  const script = join(root, "tests/apps/cli/pseudo_terminal.py");
  const { CI: _, NO_COLOR: __, ...inherited } = process.env;
  const child = spawn("python3", [script, String(columns), JSON.stringify(steps), ...command], {
    cwd,
    env: { ...inherited, TERM: "xterm-256color", ...env },
  });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (errors += text));
  await new Promise((resolve) => child.once("close", resolve));
  ok(out.startsWith("{"), errors);
  return JSON.parse(out);
}
