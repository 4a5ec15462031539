/**
 * State that replicas share through Redis: rate limits, notifications of changes, and sessions.
 *
 * Needs the package `ioredis`, which is not installed with Toolwire.
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
