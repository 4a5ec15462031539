// What is promised of speed: the table that gate.mjs holds. Three numbers are for bun, deno and node.
//
// `law` is the aim (docs/spec.md, "Numbers"). `held`, where it is given, is the figure of today because the law's number is not
// reached yet, was passed by far, or because the law has none: a change may tighten it, never loosen it. `atMost` limits the time of
// a call ÷ the other's; `timesFaster` is the other's ÷ ours, which has to be at least that.

/** `{ of, workload, against, againstWorkload?, kind, law?, held? }` of each. */
export const promises = [
  // The floor does the work with no library at all.
  atMost("toolwire", "add", { law: [1.25, 1.2, 1.2], held: [1.7, 1.4, 1.4] }),
  atMost("toolwire-mcp-2025", "add", { law: [1.25, 1.2, 1.2], held: [1.85, 1.45, 1.45] }),
  atMost("toolwire", "add-async", { law: [1.4, 1.25, 1.25], held: [1.95, 1.5, 1.55] }),
  atMost("toolwire-mcp", "add", { law: [1.5, 1.3, 1.25], held: [2.15, 1.65, 1.7] }),
  atMost("toolwire", "medium", { law: [0.65, 0.85, 0.9], held: [1.3, 1.2, 1.25] }),
  atMost("toolwire-mcp-2025", "medium", { law: [0.65, 0.85, 0.9], held: [1.5, 1.3, 1.35] }),
  atMost("toolwire-mcp", "medium", { law: [0.75, 0.9, 0.95], held: [1.6, 1.4, 1.45] }),
  atMost("toolwire", "list", { law: [0.35, 0.35, 0.35], held: [0.2, 0.2, 0.4] }),
  atMost("toolwire-mcp", "list", { law: [0.35, 0.35, 0.35], held: [0.3, 0.25, 0.4] }),
  atMost("toolwire", "sse", { law: [1.15, 1.15, 1.15], held: [2.1, 1.55, 1.5] }),
  atMost("toolwire", "conc64", { law: [1.35, 1.35, 1.35], held: [1.75, 1.4, 1.5] }),
  // A call on a server of 100 tools costs what it costs on a server of one.
  againstOwn("toolwire", "add100", "add", { law: [1, 1, 1], held: [1.15, 1.15, 1.15] }),

  // An asynchronous handler costs nearly what a synchronous one does, and so does a body without a length.
  againstOwn("toolwire", "add-async", "add", { law: [1.15, 1.15, 1.15] }),
  againstOwn("toolwire-mcp-2025", "add-async", "add", { law: [1.15, 1.15, 1.15] }),
  // On Bun it was 1.45 before bodies of known length were read as text, which made those faster alone.
  againstOwn("toolwire", "add-nolength", "add", { law: [1.25, 1.25, 1.25], held: [1.8, 1.45, 1.35] }),

  // Each peer against the wire of ours that does the same work; the last five answer less than any of ours.
  timesFaster("toolwire-mcp", "@modelcontextprotocol/server", "add", { law: [15, 12, 8], held: [6.5, 9, 5.5] }),
  timesFaster("toolwire-mcp", "@modelcontextprotocol/server", "medium", { law: [15, 15, 10], held: [4.5, 8, 5] }),
  timesFaster("toolwire-mcp", "@modelcontextprotocol/server", "list", { law: [60, 60, 60], held: [20, 70, 25] }),
  timesFaster("toolwire-mcp-2025", "@modelcontextprotocol/sdk", "add", { law: [20, 15, 10], held: [12, 15, 9] }),
  timesFaster("toolwire-mcp-2025", "@modelcontextprotocol/sdk", "medium", { law: [15, 12, 8], held: [7.5, 12, 5.5] }),
  timesFaster("toolwire-mcp-2025", "@hono/mcp", "add", { held: [4.3, 4.3, 3] }),
  timesFaster("toolwire-mcp", "tmcp", "add", { law: [4, 3, 2], held: [2.8, 4.5, 1.3] }),
  timesFaster("toolwire-mcp", "tmcp", "medium", { law: [5, 5, 2], held: [2.4, 4.5, 2] }),
  // Every cell beside mcp-lite, which does the same work over the same protocol: level, within the noise that the run states.
  timesFaster("toolwire-mcp-2025", "mcp-lite", "add", { law: [1, 1, 1], held: [0.9, 0.95, 0.9] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "medium", { law: [1, 1, 1], held: [0.8, 1, 0.8] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "list", { law: [3, 3, 3] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "add100", { law: [1, 1, 1], held: [0.85, 0.85, 0.85] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "conc64", { law: [1, 1, 1], held: [0.82, 0.85, 0.8] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "add-async", { law: [1, 1, 1], held: [0.85, 0.85, 0.85] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "medium-async", { law: [1, 1, 1], held: [0.85, 0.9, 0.8] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "add100-async", { law: [1, 1, 1], held: [0.8, 0.8, 0.85] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "conc64-async", { law: [1, 1, 1], held: [0.82, 0.85, 0.8] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "add-nolength", { law: [1, 1, 1], held: [0.7, 0.8, 0.8] }),
  timesFaster("toolwire-mcp-2025", "mcp-lite", "sse", { law: [1, 1, 1], held: [0.95, 0.95, 0.95] }),
  timesFaster("toolwire-mcp-2025", "fastmcp", "add", { held: [0.75, 0.85, 0.8] }),
  timesFaster("toolwire", "tRPC", "add", { law: [3, 3, 3], held: [3, 4, 2.8] }),
  timesFaster("toolwire", "oRPC", "add", { law: [1.5, 1.5, 1.5], held: [1.5, 1.9, 1.4] }),
  timesFaster("toolwire", "hono RPC", "add", { law: [0.85, 0.85, 0.85], held: [0.7, 0.8, 0.75] }),
  timesFaster("toolwire", "elysia", "add", { law: [0.65, 0.65, 0.65], held: [0.58, 1, 0.65] }),
];

function atMost(of, workload, limits) {
  return { of, workload, against: "floor", kind: "atMost", ...limits };
}

/** The same contender with another workload. */
function againstOwn(of, workload, againstWorkload, limits) {
  return { ...atMost(of, workload, limits), against: of, againstWorkload };
}

function timesFaster(of, against, workload, limits) {
  return { of, workload, against, kind: "timesFaster", ...limits };
}
