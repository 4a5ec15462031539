import type { Logger } from "../../core/handler/context.ts";
import { assertRedisAddress, type RedisAddress, redisName } from "../../engine/redis/address.ts";
import { RedisConnection } from "../../engine/redis/connection.ts";
import { ErrorThrottle } from "../../engine/store_errors.ts";
import { ANYTHING, checkOptions, LOGGER, OBJECT, type OptionRules, POSITIVE, TEXT } from "../../internal/options.ts";

/** Options of everything that is stored in Redis. */
export interface RedisOptions {
  /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, the path of a socket, or an object. */
  readonly redis: string | RedisAddress;
  /** Prefix of the keys. Servers with the same name share what they store. Default: `"toolwire"`. */
  readonly name?: string;
  /** Time limit of a reply in milliseconds. After it, Redis is considered unavailable. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Receives errors of Redis as warnings, the first of each outage. Default: `console`. */
  readonly logger?: Logger;
}

/** Rules of {@link RedisOptions}. */
export const REDIS_RULES: OptionRules<RedisOptions> = {
  redis: ANYTHING,
  name: TEXT,
  timeoutMs: POSITIVE,
  logger: LOGGER,
};

/**
 * Validates the options, the address first, and returns a connection, which connects at the first use.
 *
 * @param feature Name of the function, for the message if `ioredis` is missing.
 * @param action Action that needs Redis, for messages: `keep sessions in Redis`.
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If another option is invalid or unknown.
 */
export function openRedis<Options extends RedisOptions>(
  feature: string,
  action: string,
  options: Options,
  rules: OptionRules<Options>,
): RedisConnection {
  if (OBJECT.fits(options)) assertRedisAddress(action, options.redis);
  checkOptions(action, options, rules);
  const { redis, timeoutMs = 1_000, logger } = options;
  const errors = new ErrorThrottle(`Cannot ${action} now`, logger, redisName(redis));
  return new RedisConnection(redis, { feature, packages: ["ioredis"], timeoutMs, errors });
}
