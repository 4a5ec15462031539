import { isJsonObject } from "../../../internal/json.ts";
import { BOOLEAN, type OptionRules, POSITIVE, rule, wholeNumber } from "../../../internal/options.ts";
import type { CacheHints } from "./revision.ts";

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

/** What they have to be. */
export const PROTOCOL_RULES: OptionRules<ProtocolOptions> = {
  logging: BOOLEAN,
  cache: rule('{ ttlMs: 0, scope: "private" }, or the like', isCacheHints),
  pageSize: wholeNumber(1),
  askTimeoutMs: POSITIVE,
};

function isCacheHints(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { ttlMs, scope } = value;
  return Number.isInteger(ttlMs) && (ttlMs as number) >= 0 && (scope === "public" || scope === "private");
}

/** Options, or what stands for them. */
export function resolveOptions(options: ProtocolOptions): ProtocolSettings {
  const { logging = false, cache = { ttlMs: 0, scope: "private" }, pageSize = 250, askTimeoutMs = 30_000 } = options;
  return { logging, cache, pageSize, askTimeoutMs };
}
