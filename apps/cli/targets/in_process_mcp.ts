/** MCP to a server in the same process, whatever wires it has: for its resources, prompts and completion. */
import type { Principal } from "../../../src/core/call/call.ts";
import type { ErrorResult } from "../../../src/core/call/outcome.ts";
import type { Server } from "../../../src/server/server.ts";
import { DuplexTransport } from "../../../src/wires/mcp/client/duplex_transport.ts";
import { McpClientTransport } from "../../../src/wires/mcp/client/transport.ts";
import type { McpTransport } from "../../../src/wires/mcp/client/types.ts";
import { parseMessages } from "../../../src/wires/mcp/protocol/messages.ts";
import { mcpDuplex } from "../../../src/wires/mcp/server/duplex.ts";

const PROBE_TIMEOUT_MS = 30_000;

/** Opens MCP to a server in this process, with the principal as the caller. Messages are passed by function calls. */
export function openInProcess(server: Server, principal: Principal): McpTransport {
  const mounted = mcpDuplex().mount(server["~server"].host);
  const transport = new DuplexTransport((handler) => {
    const aborting = new AbortController();
    let receive: (message: string | ErrorResult) => void = () => {};
    let close = () => {};
    const connection = {
      isClosed: false,
      write(text: string) {
        receive(text);
        return Promise.resolve(undefined);
      },
      close() {
        connection.isClosed = true;
        aborting.abort();
        close();
      },
    };
    void mounted.connect({
      principal,
      signal: aborting.signal,
      send: (text) => handler.receive(parseMessages(text)),
      onMessage: (listener) => void (receive = listener),
      onClose: (listener) => void (close = listener),
    });
    return Promise.resolve(connection);
  });
  return new McpClientTransport({ name: "module", transport, probeTimeoutMs: PROBE_TIMEOUT_MS }, {});
}
