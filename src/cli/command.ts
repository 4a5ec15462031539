import process from "node:process";

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

/** Prints the usage of a command after a wrong call. */
export function misused({ usage }: Command): number {
  return fail(`Usage: ${usage}`, 2);
}
