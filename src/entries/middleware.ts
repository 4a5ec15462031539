/**
 * Middleware for servers and tools: cache, limits, logging and timeouts.
 *
 * Each function returns a value for `createServer({ middleware: […] })`, which wraps every call, or for `.use(…)`, which wraps one
 * tool.
 *
 * @module
 */
export { cache, type CacheOptions } from "../integrations/middleware/cache.ts";
export { concurrencyLimit, type ConcurrencyLimitOptions } from "../integrations/middleware/concurrency_limit.ts";
export type { CallLogger } from "../core/handler/middleware.ts";
export {
  json,
  type LineLoggerOptions,
  pretty,
  type PrettyOptions,
} from "../integrations/middleware/runtime/console_loggers.ts";
export { logging, type LoggingOptions } from "../integrations/middleware/logging.ts";
export {
  type ListRate,
  memoryRateLimitStore,
  type MemoryRateLimitStoreOptions,
  rateLimit,
  type RateLimitOptions,
  type RateLimitStore,
  type TokenBucket,
} from "../integrations/middleware/rate_limit.ts";
export { timeout } from "../integrations/middleware/timeout.ts";
