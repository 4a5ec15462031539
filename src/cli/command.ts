/** One command of `toolwire`. */
export interface Command {
  /** How it is called: `toolwire pin <url>`. */
  readonly usage: string;
  /**
   * Runs it.
   *
   * @param args What follows its name.
   * @returns The exit code.
   */
  run(args: readonly string[]): Promise<number>;
}
