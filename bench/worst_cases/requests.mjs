// The requests of worst_cases.mjs, and what they may cost.

/** Numbers of tools of the servers. */
export const SIZES = [10, 1_000, 10_000];

/** The aim for the cost of any request, in good calls. */
export const AIM = 3;

/** What waits, or listens, in the cases of that kind. */
export const CROWD = 10_000;

const MCP_VERSION = "2026-07-28";

/** Words of descriptions. Each tool has some of them. */
export const WORDS = Array.from({ length: 60 }, (_, at) => `word${letter(at % 26)}${letter(at / 26)}`);

/**
 * Each case: the path and the body, a wrong token, and today's limits by size where they differ from the aim. `base` is what its cost is
 * divided by: a good call of the same server (default), or the text of its answer, read and sent by the runtime alone.
 */
export const REQUESTS = {
  "unknown tool, near a name": { body: callOf("tol_7", {}), held: [3, 4.5, 4.5] },
  // Deno compiles the comparison of long names in one of two ways, by the process: 2.5 or 4.9 with 1,000 tools.
  "unknown tool, 63 letters": { body: callOf("get_tool_".repeat(7), {}), held: [3, 6, 6] },
  "unknown tool, near none": { body: callOf("report_generate_new", {}), held: [3, 4.5, 4.5] },
  "bad input": { body: callOf("tool_7", { a: "x" }) },
  "bad JSON": { body: '{"jsonrpc":"2.0","id":1,' },
  "bad token": { body: callOf("tool_7", { a: 1 }), token: "wrong", held: [4, 3, 3] },
  "search": { ...search("add one tool 77"), held: [5, 6, 6] },
  "search for words that many tools have": { ...search(WORDS.slice(0, 24).join(" ")), held: [12, 20, 40] },
  "search for 40 mistyped words": { ...search(mistyped(40)), held: [16, 16, 16] },
  "search by a caller with scopes": { ...search("add one tool 77"), server: "scoped", held: [5, 5, 5] },
  "call_tool for no tool": {
    ...search(""),
    body: callOf("call_tool", { name: "report_generate_new" }),
    isGood: false,
    held: [6, 9, 7],
  },
  "list of MCP-lite": { path: "/mcp-lite/v1/listtools", body: "{}", isGood: true, base: "text" },
  "tools/list of MCP-lite": { body: messageOf("tools/list", {}), isGood: true, base: "text", held: [5, 12, 25] },
  "tools/list of MCP": { ...mcp("tools/list", {}), isGood: true, base: "text", held: [4, 4, 4] },
};

/** A good call, which most are divided by. */
export const GOOD = { body: callOf("tool_7", { a: 1 }) };

/** What else is measured: a good call of a server with {@link CROWD} others ÷ that of an idle one. */
export const BESIDE = {
  "a call beside 10,000 waiting calls": 2,
  "a call beside 10,000 subscriptions": 1.5,
  "a change, for each of 10,000 who do not want it": 0.1,
};

function search(query) {
  return { body: callOf("search_tools", { query }), isGood: true, server: "searched" };
}

/** Words of 24 letters that no tool has, and none that is one letter away. */
function mistyped(count) {
  return Array.from({ length: count }, (_, at) => `${letter(at)}${letter(at / 26)}${"abcdefghijklmnopqrstuv"}`).join(
    " ",
  );
}

function letter(at) {
  return String.fromCharCode(97 + Math.floor(at) % 26);
}

function messageOf(method, params) {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

export function callOf(name, args) {
  return messageOf("tools/call", { name, arguments: args });
}

/** A request of the newest revision of MCP. */
export function mcp(method, params) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MCP_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    path: "/mcp",
    body: messageOf(method, { ...params, _meta }),
    headers: {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MCP_VERSION,
      "mcp-method": method,
    },
  };
}
