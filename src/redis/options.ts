import type { RedisAddress } from "../engine/bullmq_redis_address.ts";
import { FUNCTION, OBJECT, type OptionRules, POSITIVE, required, rule, TEXT } from "../internal/options.ts";

/** What everything that is kept in Redis has to know. */
export interface RedisOptions {
  /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, or its parts. */
  readonly redis: string | RedisAddress;
  /** Servers with the same name share what they keep. Default: `"toolwire"`. */
  readonly name?: string;
  /** How long Redis may take to answer, in milliseconds, before it counts as gone. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Told of errors of Redis; only what fails after a success is told again. Default: `console.warn`. */
  readonly onError?: (error: unknown) => void;
}

/** What they have to be. */
export const REDIS_RULES: OptionRules<RedisOptions> = {
  redis: required(rule('a URL such as "redis://127.0.0.1:6379", or its parts', isAddress)),
  name: TEXT,
  timeoutMs: POSITIVE,
  onError: FUNCTION,
};

function isAddress(value: unknown): boolean {
  return TEXT.fits(value) || OBJECT.fits(value);
}
