/** `toolwire stdio <module>`: serves the server that a module exports as `default` or `server` over stdio. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { claimOutput, serveStdio, type StdioServer } from "../wires/mcp/stdio/server/serve_stdio.ts";
import { type Command, fail, misused } from "./command.ts";
import process from "node:process";

export const stdio: Command = {
  usage: "toolwire stdio <module> [--principal <id>] [--scopes <scope>,<scope>]",
  about:
    "Serves the server that the module exports, as default or as `server`, over standard input and output: MCP. Without " +
    "--principal and --scopes the caller has every scope",
  async run(args) {
    const request = parse(args);
    if (request === undefined) return misused(this, args);
    const { path, principal } = request;
    const file = resolve(path);
    // Hosts choose the working directory, so the error contains the resolved path.
    if (!existsSync(file)) return fail(`Cannot serve ${path}: there is no file ${file}`, 1);
    // Output of the module during import must not reach stdout either.
    claimOutput();
    const { default: main, server = main }: { default?: unknown; server?: unknown } = await import(
      pathToFileURL(file).href
    );
    if (!isServer(server)) {
      return fail(`Cannot serve ${path}: it does not export a server; export the result of createServer()`, 1);
    }
    await serveStdio(server, { principal });
    // Exits even if timers or sockets of the module are still active.
    return process.exit(0);
  },
};

function parse(args: readonly string[]) {
  try {
    const options = { principal: { type: "string" }, scopes: { type: "string" } } as const;
    const { values, positionals: [path, ...rest] } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (path === undefined || rest.length > 0 || values.principal === "") return undefined;
    return { path, principal: principalOf(values) };
  } catch {
    return undefined;
  }
}

/** `undefined` for the user who started the program. With one of the options, only the given scopes are granted. */
function principalOf({ principal, scopes }: { principal?: string; scopes?: string }) {
  if (principal === undefined && scopes === undefined) return undefined;
  return { id: principal ?? "local", scopes: (scopes ?? "").split(",").map((scope) => scope.trim()).filter(Boolean) };
}

function isServer(value: unknown): value is StdioServer {
  return typeof value === "object" && value !== null && "~server" in value;
}
