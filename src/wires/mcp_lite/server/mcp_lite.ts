/**
 * MCP-lite over HTTP: list endpoints, JSON-RPC calls, and answers streamed as Server-Sent Events.
 *
 * Knows paths, headers, statuses and JSON; knows nothing of how tools are run.
 * Source: docs/spec.md 4 and A.
 *
 * @module
 */
import type { Call } from "../../../core/call/call.ts";
import {
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
} from "../../../core/call/outcome.ts";
import type { ContentCatalog } from "../../../core/content/content_catalog.ts";
import { mediaTypeError } from "../../framing/http.ts";
import { encodeSseEvent, SseBody, type SseBodyOptions, STREAM_HEADERS } from "../../framing/sse.ts";
import { decodeRequest, type JsonRpcRequest, parseJson, type RequestId } from "../../framing/json_rpc/decode.ts";
import { encodeResult, jsonReply, refusalReply } from "../../framing/json_rpc/reply.ts";
import { Deadlines } from "../../../internal/deadlines.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { acceptsEventStream } from "../../../internal/http.ts";
import type { MaybePromise } from "../../../internal/async.ts";
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
import { encodeEvent, encodeOutcome, encodeRefusal, MetaEncoder } from "./encode.ts";

/** Options of {@link mcpLite}. */
export interface McpLiteOptions {
  /** Where the endpoints are. Default: `/mcp-lite/v1`; `/` gives the specification's literal paths. */
  readonly path?: string;
}

/**
 * The MCP-lite wire over HTTP, for `createServer({ wires: [mcpLite()] })`.
 *
 * Under its path it answers `POST /listtools` (an array), `POST /tools` (an object), `POST /calltools` with its aliases `/rpc`
 * and `/call`, and, where there are prompts, `POST /prompts`.
 *
 * @example The specification's literal paths
 * ```ts
 * import { createServer, defineTool, mcpLite } from "jsr:@toolwire/toolwire";
 * import { strictEqual } from "node:assert/strict";
 *
 * const ping = defineTool("ping").describe("Answer").handle(() => "pong");
 * const server = createServer({ tools: [ping], wires: [mcpLite({ path: "/" })] });
 * const request = new Request("http://localhost/tools", { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
 * strictEqual((await server.fetch(request)).status, 200);
 * ```
 */
export function mcpLite(options: McpLiteOptions = {}): RequestWire {
  const base = `/${options.path ?? "/mcp-lite/v1"}`.replace(/\/+/g, "/").replace(/\/$/, "");
  return { name: WIRE_NAME, mount: (host) => new McpLite(host, base) };
}

const WIRE_NAME = "mcp-lite";

/** Where calls go; other endpoints give a list. */
const CALL_PATHS: readonly string[] = ["/calltools", "/rpc", "/call"];

/** A list of tools as its endpoints give it. Both are kept: put together for each caller, a long list would be copied for each. */
interface ToolsText {
  readonly array: string;
  readonly object: string;
}

function writeTools(tools: WireHost["tools"]): ToolsText {
  const array = JSON.stringify(tools);
  return { array, object: `{"tools":${array}}` };
}

class McpLite implements MountedWire {
  readonly paths: readonly string[];
  readonly #host: WireHost;
  /** The endpoints that list, and what they give. */
  readonly #lists: ReadonlyMap<string, (tools: ToolsText) => string>;
  /** What was listed last, and how it is written. */
  #listed: WireHost["tools"] = [];
  #listedText = writeTools([]);
  /** `undefined` if there are none. */
  readonly #promptsJson: string | undefined;
  readonly #meta: MetaEncoder;
  readonly #heartbeats: Deadlines;

