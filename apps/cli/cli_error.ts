/**
 * Errors of commands: what a command throws, and how it is printed.
 *
 * A command throws a {@link CliError}, or lets errors of the client pass. They become one message on standard error and an exit
 * code; with `--json`, one line of JSON.
 */
import { Failure } from "../../src/core/errors/failure.ts";
import { ToolError } from "../../src/core/errors/tool_error.ts";
import { suppressedOf } from "../../src/internal/clean_up.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit_codes.ts";

/** Details of a {@link CliError}. `--json` prints all of them except `cause`. */
export interface CliErrorOptions {
  /** Stable code for scripts. It is printed without `--json` as well, unless it is `usage`. Default: `usage`. */
  readonly code?: string;
  /** Step that failed: `connect`, `list`. */
  readonly step?: string;
  /** Address that was used, which only `--json` prints. */
  readonly url?: string | undefined;
  /** What to do, on a separate line. */
  readonly hint?: string | undefined;
  /** JSON data for `--json`. Without it only parts are printed: `issues`, `suggestion`, and the data of a failure. */
  readonly data?: unknown;
  /** Local cause, which is not printed. */
  readonly cause?: unknown;
}

/** An error that ends a command, with the exit code of the program and what is printed about it. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly step: string | undefined;
  readonly url: string | undefined;
  readonly hint: string | undefined;
  readonly data: unknown;

  /** @param message What is wrong and what was given, without a final period. */
  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.code = options.code ?? "usage";
    this.step = options.step;
    this.url = options.url;
    this.hint = options.hint;
    this.data = options.data;
  }
}

/** An error as it is printed: the object `error` of `--json`, and its exit code. */
export interface ReportedError {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  readonly step?: string | undefined;
  readonly url?: string | undefined;
  readonly hint?: string | undefined;
  readonly data?: unknown;
  /** Why the clean-up after the error failed, too. */
  readonly cleanUp?: string;
}

/** Converts what a command threw to the error that is printed. Exceptions of unknown kinds have the code `unexpected` and exit code 1. */
export function toReportedError(thrown: unknown): ReportedError {
  const cleanUp = suppressedIn(thrown).map(withCauses).join("; ");
  return { ...reportOf(thrown), ...(cleanUp !== "" && { cleanUp }) };
}

/** Failures of the clean-ups after an error, and after its causes. */
function suppressedIn(thrown: unknown): readonly unknown[] {
  const found = causesOf(thrown).map(suppressedOf).filter((error) => error !== undefined);
  return found.flatMap((error) => [error, ...suppressedIn(error)]);
}

function reportOf(thrown: unknown): ReportedError {
  if (thrown instanceof CliError) {
    const { exitCode, code, message, step, url, hint, data } = thrown;
    return { exitCode, code, message, step, url, hint, data };
  }
  if (thrown instanceof Failure) {
    return { exitCode: EXIT.refused, code: thrown.code, message: thrown.message, data: thrown.data };
  }
  if (thrown instanceof ToolError) {
    const message = withCauses(thrown);
    return { exitCode: exitCodeOf(thrown.code), code: thrown.code, message, data: thrown.details };
  }
  if (isInterruption(thrown)) return { exitCode: EXIT.interrupted, code: "interrupted", message: "Interrupted" };
  return { exitCode: EXIT.found, code: "unexpected", message: withCauses(thrown) };
}

/** Whether an exception is an `AbortError`, with which a command ends after Ctrl+C. */
function isInterruption(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError";
}

/** Maximum number of causes that a message names. */
const MAX_CAUSES = 4;

/** Returns the message of an error, with those of at most four causes in parentheses: `message (cause: cause)`. Repeated ones are left out. */
export function withCauses(thrown: unknown): string {
  const messages: string[] = [];
  for (const error of causesOf(thrown)) {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== "" && !messages.some((known) => known.includes(message))) messages.push(message);
  }
  return messages.length < 2 ? messages.join("") : `${messages[0]} (${messages.slice(1).join(": ")})`;
}

/** An error, followed by its causes, at most four. */
function causesOf(thrown: unknown): readonly unknown[] {
  const errors = [thrown];
  for (let last = thrown; last instanceof Error && last.cause !== undefined && errors.length <= MAX_CAUSES;) {
    errors.push(last = last.cause);
  }
  return errors;
}
