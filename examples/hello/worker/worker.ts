/** On Cloudflare Workers, or workerd itself. */
import { server } from "../server.ts";

export default { fetch: server.fetch };