  constructor(host: WireHost, base: string) {
    const { catalog: { prompts = [] } = {}, info, clock } = host;
    this.#host = host;
    this.#promptsJson = prompts.length === 0 ? undefined : JSON.stringify(prompts);
    const lists = new Map<string, (tools: ToolsText) => string>([
      [`${base}/listtools`, ({ array }) => array],
      [`${base}/tools`, ({ object }) => object],
    ]);
    if (prompts.length > 0) lists.set(`${base}/prompts`, () => `{"prompts":${this.#promptsJson}}`);
    this.#lists = lists;
    this.paths = [...CALL_PATHS.map((path) => base + path), ...this.#lists.keys()];
    this.#meta = new MetaEncoder(info.version);
    this.#heartbeats = new Deadlines(clock);
  }

  /** The list of tools, without those that the caller may not know of. Written anew where it is not the last one. */
  #toolsText({ principal }: Head): ToolsText {
    const { tools } = this.#host;
    const seen = this.#host.toolsFor(principal);
    if (seen !== tools) return writeTools(seen);
    if (tools !== this.#listed) this.#listedText = writeTools(this.#listed = tools);
    return this.#listedText;
  }

  handle(head: Head, body: Body): MaybePromise<Reply> {
    if (head.method !== "POST") return methodNotAllowed(head.method);
    const unreadable = mediaTypeError(head.metadata);
    if (unreadable !== undefined) return refusalReply(null, unreadable, 415);
    return body.text().then((text) => {
      return typeof text === "string" ? this.#answer(head, text) : refusalReply(null, text);
    });
  }

  #answer(head: Head, text: string): MaybePromise<Reply> {
    const list = this.#lists.get(head.path);
    if (list !== undefined) return this.#listReply(text, list(this.#toolsText(head)));
    const parsed = parseJson(text, this.#host.limits.depth);
    if ("refusal" in parsed) return refusalReply(null, parsed.refusal);
    const request = decodeRequest(parsed.value);
    if ("refusal" in request) return refusalReply(request.id, request.refusal);
    return this.#answerRequest(head, request);
  }

  #listReply(text: string, list: string): Reply {
    if (text.trim() !== "") {
      const parsed = parseJson(text, this.#host.limits.depth);
      if ("refusal" in parsed) return refusalReply(null, parsed.refusal);
      if (!isJsonObject(parsed.value)) {
        return refusalReply(null, errorResult("invalid_request", "Send an empty object: {}"));
      }
    }
    return jsonReply(200, list);
  }

  #answerRequest(head: Head, request: JsonRpcRequest): MaybePromise<Reply> {
    const startedMs = this.#host.clock.now();
    switch (request.method) {
      case "tools/call":
        return this.#callTool(head, request, startedMs);
      case "tools/list":
        return this.#resultReply(
          request.id,
          `{"tools":${this.#toolsText(head).array},${this.#answerMeta(startedMs)}}`,
        );
      case "ping":
        return this.#resultReply(request.id, `{${this.#answerMeta(startedMs)}}`);
      default:
        return this.#promptsJson === undefined
          ? methodNotFound(request, "")
          : this.#answerPrompts(head, request, this.#promptsJson, startedMs);
    }
  }

  #answerPrompts(head: Head, request: JsonRpcRequest, promptsJson: string, startedMs: number): MaybePromise<Reply> {
    switch (request.method) {
      case "prompts/get":
        return this.#getPrompt(head, request, startedMs);
      case "prompts/list":
        return this.#resultReply(request.id, `{"prompts":${promptsJson},${this.#answerMeta(startedMs)}}`);
      default:
        return methodNotFound(request, ", prompts/get, prompts/list");
    }
  }

  #callTool(head: Head, request: JsonRpcRequest, startedMs: number): MaybePromise<Reply> {
    const decoded = decodeCallParams(request);
    if ("kind" in decoded) return refusalReply(request.id, decoded);
    if (acceptsEventStream(head.metadata.get("accept"))) return this.#streamCall(head, request.id, decoded, startedMs);
    const { tool, args, meta } = decoded;
    const call: Call = { tool, args, meta, peer: new HeadPeer(head, WIRE_NAME, request.id, false) };
    return this.#replyTo(head, request.id, call, this.#host.dispatch.call(call), startedMs);
  }

  #getPrompt(head: Head, request: JsonRpcRequest, startedMs: number): MaybePromise<Reply> {
    const decoded = decodeCallParams(request);
    if ("kind" in decoded) return refusalReply(request.id, decoded);
    const call: Call = { ...decoded, peer: new HeadPeer(head, WIRE_NAME, request.id, false) };
    // There are prompts, or the method would not have been found.
    const settled = (this.#host.catalog as ContentCatalog).getPrompt(call.tool, call.args, call);
    return this.#replyTo(head, request.id, call, settled, startedMs);
  }

  #replyTo(
    head: Head,
    id: RequestId,
    call: Call,
    settled: MaybePromise<CallResult>,
    startedMs: number,
  ): MaybePromise<Reply> {
    if (!(settled instanceof Promise)) return this.#settledReply(id, call, settled, startedMs);
    head.disableIdleTimeout();
    return settled.then((later) => this.#settledReply(id, call, later, startedMs));
  }

  #streamCall(head: Head, id: RequestId, decoded: Omit<Call, "peer">, startedMs: number): Promise<Reply> {
    head.disableIdleTimeout();
    return new Promise((resolve) => {
      const call: Call = { ...decoded, peer: new HeadPeer(head, WIRE_NAME, id, true) };
      const stream = new EventStream({
        heartbeats: this.#heartbeats,
        onOpen: (body) => resolve({ status: 200, headers: STREAM_HEADERS, body }),
      });
      const finish = (settled: CallResult) => {
        if (settled.kind === "error" && !stream.isOpen) {
          stream.discard();
          resolve(this.#settledReply(id, call, settled, startedMs));
        } else this.#endStream(stream, call, settled, startedMs);
      };
      const settled = this.#host.dispatch.call(call, stream);
      if (settled instanceof Promise) void settled.then(finish);
      else finish(settled);
    });
  }

  #settledReply(id: RequestId, call: Call, settled: CallResult, startedMs: number): Reply {
    try {
      if (settled.kind === "error") {
        return refusalReply(id, settled, undefined, this.#host.challenge(settled, this.paths[0] ?? ""));
      }
      return this.#resultReply(id, encodeOutcome(settled, this.#common(startedMs)));
    } catch (thrown) {
      return refusalReply(id, this.#unserializable(thrown, call));
    }
  }

  #endStream(stream: EventStream, call: Call, settled: CallResult, startedMs: number): void {
    const common = this.#common(startedMs);
    try {
      if (settled.kind === "error") stream.end("error", encodeRefusal(settled, common));
      else stream.end("done", encodeOutcome(settled, common));
    } catch (thrown) {
      stream.end("error", encodeRefusal(this.#unserializable(thrown, call), common));
    }
  }

  #unserializable(thrown: unknown, call: Call): ErrorResult {
    const error = new TypeError("The result cannot be written as JSON", { cause: thrown });
    return this.#host.dispatch.mask(error, { tool: call.tool });
  }

  #resultReply(id: RequestId, resultJson: string): Reply {
    return jsonReply(200, encodeResult(id, resultJson));
  }

  #common(startedMs: number): string {
    return this.#meta.common(startedMs, this.#host.clock.now());
  }

  #answerMeta(startedMs: number): string {
    return `"_meta":{"response_type":"answer",${this.#common(startedMs)}}`;
  }
}

