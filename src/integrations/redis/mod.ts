/**
 * What replicas share through Redis.
 *
 * Needs `ioredis`, which is not installed with Toolwire.
 *
 * @module
 */
export { type RedisBuckets, redisBuckets, type RedisBucketsOptions } from "./buckets.ts";
export { type RedisChanges, redisChanges, type RedisChangesOptions } from "./changes.ts";
export type { RedisOptions } from "./options.ts";
export { type RedisSessions, redisSessions, type RedisSessionsOptions } from "./sessions.ts";
export type { RedisAddress, RedisTls } from "../../engine/redis/address.ts";
export type { Bucket, BucketStore } from "../middleware/rate_limit.ts";
