/** Requests to targets, within the limits of the flags. */
import { monitorFromSignal, withTimeLimit } from "../../core/call/time_limit.ts";
import { type ErrorResult, toToolError } from "../../core/call/outcome.ts";
import type { ActivityMonitor, ListedTool } from "../../core/call/transport.ts";
import { abortable } from "../../internal/time.ts";
import { CliError, withCauses } from "../cli_error.ts";
import { exitCodeOf } from "../exit_codes.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { DEFAULT_TIMEOUT_MS, type TargetFlags } from "./flags.ts";

/** Runs a request within the time limit of the flags and the signal of the command. */
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

/** Returns a function that requests the list of tools at its first call. */
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

/** The error of a list that was refused or not reached. */
export function listError(result: ErrorResult, url: string | undefined): CliError {
  const error = toToolError(result);
  const { code, data } = result;
  return new CliError(exitCodeOf(code), withCauses(error), { code, data, step: "list", url, cause: error });
}