function methodNotFound({ id, method }: JsonRpcRequest, others: string): Reply {
  const message = `Method not found: ${method.slice(0, 64)}; there are tools/call, tools/list${others} and ping`;
  return refusalReply(id, errorResult("method_not_found", message));
}

function methodNotAllowed(method: string): Reply {
  return refusalReply(null, errorResult("invalid_request", `${method} is not allowed here: use POST`), 405, {
    allow: "POST",
  });
}

/** What a stream needs. */
export type EventStreamOptions = Omit<SseBodyOptions, "heartbeat">;

/** One streamed answer. */
export class EventStream implements Sink {
  readonly #body: SseBody;

  constructor(options: EventStreamOptions) {
    this.#body = new SseBody({ ...options, heartbeat: HEARTBEAT });
  }

  /** Aborts when nobody reads any more. */
  get closed(): AbortSignal {
    return this.#body.closed;
  }

  /** Whether anything was sent. */
  get isOpen(): boolean {
    return this.#body.isOpen;
  }

  push(event: CallEvent): void | Promise<void> {
    return this.#body.write(encodeSseEvent("message", encodeEvent(event)));
  }

  /** Sends the last event and closes the stream. */
  end(event: "done" | "error", json: string): void {
    this.#body.end(encodeSseEvent(event, json));
  }

  /** Ends without a word, for a stream that never opened. */
  discard(): void {
    this.#body.discard();
  }
}

const HEARTBEAT: string = encodeSseEvent("heartbeat", "{}");
