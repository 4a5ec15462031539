/**
 * Middleware for servers and tools: cache, limits, logging and timeouts. It is needed where each call, or each call of a tool, has to pass
 * the same step.
 *
 * Each function returns a value for `createServer({ middleware: […] })`, which wraps every call, or for `.use(…)`, which wraps one tool.
 *
 * @example Ten calls a second for each caller
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { rateLimit } from "jsr:@toolwire/toolwire/middleware";
 *
 * const ask = defineTool("ask").describe("Ask the oracle").handle(() => "yes");
 * console.log(createServer({ tools: [ask], middleware: [rateLimit({ perSecond: 10 })] }).tools.length); // → 1
 * ```
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
