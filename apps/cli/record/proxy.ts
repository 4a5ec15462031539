/** A server in front of another one: it passes all calls on, on several wires, and runs middleware around them. */
import { createServer } from "../../../mod.ts";
import type { Auth } from "../../../src/server/auth.ts";
import type { Server } from "../../../src/server/server.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import type { Logger } from "../../../src/core/handler/context.ts";
import type { CallLogger, Middleware } from "../../../src/core/handler/middleware.ts";
import type { ListedTool, Transport } from "../../../src/core/call/transport.ts";
import { mcp } from "../../../src/wires/mcp/http/server/mcp.ts";
import { mcpLite } from "../../../src/wires/mcp_lite/server/mcp_lite.ts";
import { rest } from "../../../src/wires/rest/server/rest.ts";
import { grpc } from "../../../src/wires/grpc/server/grpc.ts";
import type { RequestWire } from "../../../src/entries/wire.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { printableLine } from "../terminal/terminal.ts";

/** Options of {@link createProxy}. */
export interface ProxyOptions {
  /** Name and version that the proxy has for its callers. */
  readonly info: { readonly name: string; readonly version?: string };
  /** Receives warnings, and a line for each call. */
  readonly logger: Logger | CallLogger | false;
  /** Creates middleware around all calls. Gets the tools of the server. */
  readonly middleware?: (tools: readonly ListedTool[]) => Middleware;
  /** Wires beside MCP, MCP-lite, REST and Connect. */
  readonly wires?: readonly RequestWire[];
  /** Authenticates the callers of the proxy. Default: anyone on this machine may call. */
  readonly auth?: Auth;
}

/** Time limit of a call through the proxy, in milliseconds: the server behind it has its own. */
const CALL_MS = 3_600_000;

/** Maximum number of listed tools. */
const MAX_LISTED = 10_000;

/**
 * Creates a server that answers as the server behind the transport does, over MCP, MCP-lite, REST and Connect.
 *
 * @returns Rejects with `ToolError` if that server cannot be listed. Closing the proxy closes the transport.
 */
export async function createProxy(transport: Transport, options: ProxyOptions): Promise<Server> {
  const { info, logger, middleware, wires = [], auth } = options;
  const remote = await gateway(info.name, transport, {
    maxListed: MAX_LISTED,
    timeoutMs: CALL_MS,
    ...(logger !== false && { logger }),
  });
  return createServer({
    ...info,
    tools: [],
    parts: [mount(remote)],
    wires: [mcp(), mcpLite(), rest(), grpc(), ...wires],
    ...(auth !== undefined && { auth }),
    keys: `proxy:${crypto.randomUUID()}`,
    timeoutMs: CALL_MS,
    logger,
    middleware: middleware === undefined ? [] : [middleware(remote.tools)],
  });
}

/** Wires on which a server states its name. */
const NAMED_WIRES: ReadonlySet<string> = new Set(["mcp", "stdio", "memory"]);

/** Name and version of a proxy: those that the target states over MCP. Otherwise the name is the host of its URL, or its label. */
export async function infoOf(connection: TargetConnection): Promise<ProxyOptions["info"]> {
  const mcp = NAMED_WIRES.has(connection.wire) ? await connection.mcp() : undefined;
  const info = (await mcp?.server())?.info;
  const { name = "", version } = info ?? {};
  const { label } = connection;
  const fallback = URL.canParse(label) ? new URL(label).host || label : label;
  return { name: name === "" ? printableLine(fallback) : name, ...(version !== undefined && { version }) };
}
