import { type CallResult, errorResult } from "../../core/call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import {
  checkOptions,
  FUNCTION,
  oneOf,
  type OptionRules,
  POSITIVE,
  required,
  rule,
  TEXT,
  wholeNumber,
} from "../../internal/options.ts";
import { memoryRateLimitStore } from "./memory_buckets.ts";
import type { Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";

/** How much a bucket holds, and how fast it fills again. */
export interface Bucket {
  /** Tokens a second. */
  readonly perSecond: number;
  /** Most tokens that it holds. */
  readonly burst: number;
}

/** Where token buckets are kept: `memoryRateLimitStore()`, or for replicas `redisRateLimitStore()` of `./redis`. */
export interface BucketStore {
  /**
   * Takes a token, if there is one. A bucket that is not known is full.
   *
   * @param key Whose bucket it is.
   * @param bucket What it is like.
   * @param nowMs Milliseconds since some moment, by this server; a store that others share goes by its own clock.
   * @returns 0, or how long until there is one, in milliseconds.
   */
  take(key: string, bucket: Bucket, nowMs: number): MaybePromise<number>;
}

const RULES: OptionRules<RateLimitOptions> = {
  perSecond: required(POSITIVE),
  burst: wholeNumber(1),
  key: FUNCTION,
  name: TEXT,
  store: rule("what memoryRateLimitStore() or redisRateLimitStore(…) gives", (store) => {
    return typeof (store as BucketStore | null)?.take === "function";
  }),
  ifStoreFails: oneOf("refuse", "allow"),
};

/** Options of {@link rateLimit}. */
export interface RateLimitOptions {
  /** How many calls a second, in the long run. */
  readonly perSecond: number;
  /** How many calls at once, after a pause. Default: as many as a second allows, and at least 1. */
  readonly burst?: number;
  /** Who shares a limit; `undefined` for a call without one. Default: the principal, all that have none together. */
  readonly key?: (ctx: MiddlewareCtx) => string | undefined;
  /** Names the limit, where several are kept in one store. Default: `"calls"`. */
  readonly name?: string;
  /** Where the buckets are kept. Default: `memoryRateLimitStore()`, for this process alone. */
  readonly store?: BucketStore;
  /**
   * What becomes of a call whose bucket cannot be reached: it is `unavailable`, or taken; then one call a second asks the store, and
   * the others are taken at once. Default: `"refuse"`.
   */
  readonly ifStoreFails?: "refuse" | "allow";
}

/**
 * Refuses calls that come too fast, with `rate_limited` and when to try again: a token bucket for each key.
 *
 * @example Two calls at once, then one a second
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { rateLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { rejects, strictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").use(rateLimit({ perSecond: 1, burst: 2 })).handle(() => "pong");
 * const client = testClient(createServer({ tools: [ping] }), { retry: { attempts: 0 } });
 * strictEqual(await client.ping(), "pong");
 * strictEqual(await client.ping(), "pong");
 * await rejects(client.ping(), { code: "rate_limited" });
 * ```
 * @throws {RangeError} If `perSecond` is not a number above 0, or `burst` no whole number of at least 1.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions("make a rate limit", options, RULES);
  const { perSecond, burst = Math.max(1, Math.floor(perSecond)), key = principalOf, name = "calls" } = options;
  const { store = memoryRateLimitStore(), ifStoreFails = "refuse" } = options;
  const bucket = { perSecond, burst };
  /** While the store is away: until when nobody asks it. */
  let openUntilMs: number | undefined;
  return (ctx, next) => {
    const whose = key(ctx);
    const nowMs = ctx.clock.elapsed();
    if (whose === undefined || (openUntilMs !== undefined && nowMs < openUntilMs)) return next();
    // A store that is away takes its time to say so: one call a second waits for that, and the others do not.
    if (openUntilMs !== undefined) openUntilMs = nowMs + AWAY_MS;
    const told = (waitMs: number) => {
      openUntilMs = undefined;
      return admit(waitMs, next);
    };
    const waitMs = store.take(`${name}:${whose}`, bucket, nowMs);
    if (!(waitMs instanceof Promise)) return told(waitMs);
    return waitMs.then(told, () => {
      if (ifStoreFails === "refuse") return UNKNOWN;
      openUntilMs = ctx.clock.elapsed() + AWAY_MS;
      return next();
    });
  };
}

/** How long a store that failed is taken to be away, in milliseconds. */
const AWAY_MS = 1_000;

const UNKNOWN = errorResult("unavailable", "It cannot be told now whether the call is within its limit; try again", {
  retry_after_ms: AWAY_MS,
});

function admit(waitMs: number, next: () => MaybePromise<CallResult>): MaybePromise<CallResult> {
  if (waitMs <= 0) return next();
  return errorResult("rate_limited", `Too many calls; try again in ${waitMs} ms`, { retry_after_ms: waitMs });
}

function principalOf({ principal }: MiddlewareCtx): string {
  return principal?.id ?? "";
}
