/**
 * MCP-lite over a connection of messages: requests of JSON-RPC in any number at once, and notifications.
 *
 * The methods are those of `POST /rpc` (docs/spec.md 4.2.2). Between a streamed call and its response, `notifications/event` carries
 * what the Server-Sent Events carry over HTTP, with the id of the call.
 */
import type { Call, ClientInfo, Metadata, Peer, Principal, RequestHost } from "../../../../core/call/call.ts";
import {
  type CallEvent,
  type CallResult,
  type ErrorResult,
  errorResult,
  type Sink,
} from "../../../../core/call/outcome.ts";
import type { ListName } from "../../../../core/dispatch/list_admission.ts";
import type { ContentMethod } from "../../../../core/content/content_catalog.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { chain, isPending, type MaybeFuture } from "../../../../internal/future.ts";
import { asObject, isJsonObject } from "../../../../internal/json.ts";
import { ObjectCache } from "../../../../internal/object_cache.ts";
import { type Deadline, Deadlines } from "../../../../internal/deadlines.ts";
import { encodeEvent } from "../../../framing/event_stream.ts";
import { heartbeatInterval } from "../../../framing/sse.ts";
import {
  decodeRequest,
  isRequestId,
  type JsonRpcRequest,
  parseJson,
  type RequestId,
} from "../../../framing/json_rpc/decode.ts";
import { encodeError, encodeErrorObject, encodeResult } from "../../../framing/json_rpc/reply.ts";
import type { DuplexWire, MessageConnection, MountedDuplexWire, WireHost } from "../../../wire.ts";
import { decodeCallParams } from "../../server/decode.ts";
import { encodeOutcome, MetaEncoder } from "../../server/encode.ts";
import { HEARTBEAT_MESSAGE } from "../../messages/socket_protocol.ts";

const WIRE_NAME = "websocket";

const LIVE_ID: ErrorResult = errorResult(
  "invalid_request",
  "A request with this id is still running: give each request another id",
);

/** Creates the duplex wire of MCP-lite. @param maxInFlight Maximum of running calls of a connection; others get `rate_limited`. */
export function liteDuplex(maxInFlight: number): DuplexWire {
  return { name: WIRE_NAME, mount: (host) => new LiteDuplex(host, maxInFlight) };
}

/** The parts that all connections share. */
class LiteDuplex implements MountedDuplexWire {
  readonly host: WireHost;
  readonly maxInFlight: number;
  readonly heartbeats: Deadlines;
  readonly #meta: MetaEncoder;
  readonly #texts = new ObjectCache<WireHost["tools"], string>((tools) => JSON.stringify(tools));

  constructor(host: WireHost, maxInFlight: number) {
    this.host = host;
    this.maxInFlight = maxInFlight;
    this.heartbeats = new Deadlines(host.clock);
    this.#meta = new MetaEncoder(host.info.version);
  }

  connect(connection: MessageConnection): Promise<void> {
    return new LiteConnection(this, connection).closed;
  }

  toolsJson(principal: Principal | undefined): string {
    return this.#texts.get(this.host.toolsFor(principal));
  }

  commonMeta(startedMs: number): string {
    return this.#meta.common(startedMs, this.host.clock.now());
  }
}

/** One connection of MCP-lite: its calls under way, and their responses. */
class LiteConnection {
  readonly lite: LiteDuplex;
  readonly connection: MessageConnection;
  /** Resolves after the input has ended and every call was answered. */
  readonly closed: Promise<void>;
  readonly #resolve: () => void;
  /** Calls under way. Most connections are idle, and have no map. */
  #running: Map<RequestId, LiteCall> | undefined;
  #isEnded = false;
  #heartbeat: Deadline | undefined;
  /** Interval of the heartbeats that calls have asked for; `Infinity` without any. */
  #beatMs = Infinity;
  /** Whether the connection has no room for further heartbeats. */
  #isFull = false;

