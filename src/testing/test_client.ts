import type { ClientOptions } from "../client/client.ts";
import { createCoreClient } from "../client/core_client.ts";
import type { Client, ToolSource } from "../client/types.ts";
import { omitUndefined } from "../internal/json.ts";
import { type MemoryOptions, type MemoryServer, memoryTransport } from "../wires/memory/client/transport.ts";

/** Options of {@link testClient}: the caller that the server sees, and those options of clients that concern calls. */
export interface TestClientOptions
  extends
    MemoryOptions,
    Pick<ClientOptions, "timeoutMs" | "idleTimeoutMs" | "retry" | "onElicitation" | "onMoreRequested"> {}

/**
 * Creates a typed client of a server in the same process. It does not retry, unless `retry` asks for it. A masked error has the
 * original error as its `cause`.
 *
 * @example A test of a tool
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { testClient } from "jsr:@toolwire/toolwire/testing";
 * import { strictEqual } from "node:assert/strict";
 *
 * const whoami = defineTool("whoami").describe("Say who calls").handle((_, ctx) => ctx.principal?.id ?? "anonymous");
 * const client = testClient(createServer({ tools: [whoami] }), { principal: { id: "ada" } });
 * strictEqual(await client.whoami(), "ada");
 * ```
 * @typeParam Source Type of the server.
 * @throws {TypeError} If an option is unknown.
 */
export function testClient<Source extends ToolSource & MemoryServer>(
  server: Source,
  options: TestClientOptions = {},
): Client<Source> {
  const { principal, metadata, config, ...clientOptions } = options;
  return createCoreClient<Source>(memoryTransport(server, omitUndefined({ principal, metadata, config })), {
    retry: { attempts: 0 },
    ...clientOptions,
  });
}
