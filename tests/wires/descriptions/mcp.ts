/** MCP over HTTP: revisions 2024-11-05 to 2026-07-28. */
import { mcp as mcpWire, mcpSessions, mcpTransport, memorySessionStore } from "../../../src/entries/mcp.ts";
import type { ExpectedCodes, WireClient, WireDescription } from "./description.ts";
import { jsonDialect, MCP_META, readMcp, rpcCall } from "./raw_messages.ts";

/** The number of each code and its HTTP status; `isError` if it is sent as a result instead. */
export const MCP_CODES: ExpectedCodes<readonly [number: number, status: number] | "isError"> = {
  parse_error: [-32700, 400],
  invalid_request: [-32600, 400],
  method_not_found: [-32601, 404],
  tool_not_found: [-32602, 200],
  resource_not_found: [-32602, 200],
  prompt_not_found: [-32602, 200],
  invalid_input: [-32602, 200],
  invalid_config: "isError",
  invalid_promise: [-32602, 200],
  expired_promise: [-32602, 200],
  invalid_continuation: [-32602, 200],
  promise_lost: [-32602, 200],
  conflict: "isError",
  deadline_exceeded: "isError",
  cancelled: "isError",
  unauthenticated: [-32603, 401],
  permission_denied: [-32603, 403],
  rate_limited: [-32603, 429],
  unavailable: [-32603, 503],
  payload_too_large: [-32600, 413],
  result_too_large: "isError",
  internal: "isError",
};

const common: Pick<WireClient, "path" | "responseTypes" | "matchesIds"> = {
  path: "/mcp",
  responseTypes: ["application/json", "text/event-stream"],
  matchesIds: true,
};

export const mcp: WireDescription = {
  name: "MCP",
  wire: mcpWire({ sessions: mcpSessions(), ssePath: "/sse" }),
  statelessWire: mcpWire(),
  fuzzedWires: [
    mcpWire({ sessions: mcpSessions(), askTimeoutMs: 5 }),
    mcpWire({ path: "/stateless", askTimeoutMs: 5 }),
  ],
  clients: [
    {
      ...common,
      name: "mcp (2026-07-28)",
      open: (url, options) => mcpTransport(url, { ...options, era: "modern" }),
      dialect: {
        ...jsonDialect(
          "/mcp",
          (tool) => ({ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool }),
          (tool) => rpcCall(tool, { _meta: MCP_META }),
          readMcp,
        ),
        hasIds: true,
      },
    },
    {
      ...common,
      name: "mcp (2025-11-25)",
      open: (url, options) => mcpTransport(url, { ...options, era: "legacy" }),
      dialect: {
        ...jsonDialect("/mcp", () => ({ "mcp-protocol-version": "2025-11-25" }), rpcCall, readMcp),
        hasIds: true,
      },
    },
    { ...common, name: "mcp (any revision)", open: mcpTransport, isRow: false },
    // Finds the transport by itself: first by the newer ones, which an old server rejects.
    {
      name: "mcp (2024-11-05's transport)",
      path: "/sse",
      open: mcpTransport,
      needsSessions: true,
    },
  ],
  without: { pieces: "a client that does not read: tests/wires/mcp/client/pieces_test.ts" },
  invalidOptions: [
    [mcpWire, [null], /^Cannot serve MCP: options are an object, not null$/],
    [mcpWire, ["/mcp"], /options are an object, not "\/mcp"$/],
    [mcpWire, [{ sessions: "memory" }], /sessions must be mcpSessions\(\), not "memory"$/],
    [mcpWire, [{ sessions: mcpSessions }], /sessions must be .*, not a function: call it, mcpSessions\(\)$/],
    [mcpWire, [{ sessions: memorySessionStore() }], /sessions must be .*, not an object$/],
    [mcpWire, [{ sesions: true }], /there is no option "sesions"; did you mean "sessions"\?$/],
    [mcpWire, [{ path: "/mcp?x" }], /path must be like "\/tools", without host, query or fragment, not "\/mcp\?x"$/],
    [mcpWire, [{ path: "https://example.com/mcp" }], /path must be like/],
    [mcpWire, [{ path: 7 }], /path must be like .*, not 7$/, "RangeError"],
    [mcpWire, [{ ssePath: "/sse#x", sessions: mcpSessions() }], /ssePath must be like/],
    [mcpWire, [{ ssePath: "/sse" }], /ssePath needs sessions; pass mcp\(\{ ssePath, sessions: mcpSessions\(\) \}\)$/],
    [mcpWire, [{ logging: "yes" }], /logging must be true, false or "unnamed", not "yes"$/],
    [
      mcpWire,
      [{ cache: { ttlMs: -1, scope: "public" } }],
      /cache must be \{ ttlMs: 0, scope: "private" \}, or the like, not an object$/,
    ],
    [mcpWire, [{ pageSize: 0 }], /pageSize must be a whole number above 0, not 0$/, "RangeError"],
    [mcpWire, [{ pageSize: 1.5 }], /not 1\.5$/, "RangeError"],
    [mcpWire, [{ pageSize: Number.NaN }], /not NaN$/, "RangeError"],
    [mcpWire, [{ askTimeoutMs: Number.NEGATIVE_INFINITY }], /not -Infinity$/, "RangeError"],
    [mcpWire, [{ pageSize: 5n }], /not 5$/],
    [mcpWire, [{ pageSize: null }], /not null$/],
    [mcpWire, [{ askTimeoutMs: 0 }], /askTimeoutMs must be a number above 0, not 0$/, "RangeError"],
    [
      memorySessionStore,
      [{ ttlMs: -1 }],
      /^Cannot keep sessions: ttlMs must be a number above 0, not -1$/,
      "RangeError",
    ],
    [mcpSessions, [{ retryMs: 0 }], /whole number of milliseconds above 0, not 0$/, "RangeError"],
    [mcpSessions, [{ pollAfterMs: -5 }], /pollAfterMs must be/, "RangeError"],
    [
      mcpSessions,
      [{ store: "memory" }],
      /^Cannot keep sessions: store must be memorySessionStore\(\), .*, not "memory"$/,
    ],
    [memorySessionStore, [{ maxSessions: 0 }], /maxSessions must be/, "RangeError"],
    [memorySessionStore, [{ ttl: 5 }], /there is no option "ttl"; did you mean "ttlMs"\?$/],
    [
      mcpSessions,
      [{ store: { get() {} } }],
      /store must be .* with put, get, delete, append, read, publish, subscribe, not an object$/,
    ],
    [mcpTransport, ["nope"], /^Cannot reach an MCP server: pass a URL that begins with "http:\/\/" or .*, not "nope"$/],
    [mcpTransport, ["ws://localhost:8000/mcp"], /not "ws:\/\/localhost:8000\/mcp"$/],
    [mcpTransport, [undefined], /, not undefined$/],
    [mcpTransport, ["http://x", { pinned: {} }], /pinned must be an array of tools, .*, not an object$/],
    [mcpTransport, ["http://x", { era: "2025" }], /era must be "auto" or "modern" or "legacy", not "2025"$/],
    [mcpTransport, ["http://x", { header: {} }], /there is no option "header"; did you mean "headers"\?$/],
  ],
};