  constructor(lite: LiteDuplex, connection: MessageConnection) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.lite = lite;
    this.connection = connection;
    this.closed = promise;
    this.#resolve = resolve;
    connection.onMessage((message) => this.#receive(message));
    connection.onClose(() => {
      this.#isEnded = true;
      this.#closeIfDone();
    });
    connection.signal.addEventListener("abort", () => this.#abort(), { once: true });
  }

  #abort(): void {
    this.#running?.forEach((call) => call.cancel());
    this.#beat();
  }

  #closeIfDone(): void {
    if (this.#isEnded && !this.#running?.size) this.#resolve();
  }

  #receive(text: string | ErrorResult): void {
    if (typeof text !== "string") return this.#sendError(null, text);
    const parsed = parseJson(text, this.lite.host.limits.depth);
    if ("error" in parsed) return this.#sendError(null, parsed.error);
    const { value } = parsed;
    if (isJsonObject(value) && value["id"] === undefined && typeof value["method"] === "string") {
      return this.#takeNotification(value["method"], asObject(value["params"]));
    }
    const request = decodeRequest(value);
    if ("error" in request) this.#sendError(request.id, request.error);
    else this.#answer(request);
  }

  /** Heartbeats and unknown notifications need nothing. */
  #takeNotification(method: string, { requestId }: Readonly<Record<string, unknown>>): void {
    if (method === "notifications/cancelled" && isRequestId(requestId)) this.#running?.get(requestId)?.cancel();
  }

  #answer(request: JsonRpcRequest): void {
    const startedMs = this.lite.host.clock.now();
    const { id, method } = request;
    if (this.#running?.has(id)) return this.#sendError(id, LIVE_ID);
    switch (method) {
      case "tools/call":
        return this.#call(request, startedMs);
      case "tools/list":
        return this.#sendList(id, "list:tools", startedMs, (caller) => `"tools":${this.lite.toolsJson(caller)},`);
      case "ping":
        return this.#sendMembers(id, "", startedMs);
      default:
        return this.#answerPrompts(request, startedMs);
    }
  }

  #answerPrompts(request: JsonRpcRequest, startedMs: number): void {
    const { methods = new Map<string, ContentMethod>() } = this.lite.host.catalog ?? {};
    const { id, method } = request;
    const { list, run } = methods.get(method) ?? {};
    if (run !== undefined) return this.#call(request, startedMs, run);
    if (list !== undefined) return this.#sendList(id, "list:prompts", startedMs, (caller) => `${list(caller)},`);
    const others = methods.size === 0 ? "" : `, ${[...methods.keys()].join(", ")}`;
    const message = `Method not found: ${method.slice(0, 64)}; there are tools/call, tools/list${others} and ping`;
    this.#sendError(id, errorResult("method_not_found", message));
  }

  /** @param run Runs the call. Default: the call is of a tool, and may be streamed. */
  #call(request: JsonRpcRequest, startedMs: number, run?: ContentMethod["run"]): void {
    const { id, params } = request;
    const { maxInFlight, host } = this.lite;
    const decoded = decodeCallParams(request);
    if ("kind" in decoded) return this.#sendError(id, decoded);
    if ((this.#running?.size ?? 0) >= maxInFlight) {
      const message = `More than ${maxInFlight} calls are running on this connection`;
      return this.#sendError(id, errorResult("rate_limited", message, { retry_after_ms: 100 }));
    }
    const running = new LiteCall(this.connection, id);
    const { tool, args, meta } = decoded;
    const call: Call = { tool, args, meta, peer: running };
    const result: MaybeFuture<CallResult> = run === undefined
      ? host.dispatch.call(call, asObject(params)["stream"] === true ? running : undefined)
      : run(call);
    if (!isPending(result)) return this.#sendResult(id, call, result, startedMs);
    (this.#running ??= new Map()).set(id, running);
    if (meta?.heartbeatMs !== undefined) this.#beatFor(running, heartbeatInterval(meta.heartbeatMs));
    chain(result, (later) => {
      this.#running?.delete(id);
      if (this.#running?.size === 0) this.#beat();
      if (!running.isCancelled) this.#sendResult(id, call, later, startedMs);
      this.#closeIfDone();
    });
  }

  /** Sends the heartbeats that a call has asked for, beside those of the connection: one timer has the shortest interval of its calls. */
  #beatFor(call: LiteCall, intervalMs: number): void {
    call.beatMs = intervalMs;
    if (intervalMs < this.#beatMs) this.#beat();
  }

  #beat(): void {
    this.#heartbeat?.clear();
    this.#beatMs = Infinity;
    for (const { beatMs } of this.#running?.values() ?? []) this.#beatMs = Math.min(this.#beatMs, beatMs);
    if (this.#beatMs === Infinity) return;
    this.#heartbeat = this.lite.heartbeats.add(this.#beatMs, () => {
      this.#beat();
      if (this.#isFull || this.#beatMs === Infinity) return;
      const room = this.connection.send(HEARTBEAT_MESSAGE);
      this.#isFull = room !== undefined;
      void room?.then(() => this.#isFull = false);
    });
  }

  #sendList(
    id: RequestId,
    name: ListName,
    startedMs: number,
    encode: (principal: Principal | undefined) => string,
  ): void {
    const admitted = this.lite.host.admitList(name, new LiteCall(this.connection, id));
    chain(admitted, (error) => {
      if (error !== undefined) this.#sendError(id, error);
      else this.#sendMembers(id, encode(this.connection.principal), startedMs);
    });
  }

  #sendMembers(id: RequestId, members: string, startedMs: number): void {
    const meta = `"_meta":{"response_type":"answer",${this.lite.commonMeta(startedMs)}}`;
    void this.connection.send(encodeResult(id, `{${members}${meta}}`));
  }

  #sendResult(id: RequestId, call: Call, result: CallResult, startedMs: number): void {
    let json: string;
    try {
      json = result.kind === "error"
        ? encodeError(id, encodeErrorObject(result))
        : encodeResult(id, encodeOutcome(result, this.lite.commonMeta(startedMs)));
    } catch (thrown) {
      const error = new TypeError("The result cannot be written as JSON", { cause: thrown });
      return this.#sendError(id, this.lite.host.dispatch.mask(error, { tool: call.tool }));
    }
    void this.connection.send(json);
  }

  #sendError(id: RequestId | null, error: ErrorResult): void {
    void this.connection.send(encodeError(id, encodeErrorObject(error)));
  }
}

