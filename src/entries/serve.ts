/**
 * Serves on Bun, Deno or Node, on loopback by default, with a graceful shutdown. It is needed for a process that listens; where the
 * platform calls `server.fetch`, as Workers and Next.js do, it is not.
 *
 * @example Listen on port 8000
 * ```ts fragment server
 * import { serve } from "jsr:@toolwire/toolwire/serve";
 *
 * const { url } = await serve(server, { port: 8000 });
 * console.log(url);
 * ```
 *
 * @module
 */
export { keysFromEnv } from "../runtime/keys_from_env.ts";
export { toNodeHandler } from "../runtime/node_handler.ts";
export type {
  IdentifyRequest,
  NodeHandler,
  NodeHandlerOptions,
  NodeRequest,
  NodeResponse,
} from "../runtime/node_handler.ts";
export type { ListenOptions, TlsOptions } from "../runtime/listener.ts";
export { type GrpcListenOptions, type Listening, serve, type ServeOptions } from "../runtime/serve.ts";
