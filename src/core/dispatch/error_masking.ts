import { type ErrorResult, errorResult, type FailureOutcome } from "../call/outcome.ts";
import { isToolErrorCode } from "../errors/code.ts";
import { Failure } from "../errors/failure.ts";
import { ToolError } from "../errors/tool_error.ts";
import type { Logger } from "../handler/context.ts";

/** Fields of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The error result for an unexpected error: the caller gets a correlation id, the log has the error under the same id. */
export function maskThrown(logger: Logger | undefined, thrown: unknown, fields: LogFields): ErrorResult {
  const correlationId = crypto.randomUUID();
  writeLine(logger, "error", "tool" in fields ? "Tool call broke" : "Server broke", {
    ...fields,
    correlationId,
    error: thrown,
  });
  return errorResult("internal", `Internal error, correlation id ${correlationId}`, {
    correlation_id: correlationId,
  });
}

/** Writes a log line. A logger that throws does not break the call. */
export function writeLine(
  logger: Logger | undefined,
  level: "warn" | "error",
  message: string,
  fields: LogFields,
): void {
  try {
    logger?.[level](message, fields);
  } catch {
    // There is no other place to report the error.
  }
}

/** The result that a handler chose by throwing a `Failure` or a `ToolError`; `undefined` for errors that are masked. */
export function settleThrown(thrown: unknown): FailureOutcome | ErrorResult | undefined {
  try {
    if (thrown instanceof Failure) {
      return { kind: "failure", code: thrown.code, message: thrown.message, data: thrown.data };
    }
    if (!(thrown instanceof ToolError) || thrown.code === "internal") return undefined;
    // A client rethrows the codes of its server, and a newer server may have codes that are unknown here.
    if (isToolErrorCode(thrown.code)) return errorResult(thrown.code, thrown.message, thrown.details);
  } catch {
    // A proxy with traps that throw.
  }
  return undefined;
}
