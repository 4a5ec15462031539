/** The server of a module, for development: with a line for each call, keys that survive a reload, and chosen wires. */
import type { CoreServerOptions } from "../../../src/entries/core.ts";
import { type CallLogger, pretty } from "../../../src/entries/middleware.ts";
import { keyRing } from "../../../src/entries/keys.ts";
import type { AnyTool } from "../../../src/core/tool/definition.ts";
import type { Logger } from "../../../src/core/handler/context.ts";
import { createServerOf, type Server } from "../../../src/server/server.ts";
import { mcp } from "../../../src/wires/mcp/http/server/mcp.ts";
import { MCP_FEATURES } from "../../../src/wires/mcp/server/features.ts";
import { consolePage, type ConsoleWire } from "../../../src/console/console_page.ts";
import { mcpLite } from "../../../src/wires/mcp_lite/server/mcp_lite.ts";
import { rest } from "../../../src/wires/rest/server/rest.ts";
import { grpc } from "../../../src/wires/grpc/server/grpc.ts";
import { openapiPage } from "../../../src/server/pages/openapi.ts";
import { healthPage } from "../../../src/server/pages/health.ts";
import type { RequestWire } from "../../../src/entries/wire.ts";
import { closestMatch } from "../../../src/internal/closest_match.ts";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

/** Wires with default options, by name. */
const WIRES: Readonly<Record<string, () => RequestWire>> = {
  mcp: () => mcp(MCP_FEATURES),
  "mcp-lite": mcpLite,
  rest,
  connect: grpc,
  openapi: openapiPage,
  health: healthPage,
};

/** Options of {@link toDevServer}. */
export interface DevServerOptions {
  /** Keys of tokens as for `keyRing()`, for a server that has an engine and no keys. */
  readonly keys: string;
  /** Names of the wires to serve. `undefined` for those of the server. */
  readonly wires: readonly string[] | undefined;
  /** Whether the lines of the log are colored. */
  readonly colors: boolean;
  /** Key of the console page, which is added if the server has none. `undefined` adds neither page nor key. */
  readonly consoleKey?: string | undefined;
  /** Receives the lines of the log. */
  write(line: string): void;
}

type Options = CoreServerOptions<readonly AnyTool[]>;

/**
 * Creates a server with the options of another one, and what `toolwire dev` adds where they are missing: lines of the log for calls,
 * keys of tokens if there is an engine, and the console page. `wires` replaces the wires of the server.
 *
 * @throws {CliError} If a name of `wires` is neither a wire of the server nor one that `--wires` creates.
 */
export function toDevServer(server: Server, options: DevServerOptions): Server {
  const own = server["~contents"].options as Options;
  const { engine, keys, wires: ownWires = [] } = own;
  const wires = options.wires?.map((name) => wireNamed(name, ownWires)) ?? ownWires;
  return createServerOf({
    ...own,
    // The module notifies by its own server.
    changes: server["~server"].host.changes,
    wires: withConsole(wires, options.consoleKey),
    // Without an engine a server has no keys by default.
    ...(keys === undefined && engine !== undefined && { keys: keyRing(options.keys) }),
    logger: loggerOf(own.logger, options),
  }, server["~server"].host.features);
}

/** The console is added, unless the server has one. One without a key gets this one, which survives a reload. */
function withConsole(wires: readonly RequestWire[], key: string | undefined): readonly RequestWire[] {
  if (key === undefined) return wires;
  if (!wires.some(({ name }) => name === "console")) return [...wires, consolePage({ key, stacks: true })];
  return wires.map((wire) => (wire as ConsoleWire)["~withKey"]?.(key) ?? wire);
}

/** Whether a server has a console page whose options have a key, so that `toolwire dev` does not add the key to its link. */
export function hasOwnKey(server: Server): boolean {
  const { wires = [] } = server["~contents"].options as Options;
  return wires.some((wire) => wire.name === "console" && (wire as ConsoleWire)["~withKey"] === undefined);
}

function wireNamed(name: string, own: readonly RequestWire[]): RequestWire {
  const found = own.find((wire) => wire.name === name);
  if (found !== undefined) return found;
  const create = Object.hasOwn(WIRES, name) ? WIRES[name] : undefined;
  if (create !== undefined) return create();
  const known = [...new Set([...Object.keys(WIRES), ...own.map((wire) => wire.name)])];
  const similar = closestMatch(name, known);
  throw new CliError(
    EXIT.usage,
    `There is no wire ${JSON.stringify(name)}${similar === undefined ? "" : `: did you mean "${similar}"?`}`,
    {
      code: "unknown_wire",
      hint: `--wires takes ${known.join(", ")}`,
    },
  );
}

function loggerOf(own: Logger | CallLogger | false | undefined, { colors, write }: DevServerOptions): CallLogger {
  const lines = pretty({ colors, write });
  if (!own) return lines;
  if ("calls" in own) return own;
  const { debug, info, warn, error } = own;
  return {
    debug: debug.bind(own),
    info: info.bind(own),
    warn: warn.bind(own),
    error: error.bind(own),
    calls: lines.calls,
  };
}
