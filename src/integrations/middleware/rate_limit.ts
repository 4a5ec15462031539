import { callerKey } from "../../internal/caller_key.ts";
import { type CallResult, errorResult } from "../../core/call/outcome.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { isJsonObject } from "../../internal/json.ts";
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
import type { ListMiddleware, Middleware, MiddlewareCtx } from "../../core/handler/middleware.ts";
import { RecentMap } from "../../internal/recent_map.ts";

/**
 * Refill rate and capacity of a token bucket, as `rateLimit()` passes them to {@link RateLimitStore.take}. Each call takes a token; lists have a
 * bucket apart.
 */
export interface TokenBucket {
  /** Number of tokens that are added each second. */
  readonly perSecond: number;
  /** Maximum number of tokens in the bucket. */
  readonly burst: number;
}

/** A store of token buckets: `memoryRateLimitStore()`, or `redisRateLimitStore()` of `./redis` for replicas. */
export interface RateLimitStore {
  /**
   * Takes a token, if the bucket has one. A new bucket is full.
   *
   * @param key Key of the bucket.
   * @param bucket Capacity and refill rate of the bucket.
   * @param nowMs Time of this server's monotonic clock in milliseconds. A shared store uses its own clock.
   * @returns 0 if a token was taken, otherwise the time until there is one in milliseconds.
   */
  take(key: string, bucket: TokenBucket, nowMs: number): MaybePromise<number>;
  /** Closes what the store keeps open, such as a connection. Called when the last server that has used it is closed. */
  close?(): MaybePromise<void>;
}

const RULES: OptionRules<RateLimitOptions> = {
  perSecond: required(POSITIVE),
  burst: wholeNumber(1),
  key: FUNCTION,
  name: TEXT,
  store: rule("a store such as memoryRateLimitStore() or redisRateLimitStore(…)", (store) => {
    return typeof (store as RateLimitStore | null)?.take === "function";
  }),
  ifStoreFails: oneOf("reject", "allow"),
  lists: rule("{ perSecond, burst? }, or false for no limit", (lists) => lists === false || isJsonObject(lists)),
};

const LIST_RULES: OptionRules<ListRate> = { perSecond: required(POSITIVE), burst: wholeNumber(1) };

/** Rate of requests for lists, as the option `lists` of {@link rateLimit} has it. */
export interface ListRate {
  /** Number of lists, or pages of lists, per second, on average. */
  readonly perSecond: number;
  /** Maximum number of them at once after a pause. Default: `perSecond`, rounded down, and at least 1. */
  readonly burst?: number | undefined;
}

/** Options of {@link rateLimit}. */
export interface RateLimitOptions {
  /** Number of calls per second, on average. */
  readonly perSecond: number;
  /** Maximum number of calls at once after a pause. Default: `perSecond`, rounded down, and at least 1. */
  readonly burst?: number | undefined;
  /** Returns the key of the limit that a call counts against; `undefined` for a call without a limit. Default: the principal with its tenant, and one key for all anonymous callers. */
  readonly key?: ((ctx: MiddlewareCtx) => string | undefined) | undefined;
  /** Name of the limit, to separate the limits that share a store. If it is set, callers get it as `details.limit`, and `logging` writes it. Default: `"calls"`. */
  readonly name?: string | undefined;
  /** Store of the buckets; the server closes it. Default: `memoryRateLimitStore()`, which is limited to this process. */
  readonly store?: RateLimitStore | undefined;
  /**
   * Result of a call if the store fails: `"reject"` ends it with `unavailable`, `"allow"` continues it. With `"allow"`, the store is
   * then tried by one call per second, and all others continue at once. Default: `"reject"`.
   */
  readonly ifStoreFails?: "reject" | "allow" | undefined;
  /**
   * Rate of requests for lists, which are not calls and have a separate bucket with the same key: tools, resources, prompts, and documents
   * of them, on every wire. It applies in the middleware of a server, not of a tool or a part. `false`: no limit. Default: as for calls,
   * but at least 1 per second and 10 at once, since a host requests up to four lists when it connects.
   */
  readonly lists?: ListRate | false | undefined;
}

/**
 * Creates middleware that limits the rate of calls with a token bucket for each key, and, in the middleware of a server, of requests
 * for lists with another one. What is over the limit ends with `rate_limited` and a retry delay.
 *
 * @example Two calls at once, then one per second
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { rateLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 *
 * const ping = defineTool("ping").describe("Answer").use(rateLimit({ perSecond: 1, burst: 2 })).handle(() => "pong");
 * const client = testClient(createServer({ tools: [ping] }), { retry: { attempts: 0 } });
 * console.log(await client.ping()); // → pong
 * console.log(await client.ping()); // → pong
 * console.log(await client.ping().catch(({ code }) => code)); // → rate_limited
 * ```
 * @throws {RangeError} If `perSecond` is not a number above 0, or `burst` is not a whole number of at least 1.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions("create a rate limit", options, RULES);
  const { perSecond, lists } = options;
  if (isJsonObject(lists)) checkOptions("create a rate limit of lists", lists, LIST_RULES);
  const burst = options.burst ?? burstOf(perSecond);
  const limit = new RateLimit(options);
  const calls: Middleware = (ctx, next) => limit.admit(ctx, next, limit.name, { perSecond, burst }, "calls");
  if (lists === false) return calls;
  const listed = lists === undefined
    ? { perSecond: Math.max(perSecond, LISTS_PER_SECOND), burst: Math.max(burst, LISTS_AT_ONCE) }
    : { perSecond: lists.perSecond, burst: lists.burst ?? burstOf(lists.perSecond) };
  const ofLists: ListMiddleware = {
    "~lists": (ctx, next) => limit.admit(ctx, next, `${limit.name}/lists`, listed, "requests for lists"),
  };
  return Object.assign(calls, ofLists);
}

/** Least rate of lists by default: a host that connects twice, or a list of 2,500 tools, which has 10 pages over MCP. */
const LISTS_PER_SECOND = 1;
const LISTS_AT_ONCE = 10;

