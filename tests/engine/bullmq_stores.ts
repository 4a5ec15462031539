/**
 * Engines of BullMQ for tests, over real servers.
 *
 * @module
 */
import { bullmqEngine, type BullmqEngineCommonOptions } from "../../src/engine/bullmq/mod.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { type ServerName, startPostgres, startRedis, type TestServer } from "./programs.ts";
import { errorLogger } from "./fixture.ts";
import type { OpenedEngine } from "./suite.ts";

/** Each that the engine can use. */
export const STORES: readonly ServerName[] = ["redis", "postgres"];

/** Starts a server that knows its data after a restart. */
export function startStore(store: ServerName): Promise<TestServer> {
  return store === "redis" ? startRedis({ isPersistent: true }) : startPostgres();
}

/** An engine over a server. */
export function openBullmq(store: ServerName, url: string, options: BullmqEngineCommonOptions): Engine {
  return bullmqEngine(store === "redis" ? { redis: url, ...options } : { postgres: url, ...options });
}

/** Has the store made ready for engines that are in a hurry: the first one of all makes tables. */
export async function warmUp(store: ServerName, url: string): Promise<void> {
  const engine = openBullmq(store, url, { timeoutMs: 60_000 });
  await engine.get("");
  await engine.close();
}

/** An engine with a queue of its own, as a view of one process, and any number of further views. */
export interface OpenedBullmq extends OpenedEngine {
  /** What the engines told in the background. */
  readonly errors: unknown[];
  reopen(): Promise<Engine>;
}

/** Opens an engine with a queue of its own. */
export function openOn(store: ServerName, url: string, options: BullmqEngineCommonOptions): OpenedBullmq {
  const errors: unknown[] = [];
  const all = { name: `test-${crypto.randomUUID()}`, logger: errorLogger((error) => errors.push(error)), ...options };
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
