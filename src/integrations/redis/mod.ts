/**
 * State that replicas share through Redis: rate limits, notifications of changes, and sessions.
 *
 * Needs the package `ioredis`, which is not installed with Toolwire.
 *
 * @module
 */
export { type RedisRateLimitStore, redisRateLimitStore, type RedisRateLimitStoreOptions } from "./rate_limit_store.ts";
export { type RedisChangeBus, redisChangeBus, type RedisChangeBusOptions } from "./change_bus.ts";
export type { RedisOptions } from "./options.ts";
export { type RedisSessionStore, redisSessionStore, type RedisSessionStoreOptions } from "./session_store.ts";
export type { RedisAddress, RedisTls } from "../../engine/redis/address.ts";
export type { RateLimitStore, TokenBucket } from "../middleware/rate_limit.ts";
