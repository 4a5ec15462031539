/** The Worker. Handlers reach its bindings by `ctx.env`. */
import { server } from "./server.ts";

export default { fetch: server.fetch };
