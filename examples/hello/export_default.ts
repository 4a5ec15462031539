/**
 * Wherever the runtime itself listens: `deno serve --host 127.0.0.1 export_default.ts`, `bun export_default.ts`, workerd.
 */
import { server } from "./server.ts";

export default server;
