/**
 * MCP-lite over gRPC: the service by all of its protocols.
 *
 * Knows messages and statuses; knows nothing of how tools are run.
 * Source: MCP-lite specification, section 5 and appendix A.
 *
 * @module
 */
import type { ErrorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { checkOptions, PATH } from "../../../internal/options.ts";
import type { Body, Head, MountedWire, Reply, Wire, WireHost } from "../../wire.ts";
import { HEALTH_PATHS } from "./health.ts";
import { createNativeMethods } from "./native.ts";
import { encodeEarlyError, isNativeGrpc } from "./native_protocol.ts";
import { type ConnectMethod, createConnectMethods, EXPOSED_HEADERS, type RpcMethod } from "./connect.ts";
import { ToolService } from "./service.ts";
import { methodNotAllowed, NATIVE_TYPES, unsupportedMediaType } from "./content_type.ts";

/** Options of {@link grpc}. */
export interface GrpcOptions {
  /** What comes before the service's own paths. Default: nothing, so that they are `/mcplite.MCPLite/CallTool` and its like. */
  readonly path?: string;
}

/**
 * The wire of MCP-lite over gRPC, for `createServer({ wires: [mcpLite(), grpc()] })`: the service `mcplite.MCPLite` by the
 * protocols Connect (JSON and binary) and gRPC-Web, and by gRPC itself where answers can end in trailers, which no `fetch`
 * function can send: `serve(server, { grpc: { port: 50_051 } })`. Beside it there, health checking and server reflection.
 *
 * @example Connect is JSON over POST
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { grpc } from "jsr:@toolwire/toolwire/grpc";
 * import { strictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [grpc()] });
 * const response = await server.fetch(new Request("http://localhost/mcplite.MCPLite/CallTool", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"name":"ping"}',
 * }));
 * strictEqual((await response.json()).result.content, "pong");
 * ```
 * @throws {TypeError} If the path is none, or there is no such option.
 */
export function grpc(options: GrpcOptions = {}): Wire {
  checkOptions<GrpcOptions>("serve Connect and gRPC", options, { path: PATH });
  const base = `/${options.path ?? ""}`.replace(/\/+/g, "/").replace(/\/$/, "");
  return { name: "connect", mount: (host) => new GrpcWire(host, base) };
}

class GrpcWire implements MountedWire {
  readonly paths: readonly string[];
  /** Who looks after a server asks how it is without saying who asks. */
  readonly unauthenticatedPaths: readonly string[];
  readonly exposedHeaders: readonly string[] = EXPOSED_HEADERS;
  readonly #native: ReadonlyMap<string, RpcMethod>;
  readonly #overFetch: ReadonlyMap<string, ConnectMethod>;

  constructor(host: WireHost, base: string) {
    const service = new ToolService(host, base);
    const underBase = <Method>(methods: ReadonlyMap<string, Method>) =>
      new Map([...methods].map(([path, method]) => [`${base}${path}`, method]));
    this.#native = underBase(createNativeMethods(service, host));
    this.#overFetch = underBase(createConnectMethods(service, host.limits));
    this.paths = [...this.#native.keys()];
    this.unauthenticatedPaths = HEALTH_PATHS.map((path) => base + path);
  }

  handle(head: Head, body: Body): MaybePromise<Reply> {
    if (head.method !== "POST") return methodNotAllowed(head.method);
    const handle = isNativeGrpc(head) ? this.#native.get(head.path) : this.#overFetch.get(head.path)?.handle;
    return handle?.(head, body) ?? refuseForeign(head);
  }

  refuse(head: Head, refusal: ErrorResult, status?: number): MaybePromise<Reply> | undefined {
    // A gRPC answer's own status is 200, always.
    if (status !== undefined) return undefined;
    if (head.method !== "POST") return methodNotAllowed(head.method);
    if (isNativeGrpc(head)) return encodeEarlyError(refusal);
    return this.#overFetch.get(head.path)?.refuse(head, refusal) ?? refuseForeign(head);
  }
}

/** Health and reflection are for gRPC itself, alone. */
function refuseForeign(head: Head): Reply {
  return unsupportedMediaType(head.metadata.get("content-type"), NATIVE_TYPES);
}
