/**
 * MCP over HTTP: all revisions on one path. The body says which one a request is of.
 *
 * Knows headers, statuses and streams; what requests mean is in `src/wires/mcp/server/`.
 * Source: MCP, "Streamable HTTP", revisions 2025-03-26 to 2026-07-28; "HTTP with SSE", revision 2024-11-05.
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import { refuseMediaType } from "../../../../http_client/json_post.ts";
import { parseJson } from "../../../framing/json_rpc/decode.ts";
import { Deadlines } from "../../../../internal/deadlines.ts";
import { isJsonObject, type Members } from "../../../../internal/json.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { checkOptions, type OptionRules, PATH, rule } from "../../../../internal/options.ts";
import { errorAnswer, protocolError, refusalAnswer } from "../../server/answer.ts";
import { HEADER_MISMATCH } from "../../protocol/codes.ts";
import { Core } from "../../server/mcp_server.ts";
import { checkEnvelope, claimOf, missingEnvelope } from "../../server/envelope.ts";
import { decodeMessage, type MalformedMessage, type Message, type RequestMessage } from "../../protocol/messages.ts";
import { Modern } from "../../server/modern.ts";
import { PROTOCOL_RULES, type ProtocolOptions } from "../../server/options.ts";
import type { Body, Head, MountedWire, Reply, Wire, WireHost } from "../../../wire.ts";
import type { Endpoints } from "./legacy_sse_transport.ts";
import { ACCEPTED, HttpExchange, refused, toReply } from "./exchange.ts";
import { checkHeaders, isModernVersion } from "./headers.ts";
import { SESSION_HEADER, VERSION_HEADER } from "../../protocol/header_values.ts";
import { LegacyHttp } from "./legacy.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** Options of {@link mcp}. */
export interface McpOptions extends ProtocolOptions {
  /** Where the endpoint is. Default: `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Sessions for older revisions, such as `memorySessions()`; with them come GET streams, news of changes, and streams that
   * can be taken up again. Default: none, nothing is kept between requests.
   */
  readonly sessions?: Sessions | undefined;
  /**
   * Where clients of 2024-11-05 open their stream, such as `/sse`: the transport that had a path to listen at and another to send
   * to, which are below this one. Needs `sessions`. Default: not served.
   */
  readonly ssePath?: string | undefined;
}

/**
 * MCP over HTTP, for `createServer({ wires: [mcp()] })`: revisions 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26 and
 * 2024-11-05 on one path. Without `sessions` nothing is kept between requests.
 *
 * @example A tool, called as MCP clients call it
 * ```ts
 * import { createServer, defineTool } from "jsr:@toolwire/toolwire";
 * import { mcp } from "jsr:@toolwire/toolwire/mcp";
 * import { strictEqual } from "node:assert/strict";
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
 * strictEqual((await response.json()).result.content[0].text, "Hello, Ada!");
 * ```
 * @throws {RangeError} If a number among the options is not one that it may be.
 * @throws {TypeError} If another option is not what it should be, or there is no such option; and where the server is made, if a
 * tool breaks the rules of MCP.
 */
export function mcp(options: McpOptions = {}): Wire {
  checkOptions(ACTION, options, RULES);
  const path = pathOf(options.path ?? "/mcp");
  const ssePath = options.ssePath === undefined ? undefined : pathOf(options.ssePath);
  if (ssePath !== undefined && options.sessions === undefined) {
    throw new TypeError(`Cannot ${ACTION}: ssePath needs sessions, such as memorySessions()`);
  }
  return { name: "mcp", mount: (host) => new Mcp(host, path, ssePath, options) };
}

const ACTION = "serve MCP";

const RULES: OptionRules<McpOptions> = {
  path: PATH,
  sessions: rule(
    "memorySessions() or sessionsIn(store)",
    (value) => isJsonObject(value) && typeof value["~serve"] === "function",
  ),
  ssePath: PATH,
  ...PROTOCOL_RULES,
};

function pathOf(path: string): string {
  return `/${path}`.replace(/\/+/g, "/").replace(/\/$/, "");
}

/** Messages of one batch. */
const MAX_BATCH = 100;

class Mcp implements MountedWire {
  readonly paths: readonly string[];
  readonly exposedHeaders = [SESSION_HEADER];
  readonly methods: readonly string[];
  readonly #host: WireHost;
  readonly #core: Core;
  readonly #modern: Modern;
  readonly #legacy: LegacyHttp;
  readonly #endpoints: Endpoints | undefined;
  readonly #heartbeats: Deadlines;

