/**
 * Opens a connection to Redis from the options of a function.
 *
 * Not in `options.ts`: its types are public, and must not reach those of `ioredis`, which users may not have.
 */
import { assertRedisAddress, redisName } from "../../jobs/engines/redis/address.ts";
import { RedisConnection } from "../../jobs/engines/redis/connection.ts";
import { ErrorThrottle } from "../../jobs/engines/store_errors.ts";
import { checkOptions, OBJECT, type OptionRules } from "../../internal/options.ts";
import type { RedisOptions } from "./options.ts";

/**
 * Validates the options, the address first, and returns a connection, which connects at the first use. `action` is for messages of errors.
 *
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
