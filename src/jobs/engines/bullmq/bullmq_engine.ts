import type { PromiseEngine } from "../../../core/dispatch/deferral.ts";
import { withPromises } from "../../promises/with_promises.ts";
import type { Logger } from "../../../core/handler/context.ts";
import { ANYTHING, AT_LEAST_1, checkOptions, LOGGER, type OptionRules, rule, TEXT } from "../../../internal/options.ts";
import { assertRedisAddress, type RedisAddress, redisName } from "../redis/address.ts";
import { ErrorThrottle, storeName } from "../store_errors.ts";
import type { Backend, BullmqSettings } from "./backend.ts";
import { BullmqEngine } from "./engine.ts";
import { PostgresBackend } from "./postgres.ts";
import { RedisBackend } from "./redis.ts";

/** Options of {@link bullmqEngine} for both stores. */
export interface BullmqEngineCommonOptions {
  /** Name of the queue: up to 64 letters, digits, `.`, `_` or `-`. Servers with the same name share their jobs. Default: `"toolwire"`. */
  readonly name?: string | undefined;
  /**
   * Lease duration in milliseconds. A process that has not renewed its leases for this long is considered dead, also if only its event
   * loop is blocked; its jobs are run elsewhere within about twice this time. Default: 10,000.
   */
  readonly leaseMs?: number | undefined;
  /** Time limit of a reply of the store in milliseconds. After it, a call fails with `unavailable`. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Receives errors of the store as warnings, the first of each outage. Default: `console`. */
  readonly logger?: Logger | undefined;
}

/** Options of {@link bullmqEngine}, with exactly one store. */
export type BullmqEngineOptions =
  & BullmqEngineCommonOptions
  & (
    | {
      /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, the path of a socket, or an object. */
      readonly redis: string | RedisAddress;
      /** Cannot be combined. */
      readonly postgres?: never | undefined;
    }
    | {
      /** A URL, such as `postgres://user:password@host:5432/database`. The tables are created in it. */
      readonly postgres: string;
      /** Cannot be combined. */
      readonly redis?: never | undefined;
    }
  );

/** Options before it is known whether the store is Redis or PostgreSQL. */
type AnyOptions = BullmqEngineCommonOptions & { readonly redis?: unknown; readonly postgres?: unknown };

const RULES: OptionRules<AnyOptions> = {
  redis: ANYTHING,
  postgres: rule('a URL such as "postgres://127.0.0.1:5432/database"', TEXT.fits),
  name: TEXT,
  leaseMs: AT_LEAST_1,
  timeoutMs: AT_LEAST_1,
  logger: LOGGER,
};

/**
 * Creates an engine for processes on several machines: it stores jobs in Redis or PostgreSQL, and BullMQ delivers them.
 *
 * Connects at the first use. Its connections keep the process alive until `close()`.
 *
 * @param options The store, and its options.
 * @returns The engine. Its calls reject with `unavailable` while the store cannot be reached.
 * @throws {TypeError} If there is not exactly one store, or its address or the name is invalid.
 * @throws {RangeError} If a time is not a number of at least 1.
 */
export function bullmqEngine(options: BullmqEngineOptions): PromiseEngine {
  checkOptions<AnyOptions>("keep jobs by BullMQ", options, RULES);
  if (options.redis !== undefined) assertRedisAddress("keep jobs by BullMQ", options.redis);
  const { name = "toolwire", leaseMs = 10_000, timeoutMs = 5_000, logger } = options;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    throw new TypeError(`Cannot name a queue ${JSON.stringify(name)}: use up to 64 letters, digits, ".", "_" or "-"`);
  }
  const store = options.redis === undefined ? storeName("PostgreSQL", `${options.postgres}`) : redisName(options.redis);
  const errors = new ErrorThrottle("The bullmq engine cannot reach its store, and retries", logger, store);
  const settings = { name, leaseMs, timeoutMs, errors };
  return withPromises(new BullmqEngine(createBackend(options, settings), settings));
}

function createBackend({ redis, postgres }: BullmqEngineOptions, settings: BullmqSettings): Backend {
  if (redis !== undefined && postgres === undefined) return new RedisBackend(redis, settings);
  if (postgres !== undefined && redis === undefined) return new PostgresBackend(postgres, settings);
  throw new TypeError("Cannot use BullMQ: pass either redis or postgres");
}
