/** Requests to targets, within the limits of the flags. */
import { monitorFromSignal, withTimeLimit } from "../../../src/core/call/time_limit.ts";
import { type ErrorResult, toToolError } from "../../../src/core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../../src/core/call/transport.ts";
import { abortable } from "../../../src/internal/time.ts";
import { CliError, withCauses } from "../cli_error.ts";
import { exitCodeOf } from "../exit_codes.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { DEFAULT_TIMEOUT_MS, type TargetFlags } from "./flags.ts";

/** Runs a request and rejects when `--timeout` (default 30 s) has passed or the signal aborts. `work` gets both as one signal. */
export function withLimits<Value>(
  { timeout = DEFAULT_TIMEOUT_MS }: TargetFlags,
  signal: AbortSignal | undefined,
  work: (limit: ActivityMonitor) => Promise<Value>,
): Promise<Value> {
  return withTimeLimit(timeout, (limit) => {
    const end = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    return abortable(work(monitorFromSignal(end)), end);
  });
}

/** Returns a function that requests the list of tools at its first call, and returns the same promise, also a rejected one, later. */
export function listOnce(
  list: (limit: ActivityMonitor) => Promise<readonly ListedTool[] | ErrorResult> | readonly ListedTool[] | ErrorResult,
  flags: TargetFlags,
  { signal }: OpenTargetOptions,
  url?: string,
): TargetConnection["tools"] {
  let listed: Promise<readonly ListedTool[]> | undefined;
  return () =>
    listed ??= withLimits(flags, signal, async (limit) => {
      const result = await list(limit);
      if ("kind" in result) throw listError(result, url);
      return result;
    });
}

/** Converts the error of a list of tools to a `CliError` of the step `list`. The exit code depends on the code of the error. */
export function listError(result: ErrorResult, url: string | undefined): CliError {
  const error = toToolError(result);
  const { code, data } = result;
  return new CliError(exitCodeOf(code), withCauses(error), { code, data, step: "list", url, cause: error });
}
