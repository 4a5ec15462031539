import type { CallMeta } from "../../../core/call/call.ts";
import type { CallResult, QuestionsResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { Answer } from "./answer.ts";

/** How work ends that asks nothing (any more). */
export type WorkEnd = Exclude<CallResult, QuestionsResult>;

/** A request that may ask its caller something before it is answered: it is then run again, with the answers. */
export interface Work {
  /** Runs it, with what is said beside its arguments. */
  run(meta: CallMeta | undefined): MaybePromise<CallResult>;
  /** Answers it, once it has ended. */
  answer(settled: WorkEnd): Answer;
}
