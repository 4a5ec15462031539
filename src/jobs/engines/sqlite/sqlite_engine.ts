import type { PromiseEngine } from "../../../core/dispatch/deferral.ts";
import { withPromises } from "../../promises/with_promises.ts";
import type { Logger } from "../../../core/handler/context.ts";
import { AT_LEAST_1, checkOptions, LOGGER, oneOf, type OptionRules } from "../../../internal/options.ts";
import { ErrorThrottle } from "../store_errors.ts";
import { SqliteEngine } from "./engine.ts";
import { openStore } from "./store.ts";

/** Options of {@link sqliteEngine}. */
export interface SqliteEngineOptions {
  /**
   * Lease duration in milliseconds. A process that has not renewed its leases for this long is considered dead, also if only its event
   * loop is blocked; its jobs are then run again. Default: 10,000.
   */
  readonly leaseMs?: number | undefined;
  /** Interval in which changes of other processes are read, in milliseconds. Default: 100. */
  readonly pollMs?: number | undefined;
  /**
   * Time limit of a write while another process has the file locked, in milliseconds; after it, the call fails. Only the start of the
   * engine blocks the event loop for as long. Default: 5,000.
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Event that a written job survives: any end of the `process`, or also a power failure of the `machine`, at the cost of one disk sync
   * for each change. Default: `"process"`.
   */
  readonly outlives?: "process" | "machine" | undefined;
  /** Receives errors of background work as warnings, the first of each outage; the work is retried. Default: `console`. */
  readonly logger?: Logger | undefined;
}

const RULES: OptionRules<SqliteEngineOptions> = {
  leaseMs: AT_LEAST_1,
  pollMs: AT_LEAST_1,
  busyTimeoutMs: AT_LEAST_1,
  outlives: oneOf("process", "machine"),
  logger: LOGGER,
};

/**
 * Creates an engine that stores jobs in a SQLite file, which is created if it is missing. Several processes can share it.
 *
 * The folder must be on a local disk: SQLite's locks do not work on a network file system.
 *
 * @param path Path of the file. `:memory:` is rejected; use `memoryEngine()`.
 * @returns The engine. Its file is open until `close()`.
 * @throws {TypeError} If the path does not name a file, or an option is invalid or unknown.
 * @throws {RangeError} If a time is not a number of at least 1.
 * @throws {Error} If the runtime has no SQLite, the folder is missing, or the file is of another program or another schema version.
 */
export function sqliteEngine(path: string, options: SqliteEngineOptions = {}): PromiseEngine {
  checkOptions("keep jobs in SQLite", options, RULES);
  if (typeof path !== "string" || path === "" || path.startsWith(":memory:") || path.startsWith("file:")) {
    throw new TypeError(`Cannot open ${JSON.stringify(path)}: name a file by its path, or use memoryEngine()`);
  }
  const { leaseMs = 10_000, pollMs = 100, busyTimeoutMs = 5_000, outlives = "process", logger } = options;
  // In WAL mode, NORMAL hands each change to the operating system before it returns, so that a killed process loses nothing. It does
  // not wait for the disk, so that a power failure may undo the last changes. FULL waits.
  const synchronous = outlives === "process" ? "NORMAL" : "FULL";
  const errors = new ErrorThrottle("The sqlite engine cannot use its database, and retries", logger);
  const store = openStore(path, { busyTimeoutMs: Math.ceil(busyTimeoutMs), synchronous }, errors);
  return withPromises(new SqliteEngine(store, { leaseMs, pollMs, busyTimeoutMs, errors }));
}
