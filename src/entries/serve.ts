/**
 * Serves on Bun, Deno or Node, on loopback by default, with a graceful shutdown.
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
