import { checkOptions, wholeNumber } from "../../internal/options.ts";
import type { BucketStore } from "./rate_limit.ts";

/** Options of {@link memoryRateLimitStore}. */
export interface MemoryRateLimitStoreOptions {
  /** How many buckets are kept; beyond that the one that was not used for longest is forgotten, and full again. Default: 100,000. */
  readonly maxBuckets?: number;
}

interface Level {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Token buckets in this process, of bounded number: for a rate limit that replicas do not share.
 *
 * @throws {RangeError} If `maxBuckets` is no whole number above 0.
 * @throws {TypeError} If there is no such option.
 */
export function memoryRateLimitStore(options: MemoryRateLimitStoreOptions = {}): BucketStore {
  checkOptions<MemoryRateLimitStoreOptions>("make buckets", options, { maxBuckets: wholeNumber(1) });
  const { maxBuckets = 100_000 } = options;
  // In the order of use: the first was not used for longest.
  const levels = new Map<string, Level>();
  return {
    take(key, { perSecond, burst }, nowMs) {
      const { tokens, atMs } = levels.get(key) ?? { tokens: burst, atMs: nowMs };
      const filled = Math.min(burst, tokens + Math.max(0, nowMs - atMs) * perSecond / 1000);
      const isTaken = filled >= 1;
      levels.delete(key);
      levels.set(key, { tokens: isTaken ? filled - 1 : filled, atMs: nowMs });
      const [oldest] = levels.keys();
      if (levels.size > maxBuckets && oldest !== undefined) levels.delete(oldest);
      return isTaken ? 0 : Math.ceil((1 - filled) * 1000 / perSecond);
    },
  };
}
