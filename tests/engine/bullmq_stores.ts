/**
 * Engines of BullMQ for tests, over real servers.
 *
 * @module
 */
import { type BullmqCommonOptions, bullmqEngine } from "../../src/engine/bullmq/mod.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { type ServerName, startPostgres, startRedis, type TestServer } from "./programs.ts";
import type { OpenedEngine } from "./suite.ts";

/** Each that the engine can use. */
export const STORES: readonly ServerName[] = ["redis", "postgres"];

/** Starts a server that knows its data after a restart. */
export function startStore(store: ServerName): Promise<TestServer> {
  return store === "redis" ? startRedis({ isPersistent: true }) : startPostgres();
}

/** An engine over a server. */
export function openBullmq(store: ServerName, url: string, options: BullmqCommonOptions): Engine {
  return bullmqEngine(store === "redis" ? { redis: url, ...options } : { postgres: url, ...options });
}

/** Has the store made ready for engines that are in a hurry: the first one of all makes tables. */
export async function warmUp(store: ServerName, url: string): Promise<void> {
  const engine = openBullmq(store, url, { timeoutMs: 60_000 });
  await engine.get("");
  await engine.close();
}

/** An engine with its own queue, as a view of one process, and any number of further views. */
export interface OpenedBullmq extends OpenedEngine {
  /** Errors that the engines reported in the background. */
  readonly errors: unknown[];
  reopen(): Promise<Engine>;
}

/** Opens an engine with its own queue. */
export function openOn(store: ServerName, url: string, options: BullmqCommonOptions): OpenedBullmq {
  const errors: unknown[] = [];
  const all = { name: `test-${crypto.randomUUID()}`, onError: (error: unknown) => void errors.push(error), ...options };
  const engines: Engine[] = [];
  const create = (): Engine => {
    const engine = openBullmq(store, url, all);
    engines.push(engine);
    return engine;
  };
  return {
    errors,
    engine: create(),
    reopen: () => Promise.resolve(create()),
    async close() {
      for (const engine of engines) await engine.close();
    },
  };
}
