/**
 * The server of one replica. What makes it one of many: the same keys, and the same queue.
 *
 * @module
 */
import { createServer } from "jsr:@toolwire/toolwire";
import { bullmqEngine } from "jsr:@toolwire/toolwire/engines/bullmq";
import { keysFromEnv } from "jsr:@toolwire/toolwire/serve";
import { createCountPrimes } from "./tools.ts";

/** How long a replica is taken to live after its last sign, in milliseconds. Short, so that the tour is; 10,000 is usual. */
const LEASE_MS = 2_000;

/**
 * Makes the server of one replica.
 *
 * @param name What it calls itself.
 * @param redis Where Redis is: `redis://127.0.0.1:6379`.
 */
export function createReplica(name: string, redis: string) {
  return createServer({
    name: "replicas",
    version: "1.0.0",
    tools: [createCountPrimes(name)],
    // Whatever one replica signs, the others accept.
    keys: keysFromEnv(),
    // Whatever one replica has begun, the others can end.
    engine: bullmqEngine({ redis, leaseMs: LEASE_MS }),
    logger: console,
  });
}

/** The type of any replica's server: what a client is typed by. */
export type ReplicaServer = ReturnType<typeof createReplica>;