  constructor(host: WireHost, path: string, ssePath: string | undefined, options: McpOptions) {
    this.paths = ssePath === undefined ? [path] : [path, ssePath, `${ssePath}/*`];
    this.methods = options.sessions === undefined ? ["POST"] : ["POST", "GET", "DELETE"];
    this.#host = host;
    this.#heartbeats = new Deadlines(host.clock);
    this.#core = new Core(host, options);
    this.#modern = new Modern(this.#core);
    this.#legacy = new LegacyHttp(this.#core, this.#heartbeats, options.sessions);
    this.#endpoints = ssePath === undefined ? undefined : this.#legacy.endpoints(ssePath);
  }

  handle(head: Head, body: Body): MaybePromise<Reply> {
    const endpoints = head.path === this.paths[0] ? undefined : this.#endpoints;
    const withoutMessage = endpoints?.handle(head);
    if (withoutMessage !== undefined) return withoutMessage;
    if (head.method !== "POST") return this.#legacy.handleOther(head);
    const unreadable = refuseMediaType(head.metadata);
    if (unreadable !== undefined) return refused(415, -32000, unreadable.message, { code: unreadable.code });
    return body.text().then((text) =>
      typeof text === "string" ? this.#receive(head, text, endpoints) : refusalReply(text)
    );
  }

  close(): void {
    this.#core.close();
    this.#endpoints?.close();
    this.#legacy.close();
  }

  #receive(head: Head, text: string, endpoints: Endpoints | undefined): MaybePromise<Reply> {
    const parsed = parseJson(text, this.#host.limits.depth);
    if ("refusal" in parsed) return refusalReply(parsed.refusal);
    const { value } = parsed;
    if (Array.isArray(value)) return this.#receiveBatch(head, value, endpoints);
    const message = decodeMessage(value);
    if (message.kind === "malformed") return malformedReply(message);
    return endpoints?.receive(head, [message], false) ?? this.#route(head, message);
  }

  #receiveBatch(head: Head, batch: readonly unknown[], endpoints: Endpoints | undefined): MaybePromise<Reply> {
    if (batch.length > MAX_BATCH) {
      return malformedReply({ kind: "malformed", id: null, message: `A batch has at most ${MAX_BATCH} messages` });
    }
    const messages = batch.map(decodeMessage);
    const bad = messages.find((message) => message.kind === "malformed" || isModernClaim(message));
    if (messages.length === 0 || bad !== undefined) {
      const message = messages.length === 0 ? "The batch is empty" : "Send one message at a time";
      return malformedReply(bad?.kind === "malformed" ? bad : { kind: "malformed", id: null, message });
    }
    const whole = messages as readonly Message[];
    return endpoints?.receive(head, whole, true) ?? this.#legacy.receiveBatch(head, whole);
  }

  /** Which revision a message is of is told by its body; headers have to agree. */
  #route(head: Head, message: Message): MaybePromise<Reply> {
    if (message.kind === "response") return this.#legacy.receive(head, message, null);
    const claim = claimOf(message.params);
    if (claim !== undefined) {
      return message.kind === "request" ? this.#answer(head, message, claim) : ACCEPTED;
    }
    const version = head.metadata.get(VERSION_HEADER);
    if (message.kind === "notification" || !isModernVersion(version)) {
      return this.#legacy.receive(head, message, version);
    }
    if (message.method !== "initialize") return toReply(errorAnswer(message.id, missingEnvelope()));
    const problem = "initialize belongs to older revisions than the header names";
    return toReply(errorAnswer(message.id, protocolError(HEADER_MISMATCH, problem)));
  }

  #answer(head: Head, request: RequestMessage, meta: Members): MaybePromise<Reply> {
    const { metadata } = head;
    const problem = checkEnvelope(meta) ?? checkHeaders(request, meta, metadata, this.#core.tools);
    if (problem !== undefined) return toReply(errorAnswer(request.id, problem));
    const exchange = new HttpExchange(head, this.#heartbeats, this.#host);
    return exchange.reply(this.#modern.answer(request, meta, exchange));
  }
}

function isModernClaim(message: Message | MalformedMessage): boolean {
  return (message.kind === "request" || message.kind === "notification") && claimOf(message.params) !== undefined;
}

function refusalReply(refusal: ErrorResult): Reply {
  return toReply(refusalAnswer(null, refusal));
}

function malformedReply({ id, message }: MalformedMessage): Reply {
  return toReply(refusalAnswer(id, errorResult("invalid_request", message)));
}
