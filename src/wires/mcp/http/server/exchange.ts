import type { Metadata, Principal, RequestHost } from "../../../../core/call/call.ts";
import { errorResult } from "../../../../core/call/outcome.ts";
import { asObject, type Members } from "../../../../internal/json.ts";
import { JSON_HEADERS, RESULT_HEADERS } from "../../../framing/http.ts";
import { encodeSseEvent, heartbeatInterval, SseBody, STREAM_HEADERS } from "../../../framing/sse.ts";
import { type Deadline, Deadlines } from "../../../../internal/deadlines.ts";
import { acceptsEventStream } from "../../../../internal/http.ts";
import { Future, isPending, type MaybeFuture, type Receiver } from "../../../../internal/future.ts";
import { type PendingEntry, PendingList } from "../../../../internal/pending_list.ts";
import type { Clock } from "../../../../internal/time.ts";
import { errorResponse, protocolError, protocolErrorResponse, type RpcResponse } from "../../server/response.ts";
import type { RequestId } from "../../../framing/json_rpc/decode.ts";
import type { Channel, McpExchange } from "../../server/exchange.ts";
import type { Head, Reply, WireHost } from "../../../wire.ts";

/** Reply to a POST of notifications or responses only, which have no response: status 202 without a body. */
export const ACCEPTED: Reply = { status: 202, headers: {}, body: null };

/** Comment of an event stream (SSE) that is sent to keep an idle connection open. */
export const KEEP_ALIVE = ": keepalive\n\n";

/** Delay before a client should retry a request that failed temporarily, in milliseconds. */
const RETRY_MS = 1_000;

/** Timers of one server for requests that have no response yet, and for open streams. */
export class HttpTimers {
  /** Requests without a response that have not waited long enough to be sent a heartbeat. */
  readonly pending: PendingList;
  /** Heartbeats of the others, and of streams. */
  readonly heartbeats: Deadlines;

  constructor(clock: Clock) {
    this.pending = new PendingList(clock);
    this.heartbeats = new Deadlines(clock);
  }
}

/** One request over HTTP. The reply is JSON; a stream if a message precedes the response, or if it is slow and the client accepts one. */
export class HttpExchange implements McpExchange, Channel, PendingEntry, Receiver<RpcResponse> {
  earlier: PendingEntry | undefined;
  later: PendingEntry | undefined;
  readonly #head: Head;
  readonly #host: WireHost;
  readonly #waits: HttpTimers;
  #heartbeat: Deadline | undefined;
  #heartbeatMs: number | undefined;
  #body: SseBody | undefined;
  #opened: Future<Reply> | undefined;

  constructor(head: Head, waits: HttpTimers, host: WireHost) {
    this.#head = head;
    this.#host = host;
    this.#waits = waits;
  }

  get metadata(): Metadata {
    return this.#head.metadata;
  }

  get host(): RequestHost | undefined {
    return this.#head.host;
  }

  get principal(): Principal | undefined {
    return this.#head.principal;
  }

  get closed(): AbortSignal | undefined {
    return this.#body?.closed;
  }

  signal(isStreamed: boolean): AbortSignal | undefined {
    return isStreamed ? this.#head.streamAbortSignal : this.#head.signal;
  }

