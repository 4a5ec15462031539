/**
 * `gateway`: the tools of a remote server, behind any transport, as tools of this server.
 *
 * @module
 */
import type { Transport } from "../../core/call/transport.ts";
import type { ToolSource } from "../../client/types.ts";
import type { Gateway, GatewayOptions } from "./gateway_types.ts";
import { Remote } from "./remote.ts";

/**
 * Makes a remote server a part of this one. Its tools are listed now, and again when it announces a change.
 *
 * Calls are forwarded with deadlines, traces, idempotency keys and questions; pieces, progress, failures and promises are returned. A
 * promise is redeemed here, at any replica, only by the caller that received it. The remote server sees one caller: the principal of
 * the transport. Over MCP its resources and prompts are included, as listed now.
 *
 * @example A server behind another
 * ```ts
 * import { createServer, defineTool, memoryTransport } from "jsr:@toolwire/toolwire";
 * import { gateway, group } from "jsr:@toolwire/toolwire/compose";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * // Instead of mcpLiteTransport("https://…/mcp-lite/v1"), mcpTransport(…), stdioTransport(…), grpcTransport(…), …
 * const billing = createServer({ tools: [defineTool("total").describe("What is owed").handle(() => 12)] });
 * const remote = await gateway<typeof billing>("billing", memoryTransport(billing));
 *
 * const app = createServer({ tools: [], parts: [group("billing", remote)] });
 * strictEqual(await testClient(app).billing_total(), 12);
 * ```
 * @typeParam Source The server's type, if it is known.
 * @param name Name of the server here, for errors, logs and namespaces.
 * @param transport Transport to the server; it is closed together with the server that includes this part.
 * @returns Rejects with `ToolError` if the server cannot be listed, or lists too much; with `TypeError` or `RangeError` if an
 * option is invalid.
 */
export async function gateway<Source extends ToolSource = ToolSource>(
  name: string,
  transport: Transport,
  options: GatewayOptions = {},
): Promise<Gateway<NonNullable<Source["~tools"]>>> {
  const remote = new Remote(name, transport, options);
  await remote.begin();
  return remote as Gateway<NonNullable<Source["~tools"]>>;
}
