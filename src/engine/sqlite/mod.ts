/**
 * An engine in one SQLite file: for the processes of one machine. Jobs survive a restart and `kill -9`.
 *
 * @example A server whose promises survive it
 * ```ts fragment
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { sqliteEngine } from "jsr:@toolwire/toolwire/engines/sqlite";
 *
 * const server = createServer({ tools, engine: sqliteEngine("jobs.db") });
 * ```
 * @module
 */
import type { PromiseEngine } from "../../core/dispatch/deferral.ts";
import { withPromises } from "../../core/dispatch/promises/with_promises.ts";
import { SqliteEngine } from "./engine.ts";
import { AT_LEAST_1, checkOptions, FUNCTION, oneOf, type OptionRules } from "../../internal/options.ts";
import { SqliteStore } from "./store.ts";

/** Options of {@link sqliteEngine}. */
export interface SqliteOptions {
  /**
   * How long a process is taken to live after its last sign, in milliseconds: what a job waits for after its process was
   * killed. A process whose event loop stands still for longer is taken for dead, too. Default: 10,000.
   */
  readonly leaseMs?: number;
  /** How often to look for what other processes did, in milliseconds. Default: 100. */
  readonly pollMs?: number;
  /** How long to wait for another process' write, in milliseconds, before an error. Default: 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * What a written job outlives: the `process`, whichever way it ends, or the whole `machine`, a power cut included, at the
   * cost of one wait for the disk with each change. Default: `"process"`.
   */
  readonly outlives?: "process" | "machine";
  /**
   * Told of an error in the background, of which no caller knows; what failed is tried again, and only what fails after a
   * success is told again. Default: `console.warn`.
   */
  readonly onError?: (error: unknown) => void;
}

const RULES: OptionRules<SqliteOptions> = {
  leaseMs: AT_LEAST_1,
  pollMs: AT_LEAST_1,
  busyTimeoutMs: AT_LEAST_1,
  outlives: oneOf("process", "machine"),
  onError: FUNCTION,
};

/**
 * Keeps jobs in a file, which is created if need be; several processes may share it.
 *
 * The folder has to be on a local disk: SQLite's locks do not work over a network.
 *
 * @param path The file. `:memory:` is refused: that would be `memoryEngine()`, with promises that look as if they lasted.
 * @returns The engine; its file is open until `close()`.
 * @throws {TypeError} If the path names no file, there is no such option, or one is not of the right kind.
 * @throws {RangeError} If a time is not a number of at least 1.
 * @throws {Error} If the runtime has no SQLite, the folder is not there, or the file is somebody else's.
 */
export function sqliteEngine(path: string, options: SqliteOptions = {}): PromiseEngine {
  checkOptions("keep jobs in SQLite", options, RULES);
  if (typeof path !== "string" || path === "" || path.startsWith(":memory:") || path.startsWith("file:")) {
    throw new TypeError(`Cannot open ${JSON.stringify(path)}: name a file by its path, or use memoryEngine()`);
  }
  const { leaseMs = 10_000, pollMs = 100, busyTimeoutMs = 5_000, outlives = "process", onError } = options;
  // In WAL mode, NORMAL writes each change to the system before it returns, so that a killed process loses nothing; it only
  // does not wait for the disk, so that a power cut may take back the last changes. FULL waits.
  const synchronous = outlives === "process" ? "NORMAL" : "FULL";
  const store = new SqliteStore(path, { busyTimeoutMs: Math.ceil(busyTimeoutMs), synchronous });
  return withPromises(new SqliteEngine(store, { leaseMs, pollMs, onError: onError ?? warn }));
}

function warn(error: unknown): void {
  console.warn("The sqlite engine cannot reach its database, and tries again:", error);
}
