// Toolwire with a handler that is an async function: what a promise costs on the way.
import { createFetch as createSyncFetch } from "./toolwire.mjs";

export { decodeCall, decodeList, encode } from "./mcp_lite_http.mjs";

// deno-lint-ignore require-await -- the promise is what is measured
const makeAsync = (tool) => ({ ...tool, run: async (args) => tool.run(args) });

export const createFetch = (tools) => createSyncFetch(tools.map(makeAsync));