const ANONYMOUS: ClientInfo = {};
const NO_HEADERS: Metadata = { get: () => null };

/** A call under way: its caller, and the receiver of its events. */
class LiteCall implements Peer, Sink {
  readonly wire: string = WIRE_NAME;
  readonly requestId: RequestId;
  readonly client: ClientInfo = ANONYMOUS;
  readonly #connection: MessageConnection;
  /** Created when it is read: most handlers need no signal. */
  #controller: AbortController | undefined;
  /** Interval of the heartbeats that it has asked for, in milliseconds. */
  beatMs = Infinity;
  isCancelled = false;

  constructor(connection: MessageConnection, requestId: RequestId) {
    this.#connection = connection;
    this.requestId = requestId;
  }

  get principal(): Principal | undefined {
    return this.#connection.principal;
  }

  get metadata(): Metadata {
    return this.#connection.metadata ?? NO_HEADERS;
  }

  get host(): RequestHost | undefined {
    return this.#connection.host;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  get closed(): AbortSignal {
    return this.signal;
  }

  /** Ends the call without an answer. */
  cancel(): void {
    this.isCancelled = true;
    this.beatMs = Infinity;
    this.#controller?.abort();
  }

  push(event: CallEvent): MaybePromise<void> {
    if (this.isCancelled) return;
    const params = `{"id":${JSON.stringify(this.requestId)},${encodeEvent(event).slice(1)}`;
    return this.#connection.send(`{"jsonrpc":"2.0","method":"notifications/event","params":${params}}`);
  }
}
