import { type CallResult, type ErrorResult, errorResult } from "../../core/call/outcome.ts";
import { mapMaybe, type MaybePromise } from "../../internal/async.ts";
import { checkOptions, FUNCTION, type OptionRules, POSITIVE, required, wholeNumber } from "../../internal/options.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** Options of {@link concurrencyLimit}. */
export interface ConcurrencyLimitOptions {
  /** How many run at once. */
  readonly max: number;
  /** How many more wait for their turn, until their own deadline. Default: 0. */
  readonly queue?: number;
  /** Who shares a limit; `undefined` for a call without one. Default: all. */
  readonly key?: (ctx: MiddlewareCtx) => string | undefined;
  /** When callers are told to try again that find no room, in milliseconds. Default: 1,000. */
  readonly retryAfterMs?: number;
}

const RULES: OptionRules<ConcurrencyLimitOptions> = {
  max: required(wholeNumber(1)),
  queue: wholeNumber(0),
  key: FUNCTION,
  retryAfterMs: POSITIVE,
};

/** What shares one limit. */
interface Lane {
  running: number;
  /** What begins those that wait, in the order in which they came. */
  readonly waiting: Set<() => void>;
}

/**
 * Lets no more than `max` calls run at once; further ones wait, and where too many wait are refused with `unavailable` and when
 * to try again.
 *
 * On a tool it counts runs of the handler, those of deferred work too; on the server it counts calls, and one that ends in a
 * promise, or at its deadline, counts no more.
 *
 * @example One at a time, nobody waits
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { concurrencyLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { rejects, strictEqual } from "node:assert/strict";
 *
 * const gate = Promise.withResolvers<string>();
 * const wait = defineTool("wait").describe("Wait").use(concurrencyLimit({ max: 1 })).handle(() => gate.promise);
 * const client = testClient(createServer({ tools: [wait] }), { retry: { attempts: 0 } });
 * const first = client.wait();
 * await rejects(client.wait(), { code: "unavailable" });
 * gate.resolve("done");
 * strictEqual(await first, "done");
 * ```
 * @throws {RangeError} If `max` is no whole number of at least 1, `queue` none of at least 0, or `retryAfterMs` not above 0.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): Middleware {
  checkOptions("make a concurrency limit", options, RULES);
  const { max, queue = 0, key = () => "", retryAfterMs = 1_000 } = options;
  const full = errorResult("unavailable", "Too many calls at once; try again later", { retry_after_ms: retryAfterMs });
  /** Only those in which something runs. */
  const lanes = new Map<string, Lane>();

  const run = (name: string, lane: Lane, next: () => MaybePromise<CallResult>): MaybePromise<CallResult> =>
    mapMaybe(next(), (settled) => {
      free(name, lane);
      return settled;
    });
  const free = (name: string, lane: Lane): void => {
    const [first] = lane.waiting;
    if (first !== undefined) {
      // It takes over the place.
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
    return untilTurn(ctx, lane).then((hasTurn) => hasTurn ? run(name, lane, next) : GONE);
  };
}

const GONE: ErrorResult = errorResult("cancelled", "The call ended before its turn");

/** Whether its turn came before the call ended. */
function untilTurn({ signal }: MiddlewareCtx, { waiting }: Lane): Promise<boolean> {
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
