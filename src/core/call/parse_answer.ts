/** Parses JSON that a server sent to a client of the SDK. */
import { nestsDeeperThan } from "../../internal/json.ts";
import { ToolError } from "../errors/tool_error.ts";

/** Maximum nesting of an answer: twice what a server allows by default. A program could neither write nor compare deeper values. */
export const MAX_ANSWER_DEPTH = 1_024;

/** Whether text of a server is JSON that is nested too deeply to be parsed. Pages and other text are not. */
export function isTooDeep(text: string): boolean {
  return /^\s*[[{]/.test(text) && nestsDeeperThan(text, MAX_ANSWER_DEPTH);
}

/** Creates the error for text that {@link isTooDeep}. `what` begins a sentence: `"The answer"`. */
export function tooDeepError(what: string = "The answer"): ToolError {
  return new ToolError("result_too_large", `${what} is nested deeper than ${MAX_ANSWER_DEPTH} levels`);
}

/**
 * Parses JSON of a server.
 *
 * @param what Beginning of the error's message, such as `"An event"`.
 * @throws {ToolError} `parse_error` if it is not JSON, `result_too_large` if it is nested deeper than 1,024 levels.
 */
export function parseAnswer(text: string, what: string): unknown {
  if (isTooDeep(text)) throw tooDeepError(what);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError("parse_error", `${what} is not JSON`, { cause });
  }
}
