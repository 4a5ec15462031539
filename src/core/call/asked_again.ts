import type { Question } from "./outcome.ts";

/** Why something is no answer to a question. */
export const NO_ANSWER = "An answer is { action: accept, decline or cancel, content }";

/** The question, once more: `params.refused` says why the answer to it was not taken. */
export function askedAgain(key: string, request: Question, reason: string): Question {
  const refused = `the answer to "${key}" is refused: ${reason}`;
  return { ...request, params: { ...request.params, refused } };
}
