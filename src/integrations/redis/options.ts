import { assertRedisAddress, type RedisAddress } from "../../engine/redis/address.ts";
import { ANYTHING, checkOptions, FUNCTION, OBJECT, type OptionRules, POSITIVE, TEXT } from "../../internal/options.ts";

/** What everything that is kept in Redis has to know. */
export interface RedisOptions {
  /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, the path of a socket, or its parts. */
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
  redis: ANYTHING,
  name: TEXT,
  timeoutMs: POSITIVE,
  onError: FUNCTION,
};

/**
 * Holds options to their rules; and before, since nothing can be done without it, the address of Redis to its own.
 *
 * @param action What cannot be done otherwise: `keep sessions in Redis`.
 * @throws {RangeError} If a number is not one that it may be.
 * @throws {TypeError} If another option is not what it should be, or there is no such option.
 */
export function checkRedisOptions<Options extends RedisOptions>(
  action: string,
  options: Options,
  rules: OptionRules<Options>,
): void {
  if (OBJECT.fits(options)) assertRedisAddress(action, options.redis);
  checkOptions(action, options, rules);
}
