import type { Refusal, Settled, UnknownOutcome } from "../call/outcome.ts";
import { Failure } from "../error/failure.ts";
import { ToolError } from "../error/tool_error.ts";

/** The answer that a call gave, or the exception that there is none. */
export function answerOf(settled: Settled | UnknownOutcome): unknown {
  switch (settled.kind) {
    case "answer":
      return settled.value;
    case "failure":
      throw new Failure(settled.code, settled.message, settled.data);
    case "error":
      throw toolError(settled);
    default: {
      const responseType = settled.kind === "unknown" ? settled.responseType : settled.kind;
      const message = `The server answered with a ${responseType}, not an answer: read it with .outcome()`;
      throw new ToolError("invalid_request", message, { details: settled });
    }
  }
}

/** A refusal as an exception. */
export function toolError(refusal: Refusal): ToolError {
  return new ToolError(refusal.code, refusal.message, { details: refusal.data, cause: refusal.cause });
}
