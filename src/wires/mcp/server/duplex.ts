/**
 * MCP over a duplex connection with one client: pipes, or any other connection that carries text messages.
 *
 * The first message determines the protocol era, which then stays the same for the connection.
 * Source: MCP, "stdio", revisions 2024-11-05 to 2026-07-28.
 */
import type { Metadata, Principal, RequestHost } from "../../../core/call/call.ts";
import { type ErrorResult, errorResult } from "../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import { chain, isPending, type MaybeFuture } from "../../../internal/future.ts";
import { isJsonObject, omitUndefined } from "../../../internal/json.ts";
import { parseJson, type RequestId } from "../../framing/json_rpc/decode.ts";
import type { DuplexWire, MessageConnection, MountedDuplexWire, WireHost } from "../../wire.ts";
import { LEGACY_VERSIONS } from "../protocol/constants.ts";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type NotificationMessage,
  requestIdIn,
  type RequestMessage,
} from "../protocol/messages.ts";
import { toNotification } from "./change_streams.ts";
import type { McpMethods, TypedMcpMethods } from "./custom_method_types.ts";
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
import { MCP_FEATURES } from "./features.ts";
import { TaskNotifications } from "./legacy_tasks.ts";
import { McpServer, type McpWire, type ProtocolOptions } from "./mcp_server.ts";
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
import { WaitingRequests } from "./waiting_requests.ts";

/** Options of MCP over a duplex connection. Defaults of the options of MCP are those of the server's wire `mcp({ … })`. */
export interface DuplexOptions<Methods = McpMethods> extends ProtocolOptions<Methods> {
  /** Maximum number of running requests of a connection; others wait. Pings, subscriptions, `tasks/{cancel,update}` are exempt. Default: 100. */
  readonly maxConcurrentCalls?: number | undefined;
}

const DEFAULT_CONCURRENT_CALLS = 100;

/** Messages are still read: an answer or a cancellation may end the call that the others wait for. */
const TOO_MANY_WAIT = errorResult("unavailable", "Too many requests wait on this connection; try again later", {
  retry_after_ms: 1_000,
});

/** Methods that never wait for other requests: those can wait for them. */
const URGENT_METHODS: ReadonlySet<string> = new Set(["ping", "subscriptions/listen", "tasks/cancel", "tasks/update"]);

/**
 * MCP as a duplex wire, such as for stdio: each message is one JSON-RPC message. Has tasks, resources, prompts and completion.
 *
 * Mounting it throws a `TypeError` if a tool violates the rules of MCP.
 */
export function mcpDuplex<const Params = Record<never, never>, Methods = unknown>(
  options: DuplexOptions<TypedMcpMethods<Params, Methods>> = {},
): DuplexWire {
  return { name: "mcp", mount: (host) => new McpDuplex(host, { ...protocolOf(host), ...omitUndefined(options) }) };
}

/** Options of the server's wire `mcp({ … })`. */
function protocolOf({ wires }: WireHost): ProtocolOptions {
  const shared = wires.map((wire: Partial<McpWire>) => wire["~protocol"]);
  return omitUndefined(shared.find((options) => options !== undefined) ?? {});
}

/** The parts that all connections share. */
class McpDuplex implements MountedDuplexWire {
  readonly host: WireHost;
  readonly modern: ModernMethods;
  readonly legacy: LegacyMethods;
  readonly pending: PendingRequests;
  readonly taskNotifications: TaskNotifications;
  readonly maxConcurrentCalls: number;

