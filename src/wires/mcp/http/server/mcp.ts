/**
 * MCP over HTTP: all revisions on one path. The body determines the revision of a request.
 *
 * Handles headers, statuses and streams. The methods are in `src/wires/mcp/server/`.
 * Source: MCP, "Streamable HTTP", revisions 2025-03-26 to 2026-07-28; "HTTP with SSE", revision 2024-11-05.
 */
import type { MaybeFuture } from "../../../../internal/future.ts";
import type { Members } from "../../../../internal/json.ts";
import { checkOptions, OBJECT, type OptionRules, PATH, rule } from "../../../../internal/options.ts";
import { mediaTypeError } from "../../../framing/http.ts";
import { parseJson } from "../../../framing/json_rpc/decode.ts";
import type { Body, Head, MountedWire, Reply, RequestWire, WireHost } from "../../../wire.ts";
import { HEADER_MISMATCH } from "../../protocol/codes.ts";
import { SESSION_HEADER, VERSION_HEADER } from "../../protocol/header_values.ts";
import { decodeMessage, type Message, type RequestMessage } from "../../protocol/messages.ts";
import type { McpMethods, TypedMcpMethods } from "../../server/custom_method_types.ts";
import type { McpFeatures } from "../../server/features.ts";
import { McpServer, type McpWire, PROTOCOL_RULES, type ProtocolOptions } from "../../server/mcp_server.ts";
import { answerModern } from "../../server/methods.ts";
import { ModernMethods } from "../../server/modern.ts";
import { checkRequestMeta, missingMetaError, requestMetaOf } from "../../server/request_meta.ts";
import { errorResponse, protocolError, protocolErrorResponse } from "../../server/response.ts";
import type { McpSessions } from "../sessions/mcp_sessions.ts";
import type { SessionStore } from "../sessions/store.ts";
import {
  ACCEPTED,
  batchErrorReply,
  errorReply,
  HttpExchange,
  HttpTimers,
  invalidRequestReply,
  toReply,
} from "./exchange.ts";
import { checkHeaders, isModernVersion } from "./headers.ts";
import { LegacyHttp } from "./legacy.ts";
import type { LegacySseTransport } from "../sessions/sse_transport.ts";
import { normalizePath } from "../../../../internal/http.ts";

/** Options of {@link mcp}. */
export interface McpOptions<Methods = McpMethods> extends ProtocolOptions<Methods>, McpFeatures {
  /** Path of the endpoint. Default: `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Sessions for the revisions with a handshake: with them there are GET streams, change notifications and streams that can be
   * resumed. Default: nothing is kept between requests.
   */
  readonly sessions?: McpSessions | undefined;
  /**
   * Path at which clients of 2024-11-05 open their stream, such as `/sse`. The endpoints for their messages are below it. Needs
   * `sessions`. Default: not served.
   */
  readonly ssePath?: string | undefined;
}

/**
 * MCP over HTTP, for `createServer({ wires: [mcp()] })`: revisions 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26 and
 * 2024-11-05 on one path. Without `sessions`, nothing is kept between requests.
 *
 * @example A tool, called as MCP clients call it
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { mcp } from "jsr:@toolwire/toolwire/mcp";
 *
 * const greet = defineTool("greet").describe("Greet someone").handle(({ name }) => `Hello, ${name}!`);
 * const server = createServer({ name: "greeter", version: "1.0.0", tools: [greet], wires: [mcp()] });
 *
 * const response = await server.fetch(new Request("http://localhost/mcp", {
 *   method: "POST",
 *   headers: {
 *     "content-type": "application/json",
 *     "mcp-protocol-version": "2026-07-28",
 *     "mcp-method": "tools/call",
 *     "mcp-name": "greet",
 *   },
 *   body: JSON.stringify({
 *     jsonrpc: "2.0",
 *     id: 1,
 *     method: "tools/call",
 *     params: {
 *       name: "greet",
 *       arguments: { name: "Ada" },
 *       _meta: {
 *         "io.modelcontextprotocol/protocolVersion": "2026-07-28",
 *         "io.modelcontextprotocol/clientCapabilities": {},
 *       },
 *     },
 *   }),
 * }));
 * console.log(JSON.parse(await response.text()).result.content[0].text); // → Hello, Ada!
 * ```
 * @throws {RangeError} If a number among the options is out of range.
 * @throws {TypeError} If another option is invalid or unknown. `createServer` throws it if a tool violates the rules of MCP.
 */
export function mcp<const Params = Record<never, never>, Methods = unknown>(
  options: McpOptions<TypedMcpMethods<Params, Methods>> = {},
): RequestWire {
  checkOptions(ACTION, options, RULES);
  const path = normalizePath(options.path ?? "/mcp");
  const { sessions, logging, cache, pageSize, askTimeoutMs, methods } = options;
  const ssePath = options.ssePath === undefined ? undefined : normalizePath(options.ssePath);
  if (ssePath !== undefined && sessions === undefined) {
    throw new TypeError(`Cannot ${ACTION}: ssePath needs sessions; pass mcp({ ssePath, sessions: mcpSessions() })`);
  }
  const wire: McpWire = {
    name: "mcp",
    "~protocol": { logging, cache, pageSize, askTimeoutMs, methods },
    mount: (host) => new Mcp(host, path, ssePath, sessions, options),
  };
  return wire;
}

const ACTION = "serve MCP";

