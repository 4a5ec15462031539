/** `createClient` of `./core`. */
import { mcpLiteTransport } from "../wires/mcp_lite/client/transport.ts";
import { clientOf, type UrlTransports } from "./client.ts";
import type { createClient } from "./create_client.ts";
import type { UntypedClient } from "./types.ts";

const MCP_LITE: UrlTransports = { isMcp: () => false, open: mcpLiteTransport };

/**
 * Creates a client as `createClient` of the front door does, but URLs are of MCP-lite alone: for one of MCP pass `mcpTransport(url)` of
 * `toolwire/mcp`. A bundle of a server has no code of the MCP client then.
 */
export const createCoreClient: typeof createClient = (
  to: Parameters<typeof clientOf>[0],
  options = {},
): UntypedClient => clientOf(to, options, MCP_LITE);
