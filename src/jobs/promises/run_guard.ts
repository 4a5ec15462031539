/** Time limits of runs that may become jobs. */
import type { Complete } from "../../internal/json.ts";
import type { CallResult } from "../../core/call/outcome.ts";
import { Future } from "../../internal/future.ts";
import type { PromiseOptions } from "../../core/tool/definition.ts";
import type { CallContext } from "../../core/dispatch/call_context.ts";
import type { DispatchServices } from "../../core/dispatch/deferral.ts";
import type { RunLimits } from "../../core/dispatch/run_state.ts";

/** Share of a call's deadline that is spent waiting for a result; then its caller gets a promise, which has to arrive before the caller gives up. */
export const DEADLINE_SHARE = 0.8;

/** Starts the limits of a run. Returns the result of `running`, or the error that ends the run before, such as that of its deadline. */
export function answerWithin(
  { runState }: CallContext,
  running: Future<CallResult>,
  limits: RunLimits,
  services: DispatchServices,
): Future<CallResult> {
  const answer = new Future<CallResult>();
  runState.answerTo(answer, services, limits, services.clock.elapsed());
  running.into({ receive: (result) => runState.settle(result), fail: (thrown) => answer.fail(thrown) });
  return answer;
}

/** Times in milliseconds: `promiseMs`, when a caller gets its promise at the latest, 0.8 of the deadline; `budgetMs`, that of the tool up to this. */
export function timesOf(
  { budgetMs }: Complete<PromiseOptions>,
  deadlineMs: number,
): { budgetMs: number; promiseMs: number } {
  const promiseMs = DEADLINE_SHARE * deadlineMs;
  return { promiseMs, budgetMs: Math.min(budgetMs, promiseMs) };
}
