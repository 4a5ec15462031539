/** The Worker. Handlers reach its bindings by `ctx.env`, whose type they have from `defineTool.for<{ env: Env }>()`. */
import { server } from "./server.ts";

export default { fetch: server.fetch };
