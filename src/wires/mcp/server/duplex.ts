/**
 * MCP over a duplex connection with one client: pipes, or any other connection that carries text messages.
 *
 * The first message determines the protocol era, which then stays the same for the connection.
 * Source: MCP, "stdio", revisions 2024-11-05 to 2026-07-28.
 */
import type { Metadata, Principal } from "../../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { chain, isPending, type MaybeFuture } from "../../../internal/future.ts";
import { isJsonObject } from "../../../internal/json.ts";
import { parseJson, type RequestId } from "../../framing/json_rpc/decode.ts";
import type { DuplexWire, MessageConnection, MountedDuplexWire, WireHost } from "../../wire.ts";
import { LEGACY_VERSIONS } from "../protocol/constants.ts";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type NotificationMessage,
  type RequestMessage,
} from "../protocol/messages.ts";
import { toNotification } from "./change_streams.ts";
import type { Channel, McpExchange } from "./exchange.ts";
import { LegacyMethods } from "./legacy.ts";
import {
  type LegacyCaller,
  type LegacyExchange,
  PendingRequests,
  type PreferenceChange,
  type Preferences,
  withPreference,
} from "./legacy_exchange.ts";
import { TaskNotifications } from "./legacy_tasks.ts";
import { McpServer, type ProtocolOptions } from "./mcp_server.ts";
import { answerLegacy, answerModern } from "./methods.ts";
import { ModernMethods } from "./modern.ts";
import {
  checkRequestMeta,
  checkVersion,
  missingMetaError,
  requestMetaOf,
  unsupportedVersionError,
} from "./request_meta.ts";
import { errorResponse, protocolErrorResponse, type RpcResponse, unknownMethodResponse } from "./response.ts";

/**
 * MCP as a duplex wire: each message is one JSON-RPC message.
 *
 * Mounting it throws a `TypeError` if a tool violates the rules of MCP.
 */
export function mcpDuplex(options: ProtocolOptions = {}): DuplexWire {
  return { name: "mcp", mount: (host) => new McpDuplex(host, options) };
}

/** The parts that all connections share. */
class McpDuplex implements MountedDuplexWire {
  readonly host: WireHost;
  readonly modern: ModernMethods;
  readonly legacy: LegacyMethods;
  readonly pending: PendingRequests;
  readonly taskNotifications: TaskNotifications;

  constructor(host: WireHost, options: ProtocolOptions) {
    const server = new McpServer(host, options);
    this.host = host;
    this.modern = new ModernMethods(server);
    this.legacy = new LegacyMethods(server, true);
    this.pending = new PendingRequests(host.clock, server.settings.askTimeoutMs);
    this.taskNotifications = new TaskNotifications(host.clock);
  }

  connect(connection: MessageConnection): Promise<void> {
    return new McpConnection(this, connection).closed;
  }
}

const NO_METADATA: Metadata = { get: () => null };

type LegacyState = LegacyCaller & Preferences;

/** State before `initialize`. Some clients of the revisions with a handshake skip it. */
const UNINITIALIZED: LegacyState = {
  version: LEGACY_VERSIONS[0],
  capabilities: undefined,
  info: undefined,
  logLevel: undefined,
  subscriptions: [],
};

class McpConnection {
  readonly mcp: McpDuplex;
  /** Resolves after the input has ended and every request was answered. */
  readonly closed: Promise<void>;
  /** Aborts when the input has ended. */
  readonly inputEnd: AbortSignal;
  readonly #connection: MessageConnection;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #endInput = new AbortController();
  readonly #close: () => void;
  #era: "modern" | "legacy" | undefined = undefined;
  #state = UNINITIALIZED;
  #unsubscribe: (() => void) | undefined = undefined;

  constructor(mcp: McpDuplex, connection: MessageConnection) {
    const closed = Promise.withResolvers<void>();
    this.mcp = mcp;
    this.closed = closed.promise;
    this.inputEnd = this.#endInput.signal;
    this.#connection = connection;
    this.#close = closed.resolve;
    connection.onMessage((message) => this.#receive(message));
    connection.onClose(() => this.#end());
    connection.signal.addEventListener("abort", () => this.#abort(), { once: true });
  }

  get principal(): Principal | undefined {
    return this.#connection.principal;
  }

  send(json: string): MaybePromise<void> {
    return this.#connection.send(json);
  }

  savePreference(change: PreferenceChange): void {
    this.#state = withPreference(this.#state, change);
  }

  /** Processes one message. A message that cannot be read gets an error without an id; an empty one is ignored. */
  #receive(text: string | ErrorResult): void {
    if (typeof text !== "string") return this.#sendError(text);
    if (text.trim() === "") return;
    const parsed = parseJson(text, this.mcp.host.limits.depth);
    if ("error" in parsed) return this.#sendError(parsed.error);
    const { value } = parsed;
    if (Array.isArray(value)) return this.#receiveBatch(value);
    const message = decodeMessage(value);
    if (message.kind !== "malformed") this.#process(message);
    // A malformed response gets no error: two peers could answer each other's errors forever.
    else if (!isResponse(value)) this.#sendError(errorResult("invalid_request", message.message), message.id);
  }

  #sendError(error: ErrorResult, id: RequestId | null = null): void {
    void this.send(errorResponse(id, error).json);
  }

  #end(): void {
    this.#unsubscribe?.();
    this.#endInput.abort();
    if (this.#running.size === 0) this.#close();
  }

  #abort(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  /** Only 2025-03-26 has batches. */
  #receiveBatch(batch: readonly unknown[]): void {
    if (this.#era !== "legacy" || this.#state.version !== "2025-03-26") {
      return this.#sendError(errorResult("invalid_request", "Send one message at a time"));
    }
    for (const one of batch) {
      const message = decodeMessage(one);
      if (message.kind !== "malformed") this.#process(message);
    }
  }

