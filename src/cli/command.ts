import process from "node:process";
import { closestMatch } from "../internal/text.ts";

export interface Command {
  /** Usage: `toolwire pin <url>`. */
  readonly usage: string;
  /** Summary, one sentence. */
  readonly about: string;
  /**
   * Runs the command.
   *
   * @returns The exit code: 0, 1 for a failure, 2 for wrong usage.
   */
  run(args: readonly string[]): Promise<number>;
}

/** Prints an error and returns its exit code. */
export function fail(message: string, code: 1 | 2): number {
  process.stderr.write(`${message}\n`);
  return code;
}

/** Prints the usage of a command after a wrong call, and the first argument that names no option. */
export function misused({ usage }: Command, args: readonly string[]): number {
  const options: readonly string[] = usage.match(/--\w+/g) ?? [];
  const unknown = args.map((arg) => arg.replace(/=.*/s, "")).find((arg) =>
    arg.startsWith("-") && !options.includes(arg)
  );
  const problem = unknown === undefined ? "" : `${describeUnfamiliar("option", unknown, options)}\n\n`;
  return fail(`${problem}Usage: ${usage}`, 2);
}

/** States that a command or an option does not exist, and names a similar one. */
export function describeUnfamiliar(kind: "command" | "option", name: string, known: readonly string[]): string {
  const similar = closestMatch(name, known);
  return `There is no ${kind} ${JSON.stringify(name)}${similar === undefined ? "" : `: did you mean "${similar}"?`}`;
}
