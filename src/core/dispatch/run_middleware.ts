import type { CallResult } from "../call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import type { CallContext } from "./call_context.ts";
import type { ToolRunner } from "./run_tool.ts";
import type { Middleware } from "../handler/middleware.ts";

/** Runs middleware, the first outermost, around `last`. Total: what middleware throws is how the call ends. */
export function runChain(
  run: CallContext,
  chain: readonly Middleware[],
  runner: ToolRunner,
  last: () => MaybePromise<CallResult>,
): MaybePromise<CallResult> {
  // It may be none of ours: of another server, say.
  const check = (settled: CallResult, index: number) =>
    index === 0 ? runner.bounded(assertSettled(settled)) : assertSettled(settled);
  const runFrom = (index: number): MaybePromise<CallResult> => {
    const middleware = chain[index];
    if (middleware === undefined) return last();
    try {
      const settled = middleware(run, () => runFrom(index + 1));
      if (!(settled instanceof Promise)) return check(settled, index);
      return settled.then((later) => check(later, index)).catch((thrown) => runner.thrown(run, thrown));
    } catch (thrown) {
      return runner.thrown(run, thrown);
    }
  };
  return runFrom(0);
}

function assertSettled(settled: CallResult | undefined): CallResult {
  if (typeof settled?.kind === "string") return settled;
  throw new TypeError("Middleware must return how the call ended: end it with `return next()`");
}
