import type { CacheHints } from "./dialect.ts";

/** What may be said of MCP, whichever way it is carried. */
export interface ProtocolOptions {
  /**
   * Whether what tools log with `ctx.log` is told to callers who ask for it. Default: `false`; a log may hold what callers
   * must not see.
   */
  readonly logging?: boolean | undefined;
  /** How long callers may keep lists and descriptions, and who may share them. Default: not at all. */
  readonly cache?: CacheHints | undefined;
  /** At most so many entries on a page of a list. Default: 250. */
  readonly pageSize?: number | undefined;
  /** How long a caller has to answer a question in revisions where it is asked over the open stream, in milliseconds. Default: 30,000. */
  readonly askTimeoutMs?: number | undefined;
}

/** Options with their defaults. */
export type ProtocolSettings = { readonly [Name in keyof ProtocolOptions]-?: NonNullable<ProtocolOptions[Name]> };

/** @throws {RangeError} If a number is not what it should be. */
export function resolveOptions(options: ProtocolOptions): ProtocolSettings {
  const { logging = false, cache = { ttlMs: 0, scope: "private" }, pageSize = 250, askTimeoutMs = 30_000 } = options;
  if (!(Number.isInteger(pageSize) && pageSize > 0)) {
    throw new RangeError(`Cannot serve MCP: pageSize must be a whole number above 0, not ${pageSize}`);
  }
  if (!(Number.isInteger(cache.ttlMs) && cache.ttlMs >= 0)) {
    throw new RangeError(`Cannot serve MCP: cache.ttlMs must be a whole number of milliseconds, not ${cache.ttlMs}`);
  }
  if (!(askTimeoutMs > 0)) {
    throw new RangeError(
      `Cannot serve MCP: askTimeoutMs must be a positive number of milliseconds, not ${askTimeoutMs}`,
    );
  }
  return { logging, cache, pageSize, askTimeoutMs };
}
