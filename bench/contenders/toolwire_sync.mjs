// Toolwire with synchronous handlers, where the workload has async ones.
import { createToolwire as create } from "./toolwire.mjs";

export { decodeCall, decodeList, encode } from "./mcp_lite_http.mjs";

export const createToolwire = (tools) => create(tools.map((tool) => ({ ...tool, isAsync: false })));
