import { Lazy } from "../engine/bullmq_lazy.ts";
import type { RedisAddress } from "../engine/bullmq_redis_address.ts";
import { Failures } from "../engine/bullmq_failures.ts";
import { RedisClients } from "../engine/redis_clients.ts";
import type { BucketStore } from "../middleware/rate_limit.ts";

/** Options of {@link redisBuckets}. */
export interface RedisBucketsOptions {
  /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, or its parts. */
  readonly redis: string | RedisAddress;
  /** Servers with the same name share their buckets. Default: `"toolwire"`. */
  readonly name?: string;
  /** How long Redis may take to answer, in milliseconds, before it counts as gone. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Told of errors of Redis; only what fails after a success is told again. Default: `console.warn`. */
  readonly onError?: (error: unknown) => void;
}

/** Token buckets in Redis. */
export interface RedisBuckets extends BucketStore {
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
 * import { redisBuckets } from "jsr:@toolwire/toolwire/redis";
 *
 * const store = redisBuckets({ redis: "redis://127.0.0.1:6379" });
 * const server = createServer({ tools, middleware: [rateLimit({ perSecond: 10, burst: 20, store })] });
 * ```
 */
export function redisBuckets(options: RedisBucketsOptions): RedisBuckets {
  const { redis, name = "toolwire", timeoutMs = 1_000, onError = warn } = options;
  const failures = new Failures(onError);
  const clients = new RedisClients(redis, {
    what: "redisBuckets",
    packages: ["ioredis"],
    timeoutMs,
    onError: failures.report,
  });
  const line = new Lazy(() => clients.openLine());
  return {
    async take(key, { perSecond, burst }) {
      try {
        const client = await (await line.get()).ready();
        const waitMs = Number(await client.eval(TAKE, 1, `${name}:bucket:${key}`, perSecond, burst));
        failures.succeed();
        return waitMs;
      } catch (error) {
        failures.report(error);
        throw error;
      }
    },
    close() {
      failures.end();
      clients.close();
    },
  };
}

function warn(error: unknown): void {
  console.warn("Rate limits cannot be kept in Redis now:", error);
}
