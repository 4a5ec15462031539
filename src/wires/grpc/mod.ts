/**
 * MCP-lite over gRPC, as far as a `fetch` function can carry it: by the protocols Connect and gRPC-Web.
 *
 * Knows messages and statuses; knows nothing of how tools are run.
 * Source: MCP-lite specification, section 5 and appendix A.
 *
 * @module
 */
import { create, isMessage } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { parseTimeout as parseConnectTimeout } from "@connectrpc/connect/protocol-connect";
import { parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc-web";
import type { Call, Metadata } from "../../call/call.ts";
import type { Refusal, Settled } from "../../call/outcome.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import { type Body, type Head, HeadPeer, type MountedWire, type Reply, type Wire, type WireHost } from "../wire.ts";
import { decodeToolRequest } from "./decode.ts";
import { encodeOutcome, encodeTool } from "./encode.ts";
import { encodeRefusal } from "./encode_error.ts";
import {
  type Empty,
  type MCPLite,
  type PromptsList,
  PromptsListSchema,
  type ToolRequest,
  ToolRequestSchema,
  type ToolResponse,
  type ToolsList,
  ToolsListSchema,
} from "./gen/mcplite_pb.ts";
import { createRpcMethods, EXPOSED_HEADERS, type Rpc, rpcKey, type RpcMethod } from "./protocol.ts";
import { ResponseStream } from "./stream.ts";

/** Options of {@link connect}. */
export interface ConnectOptions {
  /** What comes before the service's own paths. Default: nothing, so that they are `/mcplite.MCPLite/CallTool` and its like. */
  readonly path?: string;
}

/**
 * The wire of MCP-lite over gRPC, for `createServer({ wires: [mcpLite(), connect()] })`: the service `mcplite.MCPLite` by the
 * protocols Connect (JSON and binary) and gRPC-Web. Native gRPC needs trailers, which no `fetch` function can send.
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
  readonly #methods: ReadonlyMap<string, RpcMethod>;

  constructor(host: WireHost, base: string) {
    const methods = createRpcMethods(new Service(host), host.limits);
    this.#methods = new Map([...methods].map(([path, method]) => [`${base}${path}`, method]));
    this.paths = [...this.#methods.keys()];
  }

  handle(head: Head, body: Body): MaybePromise<Reply> {
    // The server routes by these paths.
    return (this.#methods.get(head.path) as RpcMethod)(head, body);
  }
}

/** The functions of the service. They throw what is not OK. */
class Service implements ServiceImpl<typeof MCPLite> {
  readonly #host: WireHost;
  readonly #tools: ToolsList;

  constructor(host: WireHost) {
    this.#host = host;
    this.#tools = create(ToolsListSchema, { tools: host.tools.map(encodeTool) });
  }

  getTools(_: Empty, context: HandlerContext): ToolsList {
    assertRead(context);
    return this.#tools;
  }

  getPrompts(_: Empty, context: HandlerContext): PromptsList {
    assertRead(context);
    return create(PromptsListSchema);
  }

  async callTool(_: ToolRequest, context: HandlerContext): Promise<ToolResponse> {
    const startedMs = this.#host.clock.now();
    const { head } = rpcOf(context);
    const call = this.#decode(context, false);
    const settled = this.#host.dispatch.call(call);
    if (settled instanceof Promise) head.keepOpen();
    return this.#response(call, await settled, startedMs);
  }

  async *callToolStream(
    _: ToolRequest,
    context: HandlerContext,
  ): AsyncGenerator<ToolResponse, void, undefined> {
    const startedMs = this.#host.clock.now();
    const { head, left } = rpcOf(context);
    const call = this.#decode(context, true);
    head.keepOpen();
    const stream = new ResponseStream(left);
    const finish = (settled: Settled) => stream.end(() => this.#response(call, settled, startedMs));
    const settled = this.#host.dispatch.call(call, stream);
    if (settled instanceof Promise) void settled.then(finish);
    else finish(settled);
    yield* stream.read();
  }

  #decode(context: HandlerContext, isStreamed: boolean): Call {
    const { head, request } = rpcOf(context);
    if (!isMessage(request, ToolRequestSchema)) throw encodeRefusal(request as Refusal);
    const decoded = decodeToolRequest(request, timeoutMs(head.metadata), this.#host.limits.depth - 1);
    if ("kind" in decoded) throw encodeRefusal(decoded);
    return { ...decoded, peer: new HeadPeer(head, context.protocolName, undefined, isStreamed) };
  }

  #response(call: Call, settled: Settled, startedMs: number): ToolResponse {
    const { clock, info } = this.#host;
    try {
      if (settled.kind !== "error") {
        return encodeOutcome(settled, { startedMs, nowMs: clock.now(), serverVersion: info.version });
      }
    } catch (thrown) {
      throw encodeRefusal(this.#unwritable(thrown, call));
    }
    throw this.#error(call, settled);
  }

  #error(call: Call, refusal: Refusal): Error {
    try {
      return encodeRefusal(refusal);
    } catch (thrown) {
      return encodeRefusal(this.#unwritable(thrown, call));
    }
  }

  #unwritable(thrown: unknown, call: Call): Refusal {
    const error = new TypeError("The result cannot be written as a protobuf message", { cause: thrown });
    return this.#host.dispatch.mask(error, { tool: call.tool });
  }
}

function assertRead(context: HandlerContext): void {
  const { request } = rpcOf(context);
  if ("kind" in request) throw encodeRefusal(request as Refusal);
}

function rpcOf({ values }: HandlerContext): Rpc {
  return values.get(rpcKey) as Rpc;
}

/** What the caller's headers say of its deadline, in milliseconds from now. */
function timeoutMs(metadata: Metadata): number | undefined {
  const { timeoutMs, error } = metadata.get("connect-timeout-ms") === null
    ? parseGrpcTimeout(metadata.get("grpc-timeout"), Number.POSITIVE_INFINITY)
    : parseConnectTimeout(metadata.get("connect-timeout-ms"), Number.POSITIVE_INFINITY);
  if (error !== undefined) throw error;
  return timeoutMs;
}
