import { ToolError } from "../../errors/tool_error.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { Engine } from "../../../engine/engine.ts";

/**
 * The same engine, whose failures callers hear of as `unavailable`: what it says itself is not theirs to know.
 *
 * @param report Told of each failure.
 */
export function withErrorReporting(engine: Engine, report: (error: unknown) => void): Engine {
  const fail = (cause: unknown): never => {
    if (cause instanceof ToolError) throw cause;
    report(cause);
    const details = { retry_after_ms: 1_000 };
    throw new ToolError("unavailable", "The job engine does not answer; try again", { details, cause });
  };
  const ask = <Value>(question: () => MaybePromise<Value>): MaybePromise<Value> => {
    try {
      const answer = question();
      return answer instanceof Promise ? answer.catch(fail) : answer;
    } catch (cause) {
      return fail(cause);
    }
  };
  return {
    name: engine.name,
    get processId() {
      return engine.processId;
    },
    insert: (job, dueInMs) => ask(() => engine.insert(job, dueInMs)),
    get: (id) => ask(() => engine.get(id)),
    replace: (job, version) => ask(() => engine.replace(job, version)),
    remove: (id) => ask(() => engine.remove(id)),
    subscribe: (id, onChange) => engine.subscribe(id, onChange),
    schedule: (id, delayMs) => ask(() => engine.schedule(id, delayMs)),
    lease: (id) => ask(() => engine.lease(id)),
    work: (run, options) => engine.work(run, options),
    close: () => engine.close(),
  };
}