const RULES: OptionRules<McpOptions> = {
  path: PATH,
  sessions: rule("mcpSessions()", isSessions),
  ssePath: PATH,
  tasks: OBJECT,
  catalog: OBJECT,
  customMethods: OBJECT,
  ...PROTOCOL_RULES,
};

function isSessions(value: unknown): boolean {
  return typeof (value as Partial<McpSessions> | null)?.serve === "function";
}

/** Maximum number of messages in a batch. */
const MAX_BATCH = 100;

/** Serves MCP over HTTP: all revisions on one path, with sessions or without. */
class Mcp implements MountedWire {
  readonly paths: readonly string[];
  readonly exposedHeaders = [SESSION_HEADER];
  readonly methods: readonly string[];
  readonly resources: readonly SessionStore[];
  readonly #host: WireHost;
  readonly #server: McpServer;
  readonly #modern: ModernMethods;
  readonly #legacy: LegacyHttp;
  readonly #sse: LegacySseTransport | undefined;
  readonly #waits: HttpTimers;

  constructor(
    host: WireHost,
    path: string,
    ssePath: string | undefined,
    sessions: McpSessions | undefined,
    options: ProtocolOptions & McpFeatures,
  ) {
    this.paths = ssePath === undefined ? [path] : [path, ssePath, `${ssePath}/*`];
    this.methods = sessions === undefined ? ["POST"] : ["POST", "GET", "DELETE"];
    this.#host = host;
    this.#waits = new HttpTimers(host.clock);
    const { tasks, catalog, customMethods } = options;
    this.#server = new McpServer(host, options, host.features?.["mcp"] ?? { tasks, catalog, customMethods });
    this.#modern = new ModernMethods(this.#server);
    this.#legacy = new LegacyHttp(this.#server, this.#waits, sessions);
    const served = this.#legacy.sessions;
    this.resources = served === undefined ? [] : [served.givenStore];
    this.#sse = ssePath === undefined ? undefined : served && sessions?.serveSse(served, ssePath);
  }

  handle(head: Head, body: Body): MaybeFuture<Reply> {
    const sse = head.path === this.paths[0] ? undefined : this.#sse;
    const withoutMessage = sse?.handle(head);
    if (withoutMessage !== undefined) return withoutMessage;
    if (head.method !== "POST") return this.#legacy.handleOther(head);
    const unreadable = mediaTypeError(head.metadata);
    if (unreadable !== undefined) return errorReply(415, -32000, unreadable.message, { code: unreadable.code });
    return body.text().map((text) =>
      typeof text === "string" ? this.#receive(head, text, sse) : toReply(errorResponse(null, text))
    );
  }

  close(): void {
    this.#server.close();
    this.#sse?.close();
    this.#legacy.close();
  }

  #receive(head: Head, text: string, sse: LegacySseTransport | undefined): MaybeFuture<Reply> {
    const parsed = parseJson(text, this.#host.limits.depth);
    if ("error" in parsed) return toReply(errorResponse(null, parsed.error));
    const { value } = parsed;
    if (Array.isArray(value)) return this.#receiveBatch(head, value, sse);
    const message = decodeMessage(value);
    if (message.kind === "malformed") return invalidRequestReply(message.message, message.id);
    return sse?.receive(head, [message], false) ?? this.#route(head, message);
  }

  #receiveBatch(head: Head, batch: readonly unknown[], sse: LegacySseTransport | undefined): MaybeFuture<Reply> {
    if (batch.length > MAX_BATCH) {
      return invalidRequestReply(`The batch has ${batch.length} messages, and at most ${MAX_BATCH} are allowed`);
    }
    if (batch.length === 0) return invalidRequestReply("The batch is empty: send at least one message");
    const messages: Message[] = [];
    for (const one of batch) {
      const message = decodeMessage(one);
      if (message.kind === "malformed") return invalidRequestReply(message.message, message.id);
      if (message.kind !== "response" && requestMetaOf(message.params) !== undefined) {
        return batchErrorReply();
      }
      messages.push(message);
    }
    return sse?.receive(head, messages, true) ?? this.#legacy.receiveBatch(head, messages);
  }

  /** The body determines the revision of a message. The headers have to agree. */
  #route(head: Head, message: Message): MaybeFuture<Reply> {
    if (message.kind === "response") return this.#legacy.receive(head, message, null);
    const meta = requestMetaOf(message.params);
    if (meta !== undefined) {
      return message.kind === "request" ? this.#answer(head, message, meta) : ACCEPTED;
    }
    const version = head.metadata.get(VERSION_HEADER);
    if (message.kind === "notification" || !isModernVersion(version)) {
      return this.#legacy.receive(head, message, version);
    }
    if (message.method !== "initialize") return toReply(protocolErrorResponse(message.id, missingMetaError()));
    const problem = "initialize belongs to older revisions than the header names";
    return toReply(protocolErrorResponse(message.id, protocolError(HEADER_MISMATCH, problem)));
  }

  #answer(head: Head, request: RequestMessage, meta: Members): MaybeFuture<Reply> {
    const problem = checkRequestMeta(meta) ?? checkHeaders(request, meta, head, this.#server.tools);
    if (problem !== undefined) return toReply(protocolErrorResponse(request.id, problem));
    const exchange = new HttpExchange(head, this.#waits, this.#host);
    return exchange.reply(answerModern(this.#modern, request, meta, exchange));
  }
}
