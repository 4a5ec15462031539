/**
 * An engine for several machines: BullMQ, over Redis or PostgreSQL. It is needed where replicas on more than one machine share promises,
 * and requires the packages `bullmq`, and `ioredis` or `pg`, which are not installed with Toolwire.
 *
 * @example A server with any number of replicas
 * ```ts fragment tools
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { bullmqEngine } from "jsr:@toolwire/toolwire/engines/bullmq";
 *
 * const server = createServer({ tools, engine: bullmqEngine({ redis: "redis://127.0.0.1:6379" }) });
 * ```
 * @module
 */
export type { RedisAddress, RedisTls } from "../../jobs/engines/redis/address.ts";
export {
  bullmqEngine,
  type BullmqEngineCommonOptions,
  type BullmqEngineOptions,
} from "../../jobs/engines/bullmq/bullmq_engine.ts";
