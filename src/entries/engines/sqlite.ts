/**
 * An engine in one SQLite file, for the processes of one machine. It is needed where jobs have to survive a restart and `kill -9`, without
 * a server to install.
 *
 * @example A server whose promises survive a restart
 * ```ts fragment tools
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { sqliteEngine } from "jsr:@toolwire/toolwire/engines/sqlite";
 *
 * const server = createServer({ tools, engine: sqliteEngine("jobs.db") });
 * ```
 * @module
 */
export { sqliteEngine, type SqliteEngineOptions } from "../../jobs/engines/sqlite/sqlite_engine.ts";
