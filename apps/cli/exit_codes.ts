/** The exit codes of `toolwire`, and the code of each error. */
import type { ToolErrorCode } from "../../src/core/errors/code.ts";

/** Exit codes, by meaning. docs/cli.md has the same list. */
export const EXIT = {
  /** Success. `diff` found no change that breaks callers, `check` at most notes. */
  ok: 0,
  /** Differences, findings, or an unexpected error. */
  found: 1,
  /** Wrong usage: an option, an argument, a target, or a file that cannot be read or written. */
  usage: 2,
  /** Not authenticated, or not permitted. */
  denied: 3,
  /** The target is unreachable, timed out, or supports no known protocol. */
  unreachable: 4,
  /** The tool refused the call or failed, or does not exist. */
  refused: 5,
  /** A question needs a person, and there is no terminal. */
  unanswered: 6,
  /** Interrupted by the user, or the call was cancelled. */
  interrupted: 130,
} as const;

/** Exit code of a `toolwire` command: one of the values of {@link EXIT}. */
export type ExitCode = typeof EXIT[keyof typeof EXIT];

const EXIT_BY_ERROR: Readonly<Record<ToolErrorCode, ExitCode>> = {
  parse_error: EXIT.refused,
  invalid_request: EXIT.refused,
  method_not_found: EXIT.refused,
  tool_not_found: EXIT.refused,
  resource_not_found: EXIT.refused,
  prompt_not_found: EXIT.refused,
  invalid_input: EXIT.refused,
  invalid_config: EXIT.refused,
  invalid_promise: EXIT.refused,
  expired_promise: EXIT.refused,
  invalid_continuation: EXIT.refused,
  promise_lost: EXIT.refused,
  conflict: EXIT.refused,
  deadline_exceeded: EXIT.unreachable,
  cancelled: EXIT.interrupted,
  unauthenticated: EXIT.denied,
  permission_denied: EXIT.denied,
  rate_limited: EXIT.refused,
  unavailable: EXIT.unreachable,
  payload_too_large: EXIT.refused,
  result_too_large: EXIT.refused,
  internal: EXIT.refused,
};

/** Returns the exit code for the code of a `ToolError`: `denied`, `unreachable`, `interrupted` if cancelled, else `refused`. */
export function exitCodeOf(code: ToolErrorCode): ExitCode {
  return EXIT_BY_ERROR[code];
}
