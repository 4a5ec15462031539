import { ToolError } from "../../core/errors/tool_error.ts";
import { guardEnd, mapMaybe, type MaybePromise } from "../../internal/async.ts";
import type { Engine } from "../../core/dispatch/engine.ts";

/**
 * Wraps an engine: its reads and writes throw `unavailable` without details in place of an error, which `report` gets. A `ToolError` is
 * kept. The ends of subscriptions and leases never throw: the work that they follow is done.
 */
export function withErrorReporting(engine: Engine, report: (error: unknown) => void): Engine {
  const fail = (cause: unknown): never => {
    if (cause instanceof ToolError) throw cause;
    report(cause);
    const details = { retry_after_ms: 1_000 };
    throw new ToolError("unavailable", "The job engine does not answer; try again", { details, cause });
  };
  const attempt = <Value>(request: () => MaybePromise<Value>): MaybePromise<Value> => {
    try {
      const reply = request();
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (cause) {
      return fail(cause);
    }
  };
  return {
    name: engine.name,
    get processId() {
      return engine.processId;
    },
    env: engine.env,
    insert: (job, dueInMs) => attempt(() => engine.insert(job, dueInMs)),
    get: (id) => attempt(() => engine.get(id)),
    replace: (job, version) => attempt(() => engine.replace(job, version)),
    appendLedger: (...args) => attempt(() => engine.appendLedger(...args)),
    readLedger: (...args) => attempt(() => engine.readLedger(...args)),
    remove: (id) => attempt(() => engine.remove(id)),
    subscribe: (id, onChange) => {
      try {
        return guardEnd(engine.subscribe(id, onChange), report);
      } catch (cause) {
        return fail(cause);
      }
    },
    schedule: (id, delayMs) => attempt(() => engine.schedule(id, delayMs)),
    lease: (id) => mapMaybe(attempt(() => engine.lease(id)), (release) => guardEnd(release, report)),
    work: (run, options) => {
      try {
        return engine.work(run, options);
      } catch (cause) {
        return fail(cause);
      }
    },
    ...(engine.list && { list: (...args) => attempt(() => engine.list!(...args)) }),
    close: () => engine.close(),
  };
}
