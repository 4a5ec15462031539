/**
 * One server before three others: a program that serves MCP over its pipes, one behind gRPC, one behind MCP-lite over HTTP. They are
 * `examples/files`, `examples/database` and `examples/long_job`, whose types are all that is imported of them.
 *
 * @module
 */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createServer, type Logger, mcpLiteTransport } from "jsr:@toolwire/toolwire";
import { gateway, group } from "jsr:@toolwire/toolwire/compose";
import { grpcTransport } from "jsr:@toolwire/toolwire/grpc";
import { mcp } from "jsr:@toolwire/toolwire/mcp";
import { logging } from "jsr:@toolwire/toolwire/middleware";
import { stdioTransport } from "jsr:@toolwire/toolwire/stdio";
import type { createDatabaseServer } from "../database/server.ts";
import type { createFiles } from "../files/server.ts";
import type { createHubs } from "../long_job/server.ts";

/** The servers behind the gateway. */
export interface Upstream {
  /** The folder that `files` serves. */
  readonly folder: string;
  /** The URL of `database`: gRPC. */
  readonly database: string;
  /** The URL of `hubs`: MCP-lite over HTTP. */
  readonly hubs: string;
}

/** Connects to the three servers, and creates one replica of the gateway. `logger` receives one line for each call, and errors. */
export async function openGateway({ folder, database, hubs }: Upstream, logger: Logger) {
  const [files, airports, jobs] = await Promise.all([
    gateway<Awaited<ReturnType<typeof createFiles>>>("files", stdioTransport(process.execPath, commandOf(folder))),
    gateway<ReturnType<typeof createDatabaseServer>>("database", grpcTransport(database)),
    gateway<ReturnType<typeof createHubs>>("hubs", mcpLiteTransport(hubs)),
  ]);
  return createServer({
    name: "gateway",
    version: "1.0.0",
    tools: [],
    parts: [group("files", files), group("db", airports), group("jobs", jobs)],
    logger,
    middleware: [logging({ logger })],
    wires: [mcp()],
    keys: "k1:in production a secret that all replicas share",
  });
}

/** The arguments with which this runtime starts `examples/files`. */
function commandOf(folder: string): readonly string[] {
  const program = fileURLToPath(new URL("../files/server.ts", import.meta.url));
  return [...("Deno" in globalThis ? ["run", "-A", "--quiet", "--no-check"] : process.execArgv), program, folder];
}