  channel(isForced: boolean = false): Channel | undefined {
    if (this.#body !== undefined) return this;
    if (!isForced && !acceptsEventStream(this.#head.metadata.get("accept"))) return undefined;
    const opened = this.#opened ??= new Future<Reply>();
    this.#body = new SseBody({
      heartbeats: this.#waits.heartbeats,
      heartbeat: KEEP_ALIVE,
      heartbeatMs: this.#heartbeatMs,
      onOpen: (body) => opened.receive({ status: 200, headers: STREAM_HEADERS, body }),
    });
    return this;
  }

  beatWithin(heartbeatMs: number): void {
    this.#heartbeatMs = heartbeatMs;
    this.#body?.beatWithin(heartbeatMs);
  }

  send(json: string): void | Promise<void> {
    return this.#body?.write(encodeSseEvent("message", json));
  }

  /** The reply: at once if the response is there, otherwise as soon as there is something to send. */
  reply(response: MaybeFuture<RpcResponse>): MaybeFuture<Reply> {
    if (!isPending(response)) return this.#end(response) ?? this.#opened as Future<Reply>;
    const reply = this.#opened ??= new Future<Reply>();
    this.#waits.pending.add(this);
    Future.of(response).into(this);
    return reply;
  }

  /** Takes the response that {@link HttpExchange.reply} waits for, and sends it. */
  receive(response: RpcResponse): void {
    this.#waits.pending.remove(this);
    this.#heartbeat?.clear();
    const whole = this.#end(response);
    if (whole !== undefined) this.#opened?.receive(whole);
  }

  fail(thrown: unknown): void {
    this.#opened?.fail(thrown);
  }

  /** Called when the response takes longer than a few milliseconds: starts heartbeats, so that the connection stays open. */
  onStillPending(): void {
    this.#head.disableIdleTimeout();
    // The stream is not created before it has something to send.
    this.#heartbeat = this.#waits.heartbeats.add(heartbeatInterval(this.#heartbeatMs), () => this.#keepAlive());
  }

  #keepAlive(): void {
    if (this.#body !== undefined || this.channel() === undefined) return;
    void (this.#body as SseBody | undefined)?.write(KEEP_ALIVE);
  }

  /** Ends the stream if it is open; otherwise returns the whole reply. */
  #end(response: RpcResponse): Reply | undefined {
    if (this.#body?.isOpen) return void this.#body.end(encodeSseEvent("message", response.json));
    this.#body?.finish();
    return this.toReply(response);
  }

  /** The whole reply with a response. */
  protected toReply(response: RpcResponse): Reply {
    return toChallengedReply(response, this.#head, this.#host);
  }
}

/** Encodes a JSON-RPC response as a reply of JSON, not as a stream. */
export function toReply({ status, json, headers }: RpcResponse): Reply {
  const standard = status === 200 ? RESULT_HEADERS : JSON_HEADERS;
  return { status, headers: headers === undefined ? standard : { ...standard, ...headers }, body: json };
}

/** Encodes a reply as {@link toReply} does. An authentication or permission error gets the `www-authenticate` challenge of the server. */
export function toChallengedReply(response: RpcResponse, { path }: Head, host: WireHost): Reply {
  const { error, headers } = response;
  if (error === undefined) return toReply(response);
  return toReply({ ...response, headers: { ...headers, ...host.challenge(error, path) } });
}

/** Replaces the status 400 or 404 by 200, for the revisions with a handshake: a 404 would mean there that the session has ended. */
export function withLegacyStatus(response: RpcResponse): RpcResponse {
  return response.status === 400 || response.status === 404 ? { ...response, status: 200 } : response;
}

/** Reply with an HTTP status and an error of JSON-RPC without an id. */
export function errorReply(status: number, number: number, message: string, data?: Members): Reply {
  return toReply(protocolErrorResponse(null, protocolError(number, message, data, status)));
}

/** Reply to an HTTP method that the path does not have: status 405, with the header `allow`. */
export function methodNotAllowed({ method }: Head, allow: string): Reply {
  const { status, headers, body } = errorReply(405, -32000, `${method} is not allowed here: use ${allow}`);
  return { status, headers: { ...headers, allow }, body };
}

/** Reply to a request that the client should retry later: status 503, with the delay. */
export function unavailableReply(message: string, data?: unknown): Reply {
  return toReply(
    errorResponse(null, errorResult("unavailable", message, { retry_after_ms: RETRY_MS, ...asObject(data) })),
  );
}

/** Reply to a message that is invalid as a whole: status 400, with the error -32600. */
export function invalidRequestReply(message: string, id: RequestId | null = null): Reply {
  return toReply(errorResponse(id, errorResult("invalid_request", message)));
}

/** Reply to a batch in revisions without batches: status 400, with the error -32600. */
export function batchErrorReply(): Reply {
  return invalidRequestReply("A list of messages is not allowed here: send one message in each request");
}