  constructor(host: WireHost, { maxConcurrentCalls = DEFAULT_CONCURRENT_CALLS, ...options }: DuplexOptions) {
    const server = new McpServer(host, options, MCP_FEATURES);
    this.host = host;
    this.maxConcurrentCalls = maxConcurrentCalls;
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

/** What a connection of the revisions with a handshake knows of its client. */
type LegacyState = LegacyCaller & Preferences;

/** State before `initialize`. Some clients of the revisions with a handshake skip it. */
const UNINITIALIZED: LegacyState = {
  version: LEGACY_VERSIONS[0],
  capabilities: undefined,
  info: undefined,
  logLevel: undefined,
  subscriptions: [],
};

/** One connection of MCP over a duplex stream: requests, answers to questions, notifications, and its end. */
class McpConnection {
  readonly mcp: McpDuplex;
  /** Resolves after the input has ended and every request was answered. */
  readonly closed: Promise<void>;
  /** Aborts when the input has ended. */
  readonly inputEnd: AbortSignal;
  readonly #connection: MessageConnection;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #waiting: WaitingRequests;
  readonly #endInput = new AbortController();
  readonly #close: () => void;
  #era: "modern" | "legacy" | undefined;
  #state = UNINITIALIZED;
  #unsubscribe: (() => void) | undefined;
  /** Number of running requests that are not urgent. */
  #calls = 0;
  /** What the connection returned for a message that the client has not read; `undefined` if messages can be sent at once. */
  #full: MaybePromise<void> = undefined;
  /** Resolves when the client has read it. */
  #hasRead: MaybePromise<void> = undefined;

  constructor(mcp: McpDuplex, connection: MessageConnection) {
    const closed = Promise.withResolvers<void>();
    this.mcp = mcp;
    this.closed = closed.promise;
    this.inputEnd = this.#endInput.signal;
    this.#connection = connection;
    this.#waiting = new WaitingRequests(mcp.host.limits.bodyBytes);
    this.#close = closed.resolve;
    connection.onMessage((message, start) => this.#receive(message, start));
    connection.onClose(() => this.#end());
    connection.signal.addEventListener("abort", () => this.#abort(), { once: true });
  }

  get principal(): Principal | undefined {
    return this.#connection.principal;
  }

  get host(): RequestHost | undefined {
    return this.#connection.host;
  }

  send(json: string): MaybePromise<void> {
    let sent: MaybePromise<void>;
    try {
      sent = this.#connection.send(json);
    } catch (thrown) {
      return this.#report(thrown);
    }
    if (sent === undefined) return undefined;
    if (sent !== this.#full) this.#hasRead = this.#waitUntilRead(sent);
    return this.#hasRead;
  }

  /** Logs an error of the connection, which is to report its end by its signal. */
  #report(thrown: unknown): void {
    this.mcp.host.dispatch.mask(thrown, { during: "connection" });
  }

  /** Never rejects: most senders do not wait. */
  async #waitUntilRead(sent: Promise<void>): Promise<void> {
    this.#full = sent;
    try {
      await sent;
    } catch (thrown) {
      this.#report(thrown);
    }
    if (this.#full !== sent) return;
    this.#full = undefined;
    this.#startWaiting();
  }

  savePreference(change: PreferenceChange): void {
    this.#state = withPreference(this.#state, change);
  }

  /** Processes one message. One that cannot be read gets an error, with the id if its start has it; an empty one is ignored. */
  #receive(text: string | ErrorResult, start?: string): void {
    if (typeof text !== "string") this.#sendError(text, requestIdIn(start));
    else if (text.trim() !== "") this.#read(text);
  }

  #read(text: string): void {
    const parsed = parseJson(text, this.mcp.host.limits.depth);
    if ("error" in parsed) return this.#sendError(parsed.error);
    const { value } = parsed;
    if (Array.isArray(value)) return this.#receiveBatch(value, text.length);
    const message = decodeMessage(value);
    if (message.kind !== "malformed") this.#process(message, text.length);
    // A malformed response gets no error: two peers could answer each other's errors forever.
    else if (!isResponse(value)) this.#sendError(errorResult("invalid_request", message.message), message.id);
  }

  #sendError(error: ErrorResult, id: RequestId | null = null): void {
    void this.send(errorResponse(id, error).json);
  }

  #end(): void {
    this.#unsubscribe?.();
    this.#endInput.abort();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.inputEnd.aborted && this.#running.size === 0 && this.#waiting.isEmpty) this.#close();
  }

  #abort(): void {
    this.#waiting.clear();
    for (const controller of this.#running.values()) controller.abort();
    this.#closeIfDone();
  }

  /** Only 2025-03-26 has batches. */
  #receiveBatch(batch: readonly unknown[], size: number): void {
    if (this.#era !== "legacy" || this.#state.version !== "2025-03-26") {
      return this.#sendError(
        errorResult("invalid_request", "A list of messages is not allowed here: send one message at a time"),
      );
    }
    for (const one of batch) {
      const message = decodeMessage(one);
      if (message.kind !== "malformed") this.#process(message, size / batch.length);
    }
  }

  /** @param size Size of the message in UTF-16 code units. */
  #process(message: Message, size: number): void {
    if (message.kind === "response") this.mcp.pending.resolve(message, this);
    else if (message.kind === "notification") this.#cancel(message);
    else this.#answer(message, size);
  }

  /** Cancels a request, if that is what the notification is for. */
  #cancel({ method, params: { requestId } }: NotificationMessage): void {
    if (method !== "notifications/cancelled") return;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    this.#running.get(requestId)?.abort();
    this.#waiting.take(requestId);
  }

  /** Whether a request may start: too many running ones, or answers that the client does not read, would fill the memory. */
  get #hasRoom(): boolean {
    return this.#calls < this.mcp.maxConcurrentCalls && this.#full === undefined;
  }

  #answer(request: RequestMessage, size: number): void {
    const { id, method } = request;
    if (this.#running.has(id) || this.#waiting.has(id)) {
      return this.#sendError(
        errorResult("invalid_request", "A request with this id is still running: give each request another id"),
        id,
      );
    }
    if ((this.#hasRoom && this.#waiting.isEmpty) || URGENT_METHODS.has(method)) this.#start(request);
    else if (this.#waiting.isFull) this.#sendError(TOO_MANY_WAIT, id);
    else this.#waiting.add(request, size);
  }

  #start(request: RequestMessage): void {
    const { id, method } = request;
    const exchange = new DuplexExchange(this, this.#state);
    const response = this.#route(request, exchange);
    if (!isPending(response)) return void this.send(response.json);
    const counted = URGENT_METHODS.has(method) ? 0 : 1;
    this.#running.set(id, exchange.controller);
    this.#calls += counted;
    chain(response, ({ json }) => {
      this.#running.delete(id);
      this.#calls -= counted;
      // A cancelled request has no response.
      if (!exchange.controller.signal.aborted) void this.send(json);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    while (this.#hasRoom) {
      const request = this.#waiting.take();
      if (request === undefined) break;
      this.#start(request);
    }
    this.#closeIfDone();
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
      }, undefined);
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
  readonly host: RequestHost | undefined;
  readonly controller: AbortController = new AbortController();
  readonly sendRequest: NonNullable<LegacyExchange["sendRequest"]>;
  readonly reportTask: NonNullable<LegacyExchange["reportTask"]>;
  readonly inputEnd: AbortSignal;
  caller: LegacyCaller;
  readonly #connection: McpConnection;

  constructor(connection: McpConnection, caller: LegacyCaller) {
    const { mcp: { pending, taskNotifications }, inputEnd } = connection;
    this.principal = connection.principal;
    this.host = connection.host;
    this.inputEnd = inputEnd;
    this.#connection = connection;
    this.caller = caller;
    this.sendRequest = (request) => pending.request(request, (json) => this.send(json), this.closed, connection);
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
