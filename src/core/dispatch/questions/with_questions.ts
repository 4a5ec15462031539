/** The code of questions, steps and caller state, as keys bring it to a server. How it works: docs/how-it-works/questions.md. */
import type { TokenKeys } from "../../token/token.ts";
import type { QuestionKeys, QuestionSupport } from "../services.ts";
import { QuestionTracker } from "./question_tracker.ts";
import { SignedCallerState } from "./caller_state.ts";
import { resumeContinuation } from "./continuation.ts";

/**
 * Adds the code of questions, steps and caller state to custom keys; the keys of `keyRing()` and `sealed()` have it.
 *
 * @param keys Signs and verifies tokens; gets one more member.
 * @returns The same keys, for the option `keys` of a server.
 */
export function withQuestions<Keys extends TokenKeys>(keys: Keys): Keys & QuestionKeys {
  return Object.assign(keys, { "~questions": createQuestions });
}

function createQuestions(keys: TokenKeys): QuestionSupport {
  return {
    track: (run, memo, ledger) => new QuestionTracker(run, keys, memo, ledger),
    openCallerState: (run) => new SignedCallerState(run, keys),
    resume: (run, continuation) => resumeContinuation(keys, run, continuation),
  };
}
