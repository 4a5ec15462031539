import process from "node:process";

/** One command of `toolwire`. */
export interface Command {
  /** How it is called: `toolwire pin <url>`. */
  readonly usage: string;
  /** What it does, in one sentence. */
  readonly about: string;
  /**
   * Runs it.
   *
   * @param args What follows its name.
   * @returns The exit code: 0, 1 if it failed, 2 if it was called in another way than its usage says.
   */
  run(args: readonly string[]): Promise<number>;
}

/** Says on the error channel what is wrong, and gives the exit code. */
export function fail(message: string, code: 1 | 2): number {
  process.stderr.write(`${message}\n`);
  return code;
}

/** Says how a command is called, to whoever called it in another way. */
export function misused({ usage }: Command): number {
  return fail(`Usage: ${usage}`, 2);
}
