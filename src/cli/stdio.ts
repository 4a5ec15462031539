/**
 * `toolwire stdio <module>`: serves the server that a module exports, as `default` or as `server`, to the host that started it.
 *
 * @module
 */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { claimOutput } from "../wires/stdio/output.ts";
import { serveStdio, type StdioServer } from "../wires/stdio/serve_stdio.ts";
import type { Command } from "./command.ts";

/** The command `stdio`. */
export const stdio: Command = {
  usage: "toolwire stdio <module>: serves the server that the module exports, as default or as `server`",
  async run([path, ...rest]) {
    if (path === undefined || rest.length > 0) return fail(`Usage: ${this.usage}\n`, 2);
    // What the module prints as it loads is no message either.
    claimOutput();
    const { default: main, server = main }: { default?: unknown; server?: unknown } = await import(
      pathToFileURL(resolve(path)).href
    );
    if (!isServer(server)) return fail(`${path} exports no server: export what createServer gives\n`, 1);
    await serveStdio(server);
    // What a server's own timers and sockets would keep alive.
    return process.exit(0);
  },
};

function isServer(value: unknown): value is StdioServer {
  return typeof value === "object" && value !== null && "~host" in value;
}

function fail(message: string, status: number): number {
  process.stderr.write(message);
  return status;
}
