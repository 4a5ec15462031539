import { type CallResult, type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { mapMaybe, type MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, POSITIVE, required, wholeNumber } from "../../internal/options.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** Options of {@link concurrencyLimit}. */
export interface ConcurrencyLimitOptions {
  /** Maximum number of calls that run at the same time. */
  readonly max: number;
  /** Maximum number of calls that wait, each until its own deadline. Default: 0. */
  readonly queue?: number | undefined;
  /** Returns the key of the limit that a call counts against; `undefined` for a call without a limit. Default: one for all calls. */
  readonly key?: ((ctx: MiddlewareCtx) => string | undefined) | undefined;
  /** Retry delay that rejected callers receive, in milliseconds. Default: 1,000. */
  readonly retryAfterMs?: number | undefined;
}

const RULES: OptionRules<ConcurrencyLimitOptions> = {
  max: required(wholeNumber(1)),
  queue: wholeNumber(0),
  key: FUNCTION,
  retryAfterMs: POSITIVE,
};

/** The calls that count against one limit. */
interface CallSlots {
  running: number;
  /** Functions that start the waiting calls, in their order of arrival. */
  readonly waiting: Set<() => void>;
}

/**
 * Creates middleware that limits the number of calls that run at the same time. Further calls are rejected with `unavailable` and a retry
 * delay; with the option `queue`, up to that many of them wait for their turn instead.
 *
 * On a tool it counts runs of the handler, including deferred ones. On the server it counts calls: one that has returned a promise
 * token, or has exceeded its deadline, is not counted any more.
 *
 * @example One at a time, without a queue
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { concurrencyLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const gate = Promise.withResolvers<string>();
 * const wait = defineTool("wait").describe("Wait").use(concurrencyLimit({ max: 1 })).handle(() => gate.promise);
 * const client = testClient(createServer({ tools: [wait] }), { retry: { attempts: 0 } });
 * const first = client.wait();
 * console.log(await client.wait().catch(({ code }) => code)); // → unavailable
 * gate.resolve("done");
 * console.log(await first); // → done
 * ```
 * @throws {RangeError} If `max` is not a whole number of at least 1, `queue` not one of at least 0, or `retryAfterMs` not above 0.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): Middleware {
  checkOptions("create a concurrency limit", options, RULES);
  const { max, queue = 0, key = () => "", retryAfterMs = 1_000 } = options;
  const full = errorResult("unavailable", "Too many calls at the same time; try again later", {
    retry_after_ms: retryAfterMs,
  });
  /** Lanes with at least one running call. */
  const lanes = new Map<string, CallSlots>();

  const run = (name: string, lane: CallSlots, next: () => MaybePromise<CallResult>): MaybePromise<CallResult> =>
    mapMaybe(next(), (result) => {
      release(name, lane);
      return result;
    });
  const release = (name: string, lane: CallSlots): void => {
    const [first] = lane.waiting;
    if (first !== undefined) {
      // The first waiting call takes over the slot.
      lane.waiting.delete(first);
      first();
    } else if (--lane.running === 0) lanes.delete(name);
  };

  return (ctx, next) => {
    const name = key(ctx);
    if (name === undefined) return next();
    const lane = lanes.get(name) ?? { running: 0, waiting: new Set() };
    if (lane.running < max) {
      lane.running++;
      lanes.set(name, lane);
      return run(name, lane, next);
    }
    if (lane.waiting.size >= queue) return full;
    return untilTurn(ctx, lane).then((hasTurn) => hasTurn ? run(name, lane, next) : ABORTED);
  };
}

const ABORTED: ErrorResult = errorResult("cancelled", "The call ended while it was waiting for the concurrency limit");

/** Waits in the lane. Resolves to `false` if the call ends before its turn. */
function untilTurn({ signal }: MiddlewareCtx, { waiting }: CallSlots): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      signal.removeEventListener("abort", leave);
      resolve(true);
    };
    const leave = () => {
      waiting.delete(begin);
      resolve(false);
    };
    if (signal.aborted) return resolve(false);
    waiting.add(begin);
    signal.addEventListener("abort", leave, { once: true });
  });
}
