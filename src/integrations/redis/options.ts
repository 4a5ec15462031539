import type { Logger } from "../../core/handler/context.ts";
import type { RedisAddress } from "../../jobs/engines/redis/address.ts";
import { ANYTHING, LOGGER, type OptionRules, POSITIVE, TEXT } from "../../internal/options.ts";

/** Options that the rate limit store, the change bus and the session store in Redis have in common. */
export interface RedisOptions {
  /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, the path of a socket, or an object. */
  readonly redis: string | RedisAddress;
  /** Prefix of the keys. Servers with the same name share what they store. Default: `"toolwire"`. */
  readonly name?: string | undefined;
  /** Time limit of a reply in milliseconds. After it, Redis is considered unavailable. Default: 1,000. */
  readonly timeoutMs?: number | undefined;
  /** Receives errors of Redis as warnings, the first of each outage. Default: `console`. */
  readonly logger?: Logger | undefined;
}

/** Rules that validate {@link RedisOptions}, all but the address. */
export const REDIS_RULES: OptionRules<RedisOptions> = {
  redis: ANYTHING,
  name: TEXT,
  timeoutMs: POSITIVE,
  logger: LOGGER,
};