  #process(message: Message): void {
    if (message.kind === "response") this.mcp.pending.resolve(message);
    else if (message.kind === "notification") this.#cancel(message);
    else this.#answer(message);
  }

  /** Cancels a request, if that is what the notification is for. */
  #cancel({ method, params: { requestId } }: NotificationMessage): void {
    if (method !== "notifications/cancelled") return;
    if (typeof requestId === "string" || typeof requestId === "number") this.#running.get(requestId)?.abort();
  }

  #answer(request: RequestMessage): void {
    const { id } = request;
    if (this.#running.has(id)) {
      return this.#sendError(errorResult("invalid_request", "A request with this id is still running"), id);
    }
    const exchange = new DuplexExchange(this, this.#state);
    const response = this.#route(request, exchange);
    if (!isPending(response)) return void this.send(response.json);
    this.#running.set(id, exchange.controller);
    chain(response, ({ json }) => {
      this.#running.delete(id);
      // A cancelled request has no response.
      if (!exchange.controller.signal.aborted) void this.send(json);
      if (this.#running.size === 0 && this.inputEnd.aborted) this.#close();
    });
  }

  #route(request: RequestMessage, exchange: DuplexExchange): MaybeFuture<RpcResponse> {
    const { id, method, params } = request;
    const meta = requestMetaOf(params);
    const isDiscovery = method === "server/discover";
    if (this.#era !== "legacy" && meta !== undefined) {
      const problem = checkRequestMeta(meta) ?? checkVersion(meta);
      if (problem !== undefined) return protocolErrorResponse(id, problem);
      // After discovery a client may still choose a revision with a handshake.
      if (!isDiscovery) this.#era = "modern";
      return answerModern(this.mcp.modern, request, meta, exchange);
    }
    if (this.#era === "modern") {
      const isHandshake = method === "initialize";
      const problem = isHandshake ? unsupportedVersionError(params["protocolVersion"]) : missingMetaError();
      return protocolErrorResponse(id, problem);
    }
    if (isDiscovery) {
      return this.#era === "legacy" ? unknownMethodResponse(request) : protocolErrorResponse(id, missingMetaError());
    }
    this.#era = "legacy";
    if (method === "initialize") {
      const caller = this.mcp.legacy.readCaller(params);
      if ("kind" in caller) return errorResponse(id, caller);
      this.#initialize(caller);
    }
    exchange.caller = this.#state;
    return answerLegacy(this.mcp.legacy, request, exchange);
  }

  #initialize(caller: LegacyCaller): void {
    this.#state = { ...caller, subscriptions: this.#state.subscriptions };
    this.#unsubscribe ??= this.mcp.host.changes.subscribe((change) => {
      const notification = toNotification(change, {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: this.#state.subscriptions,
      });
      if (notification === undefined) return;
      const [method, params] = notification;
      void this.send(encodeMessage({ method, params }));
    });
  }
}

/** Whether a value is a response, valid or not. */
function isResponse(value: unknown): boolean {
  return isJsonObject(value) && !("method" in value) && ("error" in value || "result" in value);
}

/** One request over a connection. */
class DuplexExchange implements LegacyExchange, McpExchange, Channel {
  readonly metadata = NO_METADATA;
  readonly principal: Principal | undefined;
  readonly controller: AbortController = new AbortController();
  readonly sendRequest: NonNullable<LegacyExchange["sendRequest"]>;
  readonly reportTask: NonNullable<LegacyExchange["reportTask"]>;
  readonly inputEnd: AbortSignal;
  caller: LegacyCaller;
  readonly #connection: McpConnection;

  constructor(connection: McpConnection, caller: LegacyCaller) {
    const { mcp: { pending, taskNotifications }, inputEnd } = connection;
    this.principal = connection.principal;
    this.inputEnd = inputEnd;
    this.#connection = connection;
    this.caller = caller;
    this.sendRequest = (request) => pending.request(request, (json) => this.send(json), this.closed);
    this.reportTask = (watch) => taskNotifications.follow(watch, (json) => connection.send(json), inputEnd);
  }

  get closed(): AbortSignal {
    return this.controller.signal;
  }

  signal(): AbortSignal {
    return this.controller.signal;
  }

  channel(): Channel {
    return this;
  }

  send(json: string): void | Promise<void> {
    if (!this.controller.signal.aborted) return this.#connection.send(json);
  }

  savePreference(change: PreferenceChange): void {
    this.#connection.savePreference(change);
  }
}
