/**
 * MCP-lite over HTTP: list endpoints, JSON-RPC calls, and streams of Server-Sent Events.
 *
 * Source: docs/spec.md 4 and A.
 */
import type { Call, Principal } from "../../../core/call/call.ts";
import { type CallResult, type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { ListName } from "../../../core/dispatch/list_admission.ts";
import type { ContentMethod } from "../../../core/content/content_catalog.ts";
import { jsonReply, mediaTypeError, RESULT_HEADERS } from "../../framing/http.ts";
import { EventStream } from "../../framing/event_stream.ts";
import { encodeSseEvent, STREAM_HEADERS } from "../../framing/sse.ts";
import { decodeRequest, type JsonRpcRequest, parseJson, type RequestId } from "../../framing/json_rpc/decode.ts";
import { encodeErrorObject, encodeResult, errorReply } from "../../framing/json_rpc/reply.ts";
import { Deadlines } from "../../../internal/deadlines.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { ObjectCache } from "../../../internal/object_cache.ts";
import { acceptsEventStream, normalizePath } from "../../../internal/http.ts";
import { chain, Future, type MaybeFuture } from "../../../internal/future.ts";
import {
  type Body,
  type Head,
  HeadPeer,
  type MountedWire,
  type Reply,
  type RequestWire,
  type WireHost,
} from "../../wire.ts";
import { decodeCallParams } from "./decode.ts";
import { encodeOutcome, MetaEncoder } from "./encode.ts";

/** Options of {@link mcpLite}. */
export interface McpLiteOptions {
  /** Path of the endpoints. Default: `/mcp-lite/v1`. `/` gives the literal paths of the specification. */
  readonly path?: string | undefined;
}

/**
 * Creates the wire of MCP-lite over HTTP, for `createServer({ wires: [mcpLite()] })`.
 *
 * Its endpoints are `POST /listtools` (an array), `POST /tools` (an object), `POST /calltools` with its aliases `/rpc` and
 * `/call`, and, if there are prompts, `POST /prompts`. The lists are answered to `GET`, too.
 *
 * @example The literal paths of the specification
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcpLite({ path: "/" })] });
 * const request = new Request("http://localhost/tools", { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
 * console.log((await server.fetch(request)).status); // → 200
 * ```
 */
export function mcpLite(options: McpLiteOptions = {}): RequestWire {
  const base = normalizePath(options.path ?? "/mcp-lite/v1");
  return { name: WIRE_NAME, mount: (host) => new McpLite(host, base) };
}

const WIRE_NAME = "mcp-lite";

/** Endpoints of calls. The other endpoints return a list. */
const CALL_PATHS: readonly string[] = ["/calltools", "/rpc", "/call"];

/** JSON text of a list of tools. Both forms are cached, because a long list would otherwise be copied for each request. */
interface ToolsJson {
  readonly array: string;
  readonly object: string;
}

/** A list with an endpoint. */
interface List {
  readonly name: ListName;
  /** Returns the JSON text of what is visible to a caller. */
  encode(principal: Principal | undefined): string;
}

function encodeTools(tools: WireHost["tools"]): ToolsJson {
  const array = JSON.stringify(tools);
  return { array, object: `{"tools":${array}}` };
}

/** Serves MCP-lite over HTTP: the endpoints of lists and calls, and JSON-RPC. */
class McpLite implements MountedWire {
  readonly paths: readonly string[];
  readonly #host: WireHost;
  /** Lists of the endpoints, by path. */
  readonly #lists: ReadonlyMap<string, List>;
  readonly #texts = new ObjectCache<WireHost["tools"], ToolsJson>(encodeTools);
  readonly #meta: MetaEncoder;
  readonly #heartbeats: Deadlines;

  constructor(host: WireHost, base: string) {
    const { info, clock } = host;
    this.#host = host;
    const lists = new Map<string, List>([
      [`${base}/listtools`, { name: "list:tools", encode: (principal) => this.#toolsJson(principal).array }],
      [`${base}/tools`, { name: "list:tools", encode: (principal) => this.#toolsJson(principal).object }],
    ]);
    for (const { path, list } of host.catalog?.methods.values() ?? []) {
      if (path !== undefined && list !== undefined) {
        lists.set(base + path, { name: "list:prompts", encode: (principal) => `{${list(principal)}}` });
      }
    }
    this.#lists = lists;
    this.paths = [...CALL_PATHS.map((path) => base + path), ...this.#lists.keys()];
    this.#meta = new MetaEncoder(info.version);
    this.#heartbeats = new Deadlines(clock);
  }

  /** The member of a result with the tools that are visible to the caller. */
  readonly #toolsMember = (principal: Principal | undefined): string => `"tools":${this.#toolsJson(principal).array}`;

  /** JSON text of the tools that are visible to the caller. */
  #toolsJson(principal: Principal | undefined): ToolsJson {
    return this.#texts.get(this.#host.toolsFor(principal));
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    const { method, metadata } = head;
    if (method !== "POST") return this.#answerOther(head);
    const error = mediaTypeError(metadata);
    if (error !== undefined && (metadata.get("content-type") !== null || !this.#lists.has(head.path))) {
      return errorReply(null, error, 415);
    }
    return body.text().map((text) => {
      if (typeof text !== "string") return errorReply(null, text);
      // A request for a list may be empty, and then needs no media type.
      return error === undefined || text === "" ? this.#answer(head, text) : errorReply(null, error, 415);
    });
  }

  #answerOther(head: Head): MaybeFuture<Reply> {
    const isList = this.#lists.has(head.path);
    if (isList && head.method === "GET") return this.#answer(head, "");
    return methodNotAllowed(head.method, isList ? "GET, POST" : "POST");
  }

  #answer(head: Head, text: string): MaybeFuture<Reply> {
    const list = this.#lists.get(head.path);
    if (list !== undefined) return this.#listReply(head, text, list);
    const parsed = parseJson(text, this.#host.limits.depth);
    if ("error" in parsed) return errorReply(null, parsed.error);
    const request = decodeRequest(parsed.value);
    if ("error" in request) return errorReply(request.id, request.error);
    return this.#answerRequest(head, request);
  }

  #listReply(head: Head, text: string, { name, encode }: List): MaybeFuture<Reply> {
    if (text.trim() !== "") {
      const parsed = parseJson(text, this.#host.limits.depth);
      if ("error" in parsed) return errorReply(null, parsed.error);
      if (!isJsonObject(parsed.value)) {
        return errorReply(null, errorResult("invalid_request", "Send an empty object: {}"));
      }
    }
    const admitted = this.#host.admitList(name, new HeadPeer(head, WIRE_NAME, undefined, false));
    return chain<ErrorResult | undefined, Reply>(
      admitted,
      (error) => error === undefined ? jsonReply(200, encode(head.principal)) : errorReply(null, error),
    );
  }

  /** The list in the result of a JSON-RPC response, with the members that `encode` returns. */
  #listResult(
    head: Head,
    id: RequestId,
    name: ListName,
    startedMs: number,
    encode: (principal: Principal | undefined) => string,
  ): MaybeFuture<Reply> {
    return chain<ErrorResult | undefined, Reply>(
      this.#host.admitList(name, new HeadPeer(head, WIRE_NAME, id, false)),
      (error) => {
        if (error !== undefined) return errorReply(id, error);
        return this.#resultReply(id, `{${encode(head.principal)},${this.#answerMeta(startedMs)}}`);
      },
    );
  }

  #answerRequest(head: Head, request: JsonRpcRequest): MaybeFuture<Reply> {
    const startedMs = this.#host.clock.now();
    switch (request.method) {
      case "tools/call":
        return this.#callTool(head, request, startedMs);
      case "tools/list":
        return this.#listResult(head, request.id, "list:tools", startedMs, this.#toolsMember);
      case "ping":
        return this.#resultReply(request.id, `{${this.#answerMeta(startedMs)}}`);
      default:
        return this.#answerContent(head, request, startedMs);
    }
  }

  #answerContent(head: Head, request: JsonRpcRequest, startedMs: number): MaybeFuture<Reply> {
    const { methods = new Map<string, ContentMethod>() } = this.#host.catalog ?? {};
    const { list, run } = methods.get(request.method) ?? {};
    if (list !== undefined) return this.#listResult(head, request.id, "list:prompts", startedMs, list);
    return run === undefined ? methodNotFound(request, methods) : this.#callTool(head, request, startedMs, run);
  }

  /** @param run Runs the call. Default: the call is of a tool, and may be streamed. */
  #callTool(
    head: Head,
    request: JsonRpcRequest,
    startedMs: number,
    run?: ContentMethod["run"],
  ): MaybeFuture<Reply> {
    const decoded = decodeCallParams(request);
    if ("kind" in decoded) return errorReply(request.id, decoded);
    if (run === undefined && acceptsEventStream(head.metadata.get("accept"))) {
      return this.#streamCall(head, request.id, decoded, startedMs);
    }
    const { tool, args, meta } = decoded;
    const call: Call = { tool, args, meta, peer: new HeadPeer(head, WIRE_NAME, request.id, false) };
    const result = run === undefined ? this.#host.dispatch.call(call) : run(call);
    return this.#replyTo(head, request.id, call, result, startedMs);
  }

  #replyTo(
    head: Head,
    id: RequestId,
    call: Call,
    result: MaybeFuture<CallResult>,
    startedMs: number,
  ): MaybeFuture<Reply> {
    if (result instanceof Future) head.disableIdleTimeout();
    return chain(result, (later) => this.#callReply(id, call, later, startedMs));
  }

  #streamCall(head: Head, id: RequestId, decoded: Omit<Call, "peer">, startedMs: number): Future<Reply> {
    head.disableIdleTimeout();
    const reply = new Future<Reply>();
    const call: Call = { ...decoded, peer: new HeadPeer(head, WIRE_NAME, id, true) };
    const stream = new EventStream({
      heartbeats: this.#heartbeats,
      heartbeatMs: decoded.meta?.heartbeatMs,
      onOpen: (body) => reply.receive({ status: 200, headers: STREAM_HEADERS, body }),
    });
    chain(this.#host.dispatch.call(call, stream), (result) => {
      if (result.kind === "error" && !stream.isOpen) {
        stream.finish();
        reply.receive(this.#callReply(id, call, result, startedMs));
      } else this.#endStream(stream, call, result, startedMs);
    });
    return reply;
  }

  #callReply(id: RequestId, call: Call, result: CallResult, startedMs: number): Reply {
    try {
      if (result.kind === "error") {
        return errorReply(id, result, undefined, this.#host.challenge(result, this.paths[0] ?? ""));
      }
      return this.#resultReply(id, encodeOutcome(result, this.#commonMeta(startedMs)));
    } catch (thrown) {
      return errorReply(id, this.#serializationError(thrown, call));
    }
  }

  #endStream(stream: EventStream, call: Call, result: CallResult, startedMs: number): void {
    const meta = this.#commonMeta(startedMs);
    try {
      if (result.kind === "error") stream.end(encodeSseEvent("error", encodeErrorObject(result, meta)));
      else stream.end(encodeSseEvent("done", encodeOutcome(result, meta)));
    } catch (thrown) {
      stream.end(encodeSseEvent("error", encodeErrorObject(this.#serializationError(thrown, call), meta)));
    }
  }

  #serializationError(thrown: unknown, call: Call): ErrorResult {
    const error = new TypeError("The result cannot be written as JSON", { cause: thrown });
    return this.#host.dispatch.mask(error, { tool: call.tool });
  }

  #resultReply(id: RequestId, resultJson: string): Reply {
    return { status: 200, headers: RESULT_HEADERS, body: encodeResult(id, resultJson) };
  }

  #commonMeta(startedMs: number): string {
    return this.#meta.common(startedMs, this.#host.clock.now());
  }

  #answerMeta(startedMs: number): string {
    return `"_meta":{"response_type":"answer",${this.#commonMeta(startedMs)}}`;
  }
}

function methodNotFound({ id, method }: JsonRpcRequest, others: ReadonlyMap<string, unknown>): Reply {
  const names = ["tools/call", "tools/list", ...others.keys()].join(", ");
  const message = `Method not found: ${method.slice(0, 64)}; there are ${names} and ping`;
  return errorReply(id, errorResult("method_not_found", message));
}

function methodNotAllowed(method: string, allow: string): Reply {
  return errorReply(null, errorResult("invalid_request", `${method} is not allowed here: use ${allow}`), 405, {
    allow,
  });
}
