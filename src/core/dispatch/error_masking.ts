import { type ErrorResult, errorResult, type FailureOutcome } from "../call/outcome.ts";
import { isToolErrorCode } from "../errors/code.ts";
import { Failure } from "../errors/failure.ts";
import { ToolError } from "../errors/tool_error.ts";
import type { Logger } from "../handler/context.ts";

/** What goes beside a line of the log. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A refusal that tells the caller nothing but a correlation id; the log has the rest under the same id. */
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

/** Writes a line of the log. A logger that throws must not break what it writes about. */
export function writeLine(
  logger: Logger | undefined,
  level: "warn" | "error",
  message: string,
  fields: LogFields,
): void {
  try {
    logger?.[level](message, fields);
  } catch {
    // Nobody is left to tell.
  }
}

/** What a handler said by throwing: a failure, or a refusal of its own choice; `undefined` for everything that is masked. */
export function settleThrown(thrown: unknown): FailureOutcome | ErrorResult | undefined {
  try {
    if (thrown instanceof Failure) {
      return { kind: "failure", code: thrown.code, message: thrown.message, data: thrown.data };
    }
    if (!(thrown instanceof ToolError) || thrown.code === "internal") return undefined;
    // A client passes on what codes its server has; a newer one's may be none of ours.
    if (isToolErrorCode(thrown.code)) return errorResult(thrown.code, thrown.message, thrown.details);
  } catch {
    // A proxy whose traps throw.
  }
  return undefined;
}
