import type { RateLimitStore } from "../middleware/rate_limit.ts";
import { RedisConnection } from "./connection.ts";
import { checkRedisOptions, REDIS_RULES, type RedisOptions } from "./options.ts";

/** Options of {@link redisRateLimitStore}. */
export type RedisRateLimitStoreOptions = RedisOptions;

/** Token buckets in Redis. */
export interface RedisRateLimitStore extends RateLimitStore {
  /** Ends the connection. */
  close(): void;
}

/**
 * One script, so that nobody takes a token that somebody else has; by the clock of Redis, since those of the servers differ.
 * A bucket that would be full again is not kept.
 */
const TAKE = `
  local time = redis.call("TIME")
  local now = time[1] * 1000 + time[2] / 1000
  local perMs, burst = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2])
  local kept = redis.call("HMGET", KEYS[1], "tokens", "at")
  local tokens, at = tonumber(kept[1]) or burst, tonumber(kept[2]) or now
  tokens = math.min(burst, tokens + math.max(0, now - at) * perMs)
  local wait = 0
  if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) / perMs) end
  redis.call("HSET", KEYS[1], "tokens", string.format("%.9f", tokens), "at", string.format("%.3f", now))
  redis.call("PEXPIRE", KEYS[1], math.max(1, math.ceil((burst - tokens) / perMs)))
  return wait`;

/**
 * Token buckets in Redis, which all replicas share: the `store` of a `rateLimit`.
 *
 * Needs `ioredis`, which is not installed with Toolwire. Connects when it is first used; the connection keeps the process alive
 * until `close()`.
 *
 * @example A limit that replicas share
 * ```ts fragment
 * import { rateLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { redisRateLimitStore } from "jsr:@toolwire/toolwire/redis";
 *
 * const store = redisRateLimitStore({ redis: "redis://127.0.0.1:6379" });
 * const server = createServer({ tools, middleware: [rateLimit({ perSecond: 10, burst: 20, store })] });
 * ```
 * @throws {RangeError} If a number is not one that it may be.
 * @throws {TypeError} If another option is not what it should be, or there is no such option.
 */
export function redisRateLimitStore(options: RedisRateLimitStoreOptions): RedisRateLimitStore {
  checkRedisOptions("keep buckets in Redis", options, REDIS_RULES);
  const { name = "toolwire" } = options;
  const connection = new RedisConnection("redisRateLimitStore", "Rate limits cannot be kept in Redis now:", options);
  return {
    async take(key, { perSecond, burst }) {
      const bucket = `${name}:bucket:${key}`;
      return Number(await connection.ask((client) => client.eval(TAKE, 1, bucket, perSecond, burst)));
    },
    close: () => connection.close(),
  };
}