function burstOf(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond));
}

/** A store, and what happens while it fails. */
class RateLimit {
  readonly name: string;
  /** Member of the details of a refusal, if the limit has a name. */
  readonly #stated: { readonly limit?: string };
  readonly #key: NonNullable<RateLimitOptions["key"]>;
  readonly #store: RateLimitStore;
  readonly #ifStoreFails: NonNullable<RateLimitOptions["ifStoreFails"]>;
  /** Set while the store fails: time of the next attempt to use it. */
  #bypassUntilMs: number | undefined;
  /** Whether the current outage of the store is in the log. */
  #isLogged = false;

  constructor({ key = principalOf, name, store, ifStoreFails = "reject" }: RateLimitOptions) {
    this.name = name ?? "calls";
    this.#stated = name === undefined ? {} : { limit: name };
    this.#key = key;
    this.#store = store ?? memoryRateLimitStore();
    this.#ifStoreFails = ifStoreFails;
  }

  /** Continues with `next` if there is a token. `what` names that which is limited in the error. */
  admit(ctx: MiddlewareCtx, next: Next, prefix: string, bucket: TokenBucket, what: string): MaybePromise<CallResult> {
    const key = this.#key(ctx);
    const nowMs = ctx.clock.elapsed();
    const isBypassed = this.#bypassUntilMs !== undefined && nowMs < this.#bypassUntilMs;
    if (key === undefined || isBypassed) return next();
    // A store that is down may take long to fail: one call per second waits for it, the others bypass it.
    if (this.#bypassUntilMs !== undefined) this.#bypassUntilMs = nowMs + STORE_RETRY_MS;
    ctx.closeWithServer(this.#store);
    let waitMs: MaybePromise<number>;
    try {
      waitMs = this.#store.take(`${prefix}:${key}`, bucket, nowMs);
    } catch (thrown) {
      return this.#failed(ctx, next, thrown);
    }
    if (!(waitMs instanceof Promise)) return this.#taken(waitMs, next, what);
    return waitMs.then((later) => this.#taken(later, next, what), (thrown) => this.#failed(ctx, next, thrown));
  }

  #taken(waitMs: number, next: Next, what: string): MaybePromise<CallResult> {
    this.#bypassUntilMs = undefined;
    this.#isLogged = false;
    if (waitMs <= 0) return next();
    const message = `Too many ${what}; try again in ${waitMs} ms`;
    return errorResult("rate_limited", message, { retry_after_ms: waitMs, ...this.#stated });
  }

  #failed(ctx: MiddlewareCtx, next: Next, error: unknown): MaybePromise<CallResult> {
    const { name: limit } = this;
    const ifStoreFails = this.#ifStoreFails;
    if (!this.#isLogged) ctx.logger?.warn("The store of a rate limit failed", { limit, ifStoreFails, error });
    this.#isLogged = true;
    if (ifStoreFails === "reject") return STORE_FAILED;
    this.#bypassUntilMs = ctx.clock.elapsed() + STORE_RETRY_MS;
    return next();
  }
}

type Next = () => MaybePromise<CallResult>;

/** Time between attempts to use a store that has failed, in milliseconds. */
const STORE_RETRY_MS = 1_000;

const STORE_FAILED = errorResult("unavailable", "The rate limit cannot be checked at the moment; try again", {
  retry_after_ms: STORE_RETRY_MS,
});

function principalOf({ principal }: MiddlewareCtx): string {
  return callerKey(principal);
}

/** Options of {@link memoryRateLimitStore}. */
export interface MemoryRateLimitStoreOptions {
  /** Maximum number of buckets. When it is exceeded, the least recently used bucket is evicted; its key then has a full bucket. Default: 100,000. */
  readonly maxBuckets?: number | undefined;
}

/** Tokens in a bucket at a time, from which those of later times follow. */
interface Level {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Creates a store of token buckets in the memory of this process, for a rate limit that replicas do not share.
 *
 * @throws {RangeError} If `maxBuckets` is not a whole number above 0.
 * @throws {TypeError} If an option is unknown.
 */
export function memoryRateLimitStore(options: MemoryRateLimitStoreOptions = {}): RateLimitStore {
  checkOptions<MemoryRateLimitStoreOptions>("create a rate limit store", options, { maxBuckets: wholeNumber(1) });
  const { maxBuckets = 100_000 } = options;
  const levels = new RecentMap<Level>(maxBuckets);
  return {
    take(key, { perSecond, burst }, nowMs) {
      const { tokens, atMs } = levels.get(key) ?? { tokens: burst, atMs: nowMs };
      const filled = Math.min(burst, tokens + Math.max(0, nowMs - atMs) * perSecond / 1000);
      const isTaken = filled >= 1;
      levels.set(key, { tokens: isTaken ? filled - 1 : filled, atMs: nowMs });
      return isTaken ? 0 : Math.ceil((1 - filled) * 1000 / perSecond);
    },
  };
}
