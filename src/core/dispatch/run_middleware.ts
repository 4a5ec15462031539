import type { CallResult } from "../call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { toPromise } from "../../internal/future.ts";
import type { CallContext } from "./call_context.ts";
import type { ToolRunner } from "./run_tool.ts";
import { PendingMiddleware } from "./pending_middleware.ts";
import { withinLimits } from "./sendable.ts";
import type { Middleware, PerRunMiddleware } from "../handler/middleware.ts";

/** Runs middleware, the first outermost, around `last`, and applies the output limits. Never throws: a thrown value is converted to the result. */
export function runChain(
  run: CallContext,
  chain: readonly Middleware[],
  runner: ToolRunner,
  last: () => MaybePromise<CallResult>,
): MaybePromise<CallResult> {
  const pending = run.middleware ??= new PendingMiddleware();
  // The result may come from elsewhere, such as another server, so the outermost one is measured again.
  const check = (result: CallResult, index: number) =>
    index === 0
      ? toPromise(withinLimits(assertResult(result), run.definition.name, run.services))
      : assertResult(result);
  const toResult = (thrown: unknown) => toPromise(runner.thrown(run, thrown));
  const runFrom = (index: number): MaybePromise<CallResult> => {
    const middleware = chain[index];
    if (middleware === undefined) return last();
    const depth = pending.enter();
    try {
      const result = middleware(run, () => runFrom(index + 1));
      if (!(result instanceof Promise)) return check(result, index);
      return pending.await(depth, result, (later) => check(later, index), toResult);
    } catch (thrown) {
      return toResult(thrown);
    }
  };
  return runFrom(0);
}

function isPerRun(one: Middleware & PerRunMiddleware): boolean {
  return one["~perRun"] === true;
}

/** Sorts middleware of a server or a part: that which wraps calls, and that which wraps each run of a tool. */
export function sortByScope(
  all: readonly Middleware[],
): readonly [ofCalls: readonly Middleware[], ofRuns: readonly Middleware[]] {
  return all.some(isPerRun) ? [all.filter((one) => !isPerRun(one)), all.filter(isPerRun)] : [all, []];
}

/** The middleware around each run of a tool: that of the server and of its part which is for runs, then that of the tool. */
export function middlewareOfRun(
  { definition: { part, middleware } }: CallContext,
  ofServer: readonly Middleware[],
): readonly Middleware[] {
  const ofPart = part?.middleware.filter(isPerRun) ?? [];
  return ofServer.length + ofPart.length === 0 ? middleware : [...ofServer, ...ofPart, ...middleware];
}

function assertResult(result: CallResult | undefined): CallResult {
  if (typeof result?.kind === "string") return result;
  throw new TypeError("Middleware must return a result: end it with `return next()`");
}
