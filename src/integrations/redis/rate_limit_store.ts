import type { RedisConnection } from "../../jobs/engines/redis/connection.ts";
import type { RateLimitStore } from "../middleware/rate_limit.ts";
import { openRedis } from "./open_redis.ts";
import { REDIS_RULES, type RedisOptions } from "./options.ts";

/** Options of {@link redisRateLimitStore}. */
export type RedisRateLimitStoreOptions = RedisOptions;

/** A store of token buckets in Redis, for `rateLimit({ store })`. */
export interface RedisRateLimitStore extends RateLimitStore {
  /** Closes the connection; the next call opens another one. The server that has used the store calls it when it is closed. */
  close(): void;
}

/**
 * One script, so that two servers cannot take the same token. It uses the clock of Redis, since those of the servers may differ.
 * A bucket expires when it would be full again.
 */
const TAKE = `
  local time = redis.call("TIME")
  local now = time[1] * 1000 + time[2] / 1000
  local perMs, burst = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2])
  local stored = redis.call("HMGET", KEYS[1], "tokens", "at")
  local tokens, at = tonumber(stored[1]) or burst, tonumber(stored[2]) or now
  tokens = math.min(burst, tokens + math.max(0, now - at) * perMs)
  local wait = 0
  if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) / perMs) end
  redis.call("HSET", KEYS[1], "tokens", string.format("%.9f", tokens), "at", string.format("%.3f", now))
  redis.call("PEXPIRE", KEYS[1], math.max(1, math.ceil((burst - tokens) / perMs)))
  return wait`;

/**
 * Token buckets in Redis, shared by all replicas: the `store` of a `rateLimit`.
 *
 * Needs the package `ioredis`, which is not installed with Toolwire. Connects at the first use; the connection keeps the process alive
 * until the server is closed that uses it, or the last of several.
 *
 * @example A limit for all replicas together
 * ```ts fragment tools
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { rateLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { redisRateLimitStore } from "jsr:@toolwire/toolwire/redis";
 *
 * const store = redisRateLimitStore({ redis: "redis://127.0.0.1:6379" });
 * const server = createServer({ tools, middleware: [rateLimit({ perSecond: 10, burst: 20, store })] });
 * ```
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If another option is invalid or unknown.
 */
export function redisRateLimitStore(options: RedisRateLimitStoreOptions): RedisRateLimitStore {
  const open = () => openRedis("redisRateLimitStore", "keep buckets in Redis", options, REDIS_RULES);
  let connection: RedisConnection | undefined = open();
  const { name = "toolwire" } = options;
  return {
    async take(key, { perSecond, burst }) {
      const bucket = `${name}:bucket:${key}`;
      connection ??= open();
      return Number(await connection.request((client) => client.eval(TAKE, 1, bucket, perSecond, burst)));
    },
    close() {
      connection?.close();
      connection = undefined;
    },
  };
}
