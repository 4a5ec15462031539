/** MCP-lite over HTTP. */
import { mcpLite as mcpLiteWire, mcpLiteTransport } from "../../../mod.ts";
import type { ExpectedCodes, WireDescription } from "./description.ts";
import { jsonDialect, readRpc, rpcCall } from "./raw_messages.ts";

/** The number of each code, and the HTTP statuses that it may have. */
export const MCP_LITE_CODES: ExpectedCodes<readonly [number: number, ...statuses: readonly number[]]> = {
  parse_error: [-32700, 400],
  // 426: the endpoint of WebSockets, at the path above.
  invalid_request: [-32600, 400, 405, 413, 415, 426],
  method_not_found: [-32601, 404],
  tool_not_found: [-32601, 404],
  resource_not_found: [-32602, 404],
  prompt_not_found: [-32602, 404],
  invalid_input: [-32602, 400],
  invalid_config: [-32602, 400],
  invalid_promise: [-32602, 400],
  expired_promise: [-32602, 400],
  invalid_continuation: [-32602, 400],
  promise_lost: [-32602, 410],
  conflict: [-32602, 409],
  deadline_exceeded: [-32001, 504],
  cancelled: [-32000, 499],
  unauthenticated: [-32000, 401],
  permission_denied: [-32000, 403],
  rate_limited: [-32000, 429],
  unavailable: [-32000, 503],
  payload_too_large: [-32600, 413],
  result_too_large: [-32603, 500],
  internal: [-32603, 500],
};

const calls = jsonDialect("/mcp-lite/v1/calltools", () => ({}), rpcCall, readRpc);

/** See above. */
export const mcpLite: WireDescription = {
  name: "MCP-lite",
  wire: mcpLiteWire(),
  clients: [{
    name: "http",
    path: "/mcp-lite/v1",
    open: mcpLiteTransport,
    responseTypes: ["application/json", "text/event-stream"],
    dialect: {
      ...calls,
      hasIds: true,
      unknownTool: "unnamed",
      stream(tool, args) {
        const request = calls.call(tool, args);
        return { ...request, headers: { ...request.headers, accept: "text/event-stream" } };
      },
    },
  }],
  invalidOptions: [
    [mcpLiteTransport, ["nope"], /^Cannot reach a server: pass a URL that begins with .*, not "nope"$/],
  ],
};
