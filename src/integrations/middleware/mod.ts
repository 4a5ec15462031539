/**
 * Middleware for servers and tools: what a service needs around its calls.
 *
 * Each is a value for `createServer({ middleware: […] })`, around every call, or for `.use(…)`, around one tool.
 *
 * @module
 */
export { cache, type CacheOptions } from "./cache.ts";
export { concurrencyLimit, type ConcurrencyLimitOptions } from "./concurrency_limit.ts";
export { logging, type LoggingOptions } from "./logging.ts";
export { memoryRateLimitStore, type MemoryRateLimitStoreOptions } from "./rate_limit.ts";
export { rateLimit, type RateLimitOptions, type RateLimitStore, type TokenBucket } from "./rate_limit.ts";
export { timeout } from "./timeout.ts";
