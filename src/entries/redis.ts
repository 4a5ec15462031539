/**
 * State that replicas share through Redis: rate limits, notifications of changes, and sessions. It is needed from the second replica on,
 * and requires the package `ioredis`, which is not installed with Toolwire.
 *
 * @example A rate limit over all replicas
 * ```ts fragment tools redis
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { rateLimit } from "jsr:@toolwire/toolwire/middleware";
 * import { redisRateLimitStore } from "jsr:@toolwire/toolwire/redis";
 *
 * const store = redisRateLimitStore({ redis });
 * const server = createServer({ tools, middleware: [rateLimit({ perSecond: 10, store })] });
 * console.log(server.tools.length);
 * ```
 *
 * @module
 */
export {
  type RedisRateLimitStore,
  redisRateLimitStore,
  type RedisRateLimitStoreOptions,
} from "../integrations/redis/rate_limit_store.ts";
export { type RedisChangeBus, redisChangeBus, type RedisChangeBusOptions } from "../integrations/redis/change_bus.ts";
export type { RedisOptions } from "../integrations/redis/options.ts";
export {
  type RedisSessionStore,
  redisSessionStore,
  type RedisSessionStoreOptions,
} from "../integrations/redis/session_store.ts";
export type { RedisAddress, RedisTls } from "../jobs/engines/redis/address.ts";
export type { RateLimitStore, TokenBucket } from "../integrations/middleware/rate_limit.ts";
