/** Engines of BullMQ for tests, over real servers. */
import { bullmqEngine, type BullmqEngineCommonOptions } from "../../../src/entries/engines/bullmq.ts";
import type { Engine } from "../../../src/core/dispatch/engine.ts";
import { type ServerName, startPostgres, startRedis, type TestServer } from "./programs.ts";
import { errorLogger } from "./fixture.ts";
import type { OpenedEngine } from "./fixture.ts";

/** Stores of the engine. */
export const STORES: readonly ServerName[] = ["redis", "postgres"];

/** Starts a server that keeps its data after a restart. */
export function startStore(store: ServerName): Promise<TestServer> {
  return store === "redis" ? startRedis({ isPersistent: true }) : startPostgres();
}

/** An engine over a server. */
export function openBullmq(store: ServerName, url: string, options: BullmqEngineCommonOptions): Engine {
  return bullmqEngine(store === "redis" ? { redis: url, ...options } : { postgres: url, ...options });
}

/** Initializes the store before tests with short time limits, since the first engine creates tables. */
export async function warmUp(store: ServerName, url: string): Promise<void> {
  const engine = openBullmq(store, url, { timeoutMs: 60_000 });
  await engine.get("");
  await engine.close();
}

/** An engine with its own queue, as one process has it, and any number of further engines on the same queue. */
export interface OpenedBullmq extends OpenedEngine {
  /** Logged errors. */
  readonly errors: unknown[];
  reopen(): Promise<Engine>;
}

/** Opens an engine with its own queue. */
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
