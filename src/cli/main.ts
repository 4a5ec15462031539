#!/usr/bin/env node
/**
 * The command `toolwire`: `toolwire stdio <module>` serves the server that a module exports, as `default` or as `server`, to
 * the host that started it.
 *
 * @module
 */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { claimOutput } from "../wires/stdio/output.ts";
import { serveStdio, type StdioServer } from "../wires/stdio/serve_stdio.ts";

const USAGE =
  "Usage: toolwire stdio <module>\n\nServes the server that the module exports, as default or as `server`.\n";

await main(process.argv.slice(2));

async function main([command, path, ...rest]: readonly string[]): Promise<void> {
  if (command !== "stdio" || path === undefined || rest.length > 0) return fail(USAGE, 2);
  // What the module prints as it loads is no message either.
  claimOutput();
  const { default: main, server = main }: { default?: unknown; server?: unknown } = await import(
    pathToFileURL(resolve(path)).href
  );
  if (!isServer(server)) return fail(`${path} exports no server: export what createServer gives\n`, 1);
  await serveStdio(server);
  // What a server's own timers and sockets would keep alive.
  process.exit(0);
}

function isServer(value: unknown): value is StdioServer {
  return typeof value === "object" && value !== null && "~host" in value;
}

function fail(message: string, status: number): void {
  process.stderr.write(message);
  process.exitCode = status;
}
