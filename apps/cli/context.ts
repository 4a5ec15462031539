/** What a command is given beside its flags and arguments. */
import type { CommandContext } from "@stricli/core";
import type { CliProcess } from "./terminal/process.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** What `run` of a command receives beside its flags and arguments. */
export interface CliContext extends CommandContext {
  /** Standard output and standard error, with styles and a status line. */
  readonly terminal: Terminal;
  /** Process: environment, working directory, standard input. */
  readonly host: CliProcess;
  /** Words after `--`, for commands with `takesProgram`: a program that is the target. `undefined` without `--`. */
  readonly program: readonly string[] | undefined;
  /**
   * Returns a signal that aborts when the user presses Ctrl+C. From its first use on, Ctrl+C does not end the process; a second one
   * does, with exit code 130.
   */
  interruption(): AbortSignal;
  /** Calls the listener at the next Ctrl+C after the first one, in place of ending the process. Returns a function that removes it. */
  onNextInterruption(listener: () => void): () => void;
}
