/** The result of a run that stops at questions. */
import { type ErrorResult, errorResult, type Question, type QuestionsResult } from "../../call/outcome.ts";
import type { TokenKeys } from "../../token/token.ts";
import type { ResumableRun, RunQuestions } from "../services.ts";
import { encodeContinuation } from "./continuation.ts";
import { quoteKeys, resultKindOf } from "./question_specs.ts";

/** Length of answers that leave no room for anything else in a continuation, in UTF-16 code units of JSON. */
const MAX_ANSWERS = 12_000;

/** What a run has asked. */
interface Asked {
  readonly requests: Readonly<Record<string, Question>>;
  /** Keys of the answers that came with the call. */
  readonly given: readonly string[];
  /** Whether the run has asked under a key. */
  isUsed(key: string): boolean;
}

/** The questions of a run with its continuation; an error if it would ask forever, or there is no room for what it keeps. */
export function questionsResult(
  run: ResumableRun,
  keys: TokenKeys,
  questions: RunQuestions,
  asked: Asked,
): QuestionsResult | ErrorResult {
  const { memo } = questions;
  const { requests } = asked;
  const { definition, services } = run;
  const unread = unreadKeys(run, asked);
  if (unread.length > 0) {
    const error = new TypeError(
      `The run before asked ${quoteKeys(unread)}, this run asks ${quoteKeys(Object.keys(requests))} instead: ` +
        "keys of questions have to be the same on each run",
    );
    services.mask(error, { tool: definition.name });
    // The caller knows the keys. A masked error would be retried if the run is a job's.
    return errorResult("invalid_continuation", error.message);
  }
  try {
    // The questions of a promised job are answered through its promise.
    const continuation = services.deferral?.tokenOf(run) ?? encodeContinuation(keys, run, questions);
    return { kind: resultKindOf(requests), requests, continuation };
  } catch (thrown) {
    // The length of the answers is the caller's doing, the length of the steps is the tool's.
    if (JSON.stringify(memo.answers).length > MAX_ANSWERS) {
      return errorResult("payload_too_large", "The answers are longer than a continuation can carry");
    }
    return services.mask(thrown, {
      tool: definition.name,
      questions: Object.keys(requests),
      steps: Object.keys(memo.steps),
    });
  }
}

/**
 * Keys of the latest answers, if this run has asked for none of them: its keys change from run to run, and it would ask forever.
 * A job does not know which answers are the latest, so all count. Another caller may have answered for external work.
 */
function unreadKeys({ externalToken, request }: ResumableRun, { given, isUsed }: Asked): readonly string[] {
  const { meta: { responses } = {} } = request;
  const latest = given.filter((key) => responses === undefined || Object.hasOwn(responses, key));
  return latest.some(isUsed) || externalToken !== undefined ? [] : latest;
}
