import { type CallResult, toToolError, type UnknownOutcome } from "../core/call/outcome.ts";
import { Failure } from "../core/errors/failure.ts";
import { ToolError } from "../core/errors/tool_error.ts";

/** The answer that a call gave, or the exception that there is none. */
export function answerOf(settled: CallResult | UnknownOutcome): unknown {
  switch (settled.kind) {
    case "answer":
      return settled.value;
    case "failure":
      throw new Failure(settled.code, settled.message, settled.data);
    case "error":
      throw toToolError(settled);
    default: {
      const answerIt = "requests" in settled ? "give the client onElicitation and onMoreRequested, or " : "";
      throw notWanted(settled, `an answer: ${answerIt}read it with .outcome()`);
    }
  }
}

/** What to throw where something else was wanted. */
export function notWanted(settled: CallResult | UnknownOutcome, wanted: string): ToolError {
  const { kind, responseType = kind } = settled as UnknownOutcome;
  return new ToolError("invalid_request", `The server answered with ${responseType}, not with ${wanted}`, {
    details: settled,
  });
}
