/**
 * What replicas share through Redis.
 *
 * Needs `ioredis`, which is not installed with Toolwire.
 *
 * @module
 */
export { type RedisRateLimitStore, redisRateLimitStore, type RedisRateLimitStoreOptions } from "./buckets.ts";
export { type RedisChangeBus, redisChangeBus, type RedisChangeBusOptions } from "./changes.ts";
export type { RedisOptions } from "./options.ts";
export { type RedisSessionStore, redisSessionStore, type RedisSessionStoreOptions } from "./sessions.ts";
export type { RedisAddress, RedisTls } from "../../engine/redis/address.ts";
export type { RateLimitStore as BucketStore, TokenBucket as Bucket } from "../middleware/rate_limit.ts";
