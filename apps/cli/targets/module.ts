/** Targets that are modules: the server runs in this process. */
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { CoreServerOptions } from "../../../src/entries/core.ts";
import type { AnyTool } from "../../../src/core/tool/definition.ts";
import type { Server } from "../../../src/server/server.ts";
import { memoryTransport } from "../../../src/wires/memory/client/transport.ts";
import { claimOutput } from "../../../src/wires/mcp/stdio/server/claim_output.ts";
import { lookOnly } from "../../../src/internal/looking.ts";
import { localPrincipal } from "../../../src/wires/mcp/stdio/server/local_principal.ts";
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";
import { CliError, withCauses } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";
import type { CliProcess } from "../terminal/process.ts";
import type { OpenTargetOptions, TargetConnection } from "./connection.ts";
import { principalOf, type TargetFlags } from "./flags.ts";
import { listOnce } from "./limits.ts";
import { resolveTypeScript } from "./resolve_typescript.ts";
import { assertSameCopy } from "./same_copy.ts";
import { isFile, parseTarget, type Target } from "./target.ts";

/** Time that a server has to close after the command, in milliseconds. */
const GRACE_MS = 1_000;

/** Imports a module and connects to the server that it exports, in this process. The caller is that of the flags, else has all scopes. */
export async function openModule(
  target: Extract<Target, { kind: "module" }>,
  flags: TargetFlags,
  { cwd }: Pick<CliProcess, "cwd">,
  options: OpenTargetOptions,
): Promise<TargetConnection> {
  const loaded = await importServer(target, cwd);
  const server = options.isQuiet === true ? await withoutDefaultLog(loaded) : loaded;
  const { host } = server["~server"];
  const principal = principalOf(flags) ?? localPrincipal(host);
  const transport = memoryTransport(server, { principal });
  const everyTool = host.allTools ?? host;
  let mcp: McpTransport | undefined;
  return {
    label: target.file,
    wire: "memory",
    url: undefined,
    hasContents: host.catalog !== undefined,
    transport,
    tools: listOnce(() => JSON.parse(JSON.stringify(everyTool.toolsFor(principal))), flags, options),
    async mcp() {
      const { openInProcess } = await import("./in_process_mcp.ts");
      if (mcp === undefined) {
        mcp = openInProcess(server, principal);
        options.prepare?.(mcp);
      }
      return mcp;
    },
    async close() {
      mcp?.close();
      await server.close(GRACE_MS);
    },
  };
}

/** Standard error has one line of JSON with `--json`, so the default log of errors in handlers is off. */
async function withoutDefaultLog(server: Server): Promise<Server> {
  const options = server["~contents"].options as CoreServerOptions<readonly AnyTool[]>;
  if (options.logger !== undefined) return server;
  const { createServer } = await import("../../../src/entries/core.ts");
  return createServer({ ...options, changes: server["~server"].host.changes, logger: false });
}

/**
 * Imports a module and returns the server that it exports by the given name, else as `server` or `default`.
 *
 * @param text Module, as it was written: `./server.ts`, `./server.ts#name`.
 * @throws {CliError} If the file does not exist, cannot be loaded or exports no server.
 */
export async function loadServer(text: string, cwd: string): Promise<Server> {
  const target = parseTarget(text, cwd);
  if (target.kind === "module") return await importServer(target, cwd);
  throw new CliError(EXIT.usage, `${JSON.stringify(text)} is not a module such as ./server.ts`);
}

async function importServer({ file, exportName }: Extract<Target, { kind: "module" }>, cwd: string): Promise<Server> {
  const path = resolve(cwd, file);
  // Hosts choose the working directory, so the error contains the resolved path.
  if (!isFile(path)) throw new CliError(EXIT.usage, `Cannot load ${file}: there is no file ${path}`);
  // Output of the module must not reach standard output either.
  claimOutput();
  resolveTypeScript();
  // The command decides whether the server takes up work.
  lookOnly();
  const exports = await importModule(path, file);
  const names = exportName === undefined ? ["server", "default"] : [exportName];
  const server = names.map((name) => exports[name]).find(isServer);
  if (server !== undefined) {
    await assertSameCopy(server, file);
    return server;
  }
  const servers = Object.keys(exports).filter((name) => isServer(exports[name]));
  const wanted = exportName === undefined ? "it does not export a server" : `its export ${exportName} is not a server`;
  throw new CliError(EXIT.usage, `Cannot load ${file}: ${wanted}; export the result of createServer()`, {
    hint: servers.length === 0 ? undefined : `It has ${servers.map((name) => `${file}#${name}`).join(", ")}`,
  });
}

async function importModule(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const message = `Cannot load ${file}: ${withCauses(cause)}`;
    throw new CliError(EXIT.usage, message, { code: "module_failed", hint: hintOf(message) ?? placeOf(cause), cause });
  }
}

/** Deno resolves `./shop.js` to `./shop.ts` with an option alone. */
function hintOf(message: string): string | undefined {
  if (!("deno" in process.versions) || !/Module not found .*\.[cm]?jsx?"/.test(message)) return undefined;
  return "If the import means a file of TypeScript, run the program with: deno run -A --sloppy-imports …";
}

/** The line of a stack that threw. */
function placeOf(thrown: unknown): string | undefined {
  const stack = thrown instanceof Error ? thrown.stack?.split("\n") ?? [] : [];
  return stack.map((line) => line.trim()).find((line) => /^at .*file:|^at .*\//.test(line));
}

function isServer(value: unknown): value is Server {
  return typeof value === "object" && value !== null && "~server" in value;
}
