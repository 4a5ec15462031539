/**
 * MCP-lite over gRPC: the service by all of its protocols.
 *
 * Knows messages and statuses; knows nothing of how tools are run.
 * Source: MCP-lite specification, section 5 and appendix A.
 *
 * @module
 */
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import type { Body, Head, MountedWire, Reply, Wire, WireHost } from "../wire.ts";
import { createNativeMethods } from "./native.ts";
import { isNative } from "./native_protocol.ts";
import { createConnectMethods, EXPOSED_HEADERS, type RpcMethod, UNSUPPORTED_TYPE } from "./protocol.ts";
import { ToolService } from "./service.ts";

/** Options of {@link connect}. */
export interface ConnectOptions {
  /** What comes before the service's own paths. Default: nothing, so that they are `/mcplite.MCPLite/CallTool` and its like. */
  readonly path?: string;
}

/**
 * The wire of MCP-lite over gRPC, for `createServer({ wires: [mcpLite(), connect()] })`: the service `mcplite.MCPLite` by the
 * protocols Connect (JSON and binary) and gRPC-Web, and by gRPC itself where answers can end in trailers, which no `fetch`
 * function can send: `serve(server, { grpc: { port: 50_051 } })`. Beside it there, health checking and server reflection.
 *
 * @example Connect is JSON over POST
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { connect } from "jsr:@toolwire/toolwire/grpc";
 * import { strictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [connect()] });
 * const response = await server.fetch(new Request("http://localhost/mcplite.MCPLite/CallTool", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: '{"name":"ping"}',
 * }));
 * strictEqual((await response.json()).result.content, "pong");
 * ```
 */
export function connect(options: ConnectOptions = {}): Wire {
  const base = `/${options.path ?? ""}`.replace(/\/+/g, "/").replace(/\/$/, "");
  return { name: "connect", mount: (host) => new ConnectWire(host, base) };
}

class ConnectWire implements MountedWire {
  readonly paths: readonly string[];
  readonly exposedHeaders: readonly string[] = EXPOSED_HEADERS;
  readonly #native: ReadonlyMap<string, RpcMethod>;
  readonly #overFetch: ReadonlyMap<string, RpcMethod>;

  constructor(host: WireHost, base: string) {
    const service = new ToolService(host);
    const underBase = (methods: ReadonlyMap<string, RpcMethod>) =>
      new Map([...methods].map(([path, method]) => [`${base}${path}`, method]));
    this.#native = underBase(createNativeMethods(service, host));
    this.#overFetch = underBase(createConnectMethods(service, host.limits));
    this.paths = [...this.#native.keys()];
  }

  handle(head: Head, body: Body): MaybePromise<Reply> {
    if (head.method !== "POST") return NOT_POST;
    const methods = isNative(head) ? this.#native : this.#overFetch;
    return methods.get(head.path)?.(head, body) ?? UNSUPPORTED_TYPE;
  }
}

const NOT_POST: Reply = { status: 405, headers: { allow: "POST" }, body: null };
