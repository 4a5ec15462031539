/**
 * Engines: what stores and delivers deferred work, and brings promises to a server of `./core`. A server of `./core` needs it for the
 * engine in memory, and authors of engines for the contract; engines that survive a restart are `./engines/sqlite`, `./engines/bullmq` and
 * `./engines/durable-object`.
 *
 * @example A server of the core with promises
 * ```ts
 * import { createClient, createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire/core";
 * import { memoryEngine } from "jsr:@toolwire/toolwire/engines";
 *
 * const report = defineTool("report").describe("Write a report").promise().handle(() => "done");
 * const server = createServer({ tools: [report], engine: memoryEngine(), logger: console });
 * console.log(await createClient<typeof server>(memoryTransport(server)).report()); // → done
 * ```
 *
 * @module
 */
export { memoryEngine, type MemoryEngineOptions } from "../jobs/engines/memory/memory_engine.ts";
export { withPromises } from "../jobs/promises/with_promises.ts";
export type { PromiseEngine } from "../core/dispatch/deferral.ts";
export type {
  AskAnswer,
  Engine,
  EngineWorker,
  Job,
  JobFailure,
  JobFilter,
  JobFollower,
  JobPage,
  JobPieces,
  JobState,
  LedgerEntry,
  Memo,
  StepFailure,
  Wait,
  WorkOptions,
} from "../core/dispatch/engine.ts";
