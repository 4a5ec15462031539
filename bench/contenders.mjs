// Who is measured, and at what.
import { workloads } from "./tools.mjs";

export const everyWorkload = Object.keys(workloads);
const without = (...names) => everyWorkload.filter((name) => !names.includes(name));

/**
 * File in `contenders/` and workloads, and those that a runtime can not do. The floor comes first: it opens each round, and all
 * are compared with it.
 */
export const contenders = {
  floor: { file: "floor", workloads: everyWorkload },
  toolwire: { file: "toolwire", workloads: everyWorkload },
  "toolwire-promise": { file: "toolwire_promise", workloads: ["add-async"] },
  "toolwire-mcp": { file: "toolwire_mcp", workloads: everyWorkload },
  "toolwire-mcp-2025": { file: "toolwire_mcp_2025", workloads: everyWorkload },
  "mcp-lite": { file: "mcp_lite", workloads: everyWorkload },
  "@modelcontextprotocol/server": { file: "mcp_server", workloads: everyWorkload },
  "@modelcontextprotocol/sdk": { file: "mcp_sdk", workloads: everyWorkload },
  "@hono/mcp": { file: "hono_mcp", workloads: everyWorkload },
  tmcp: { file: "tmcp", workloads: everyWorkload },
  fastmcp: { file: "fastmcp", workloads: without("sse") },
  tRPC: { file: "trpc", workloads: without("list") },
  oRPC: { file: "orpc", workloads: without("list") },
  "hono RPC": { file: "hono_rpc", workloads: without("list") },
  // Its streams are of strings, which only Bun takes as the body of a Response.
  elysia: { file: "elysia", workloads: without("list"), missing: { deno: ["sse"], node: ["sse"] } },
};

/** Whether a contender can be asked for a workload on a runtime. */
export function canDo(name, workload, runtime) {
  const { workloads, missing } = contenders[name];
  return workloads.includes(workload) && !missing?.[runtime]?.includes(workload);
}
