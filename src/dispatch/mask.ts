import { type FailureOutcome, type Refusal, refuse } from "../call/outcome.ts";
import { isToolErrorCode } from "../error/code.ts";
import { Failure } from "../error/failure.ts";
import { ToolError } from "../error/tool_error.ts";
import type { Logger } from "../tool/context.ts";

/** A refusal that tells the caller nothing but a correlation id; the log has the rest under the same id. */
export function maskThrown(
  logger: Logger | undefined,
  thrown: unknown,
  fields: Readonly<Record<string, unknown>>,
): Refusal {
  const correlationId = crypto.randomUUID();
  try {
    logger?.error("Tool call broke", { ...fields, correlationId, error: thrown });
  } catch {
    // A logger that throws must not break the call it writes about.
  }
  return refuse("internal", `Internal error, correlation id ${correlationId}`, {
    correlation_id: correlationId,
  });
}

/** What a handler said by throwing: a failure, or a refusal of its own choice; `undefined` for everything that is masked. */
export function settleThrown(thrown: unknown): FailureOutcome | Refusal | undefined {
  try {
    if (thrown instanceof Failure) {
      return { kind: "failure", code: thrown.code, message: thrown.message, data: thrown.data };
    }
    if (!(thrown instanceof ToolError) || thrown.code === "internal") return undefined;
    // A client passes on what codes its server has; a newer one's may be none of ours.
    if (isToolErrorCode(thrown.code)) return refuse(thrown.code, thrown.message, thrown.details);
  } catch {
    // A proxy whose traps throw.
  }
  return undefined;
}
