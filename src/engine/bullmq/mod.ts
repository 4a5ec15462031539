/**
 * An engine on BullMQ, over Redis or PostgreSQL: for many machines.
 *
 * Needs `bullmq`, and `ioredis` or `pg`, which are not installed with Toolwire.
 *
 * @example A server of which many may run
 * ```ts fragment
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { bullmqEngine } from "jsr:@toolwire/toolwire/engines/bullmq";
 *
 * const server = createServer({ tools, engine: bullmqEngine({ redis: "redis://127.0.0.1:6379" }) });
 * ```
 * @module
 */
import { ANYTHING, AT_LEAST_1, checkOptions, FUNCTION, type OptionRules, rule, TEXT } from "../../internal/options.ts";
import type { Backend, BackendOptions } from "./backend.ts";
import { BullmqEngine } from "./engine.ts";
import { Failures } from "../redis/error_throttle.ts";
import { PostgresBackend } from "./postgres.ts";
import { RedisBackend } from "./redis.ts";
import { assertRedisAddress, type RedisAddress } from "../redis/address.ts";
import type { PromiseEngine } from "../../core/dispatch/deferral.ts";
import { withPromises } from "../../core/dispatch/promises/with_promises.ts";
import { postgresName, redisName, storeError } from "../redis/store_error.ts";

export type { RedisAddress, RedisTls } from "../redis/address.ts";

/** Options of {@link bullmqEngine} that are the same for both stores. */
export interface BullmqCommonOptions {
  /**
   * Servers with the same name share their jobs; up to 64 letters, digits, `.`, `_` or `-`. Default: `"toolwire"`.
   */
  readonly name?: string;
  /**
   * How long a process is taken to live after its last sign, in milliseconds: its jobs are run elsewhere within about twice
   * this. A process whose event loop stands still for longer is taken for dead, too. Default: 10,000.
   */
  readonly leaseMs?: number;
  /** How long the store may take to answer, in milliseconds, before a call is refused as `unavailable`. Default: 5,000. */
  readonly timeoutMs?: number;
  /** Told of errors of the store; only what fails after a success is told again. Default: `console.warn`. */
  readonly onError?: (error: unknown) => void;
}

/** Options of {@link bullmqEngine}: one store, and how to use it. */
export type BullmqOptions =
  & BullmqCommonOptions
  & (
    | {
      /** A URL, such as `redis://user:password@host:6379/0` or `rediss://…`, the path of a socket, or its parts. */
      readonly redis: string | RedisAddress;
      /** Not both. */
      readonly postgres?: never;
    }
    | {
      /** A URL, such as `postgres://user:password@host:5432/database`. Tables are made in it. */
      readonly postgres: string;
      /** Not both. */
      readonly redis?: never;
    }
  );

type AnyOptions = BullmqCommonOptions & { readonly redis?: unknown; readonly postgres?: unknown };

const RULES: OptionRules<AnyOptions> = {
  redis: ANYTHING,
  postgres: rule('a URL such as "postgres://127.0.0.1:5432/database"', TEXT.fits),
  name: TEXT,
  leaseMs: AT_LEAST_1,
  timeoutMs: AT_LEAST_1,
  onError: FUNCTION,
};

/**
 * Keeps jobs in Redis or PostgreSQL, and has them delivered by BullMQ.
 *
 * Connects when it is first used. Its connections keep the process alive until `close()`.
 *
 * @param options Which store, and how to use it.
 * @returns The engine. Its calls reject with `unavailable` while the store cannot be reached.
 * @throws {TypeError} If there is not exactly one store, its address is none, or the name is none.
 * @throws {RangeError} If a time is not a number of at least 1.
 */
export function bullmqEngine(options: BullmqOptions): PromiseEngine {
  checkOptions<AnyOptions>("keep jobs by BullMQ", options, RULES);
  if (options.redis !== undefined) assertRedisAddress("keep jobs by BullMQ", options.redis);
  const { name = "toolwire", leaseMs = 10_000, timeoutMs = 5_000, onError = warn } = options;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    throw new TypeError(`Cannot name a queue ${JSON.stringify(name)}: use up to 64 letters, digits, ".", "_" or "-"`);
  }
  const store = options.redis === undefined ? postgresName(`${options.postgres}`) : redisName(options.redis);
  const failures = new Failures((error) => onError(storeError(store, error)));
  const backend = createBackend(options, { name, timeoutMs, onError: failures.report });
  return withPromises(new BullmqEngine(backend, { leaseMs, timeoutMs, failures }));
}

function createBackend({ redis, postgres }: BullmqOptions, options: BackendOptions): Backend {
  if (redis !== undefined && postgres === undefined) return new RedisBackend(redis, options);
  if (postgres !== undefined && redis === undefined) return new PostgresBackend(postgres, options);
  throw new TypeError("Cannot use BullMQ: give it `redis` or `postgres`, one of them");
}

function warn(error: unknown): void {
  console.warn("The bullmq engine cannot reach its store, and tries again:", error);
}
