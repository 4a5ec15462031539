/**
 * Limits on the output of tools, checked before the output is encoded, so that no wire spends time on a result that is dropped.
 *
 * The depth is checked first: on Bun `JSON.stringify` of a deep value takes half a second to overflow the stack, and on Node
 * the depth at which it overflows depends on the caller.
 */
import { type ErrorResult, errorResult } from "../call/outcome.ts";
import { TOO_DEEP } from "../../internal/json_size.ts";

/** Limits on the size and nesting depth of tool output. */
export interface OutputLimits {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Largest answer, or piece of a streamed one, in UTF-16 code units of JSON; estimated. */
  readonly answerChars: number;
}

/** The error for output that exceeds a limit, from the characters that `estimateJsonSize` left; `undefined` if it fits. */
export function outputLimitError(left: number, limits: OutputLimits): ErrorResult | undefined {
  if (left >= 0) return undefined;
  const name = left === TOO_DEEP ? "depth" : "answerChars";
  return errorResult("result_too_large", `The result is over limits.${name}, ${limits[name]}`);
}
