/**
 * Whether what a tool gives may go out: told before it is written, so that no wire spends its time on what nobody will read.
 *
 * Deep values are why this comes first: on Bun `JSON.stringify` takes half a second to find that its stack has ended, and on
 * Node the depth at which it does depends on who calls.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../call/outcome.ts";
import { TOO_DEEP } from "../../internal/json_size.ts";

/** Limits on what tools give. */
export interface OutputLimits {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Largest answer, or piece of one, in UTF-16 code units of JSON, about. */
  readonly answerChars: number;
}

/** Why what has left so many characters does not go out; `undefined` if it may. */
export function outputLimitError(left: number, limits: OutputLimits): ErrorResult | undefined {
  if (left >= 0) return undefined;
  const name = left === TOO_DEEP ? "depth" : "answerChars";
  return errorResult("result_too_large", `The result is over limits.${name}, ${limits[name]}`);
}
