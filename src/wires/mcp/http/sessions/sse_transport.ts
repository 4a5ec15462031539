/**
 * The HTTP transport of 2024-11-05: a stream for everything that the server sends, and an endpoint for everything that the client
 * sends. The first event of the stream is the path of the endpoint.
 *
 * A session lasts as long as its stream. If the stream is open in this process, messages are written to it directly, otherwise
 * through the session store.
 * Source: MCP, revision 2024-11-05, "Transports", "HTTP with SSE".
 */
import { callerKey } from "../../../../internal/caller_key.ts";
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { isPending } from "../../../../internal/future.ts";
import type { Head, Reply } from "../../../wire.ts";
import type { Message, RequestMessage } from "../../protocol/messages.ts";
import { errorResponse, type RpcResponse } from "../../server/response.ts";
import { type SessionHost, type SessionHttp, toStoredCaller } from "./http.ts";
import { mountPath } from "../../../framing/http.ts";
import { appendNotification, followChanges, NOTIFICATION_STREAM, toClientEvent } from "./notifications.ts";
import { SessionRequest, type SessionRequestOptions } from "./request.ts";
import { findSession, type McpSession, type SessionStore } from "./store.ts";
import { SessionStreamReader } from "./stream.ts";
import {
  ACCEPTED,
  batchErrorReply,
  errorReply,
  methodNotAllowed,
  toChallengedReply,
  unavailableReply,
} from "../server/exchange.ts";

/** Interval at which the session of an open stream is read, in milliseconds. Stores delete idle sessions. */
const TOUCH_MS = 15_000;

type Send = SessionRequestOptions["notify"];

/** Serves the HTTP transport of 2024-11-05: the event streams of sessions at one path, and endpoints for their messages below it. */
export class LegacySseTransport {
  readonly #sessions: SessionHttp;
  readonly #host: SessionHost;
  readonly #store: SessionStore;
  readonly #path: string;
  /** The streams that are open in this process, by session. */
  readonly #open = new Map<string, SessionStreamReader>();

  constructor(sessions: SessionHttp, path: string) {
    this.#sessions = sessions;
    this.#host = sessions.host;
    this.#store = sessions.store;
    this.#path = path;
  }

  /** Answers a request without a message: opens a stream, or rejects the method. `undefined` for a message to an endpoint. */
  handle(head: Head): MaybePromise<Reply> | undefined {
    const isStream = idOf(head, this.#path) === "";
    const allow = isStream ? "GET" : "POST";
    if (head.method !== allow) return methodNotAllowed(head, allow);
    return isStream ? this.#openStream(head).catch((thrown) => this.#sessions.storeErrorReply(thrown)) : undefined;
  }

  /** Processes messages to an endpoint. The reply is 202: responses go over the stream, except for errors of authentication. */
  async receive(head: Head, messages: readonly Message[], isBatch: boolean): Promise<Reply> {
    const id = idOf(head, this.#path);
    try {
      const session = await findSession(this.#store, id, head.principal);
      if (session === undefined) {
        return errorReply(404, -32001, "Unknown or closed endpoint: open a stream first");
      }
      if (isBatch && session.version !== "2025-03-26") return batchErrorReply();
      // Backpressure: a client that does not read its stream waits.
      await this.#open.get(id)?.room;
      let reply = ACCEPTED;
      for (const message of messages) reply = await this.#process(session, head, message) ?? reply;
      return reply;
    } catch (thrown) {
      return this.#sessions.storeErrorReply(thrown);
    }
  }

  close(): void {
    for (const reader of [...this.#open.values()]) reader.close();
  }

  async #process(session: McpSession, head: Head, message: Message): Promise<Reply | undefined> {
    if (message.kind === "request") return await this.#answer(session, head, message);
    const event = toClientEvent(message);
    if (event !== undefined) await this.#store.publish(session.id, event);
    return undefined;
  }

  async #answer(session: McpSession, head: Head, request: RequestMessage): Promise<Reply | undefined> {
    const send = this.#senderTo(session.id);
    const current = request.method === "initialize" ? await this.#initialize(session, request) : session;
    if ("kind" in current) return await this.#send(errorResponse(request.id, current), head, send);
    const exchange = new EndpointExchange(this.#open.get(session.id), {
      head,
      store: this.#store,
      session: current,
      requestIds: [request.id],
      pending: this.#host.pending,
      taskNotifications: this.#sessions.taskNotifications,
      notify: send,
      onError: (thrown) => this.#sessions.storeErrorReply(thrown),
    });
    const response = this.#host.answerAll([request], exchange, false);
    if (!isPending(response)) return await this.#send(response, head, send);
    // The reply is sent now, the response later over the stream.
    void exchange.follow(response);
    return undefined;
  }

  /** Authentication errors are HTTP replies: clients handle them there. Other responses go over the stream. */
  async #send(response: RpcResponse, head: Head, send: Send): Promise<Reply | undefined> {
    const { status } = response;
    if (status === 401 || status === 403) return toChallengedReply(response, head, this.#host.server.host);
    await send(response.json);
    return undefined;
  }

  async #initialize(session: McpSession, { params }: RequestMessage): Promise<McpSession | ErrorResult> {
    const caller = this.#host.readCaller(params);
    if ("kind" in caller) return caller;
    const initialized = { ...session, ...toStoredCaller(caller) };
    const isFirst = session.capabilities === null && await this.#store.put(initialized, session);
    return isFirst
      ? initialized
      : errorResult("invalid_request", "The session is already initialized: initialize is sent once");
  }

  #senderTo(id: string): Send {
    return (json) => {
      const reader = this.#open.get(id);
      return reader === undefined ? appendNotification(this.#store, id, json) : reader.send(json);
    };
  }

  async #openStream(head: Head): Promise<Reply> {
    const { server: { host }, heartbeats } = this.#host;
    if (host.dispatch.isClosed) return unavailableReply("The server is shutting down");
    const session = newSession(head);
    const { id } = session;
    const store = this.#store;
    const onError = (thrown: unknown) => void this.#sessions.storeErrorReply(thrown);
    const unfollow = followChanges(host, store, id, this.#senderTo(id), onError);
    try {
      await store.put(session);
    } catch (thrown) {
      unfollow();
      throw thrown;
    }
    head.disableIdleTimeout();
    const stopTouching = this.#touchRegularly(id, () => reader.close());
    const onEnd = () => {
      stopTouching();
      unfollow();
      this.#open.delete(id);
      void this.#delete(id).catch(onError);
    };
    const stream = { stream: NOTIFICATION_STREAM, after: 0, hasIds: false };
    const reader: SessionStreamReader = new SessionStreamReader({
      store,
      session,
      ...stream,
      heartbeats,
      onError,
      onEnd,
    });
    this.#open.set(id, reader);
    reader.follow();
    reader.open(`event: endpoint\ndata: ${mountPath(head)}${this.#path}/${id}\n\n`);
    return await reader.opened ?? unavailableReply("The stream has ended; open it again");
  }

  /** Reads a session regularly to keep it. Calls `onDeleted` if the store has deleted it. Returns a function that stops it. */
  #touchRegularly(id: string, onDeleted: () => void): () => void {
    const arm = () =>
      this.#host.heartbeats.add(TOUCH_MS, () => {
        armed = arm();
        void this.#touch(id, onDeleted);
      });
    let armed = arm();
    return () => armed.clear();
  }

  async #touch(id: string, onDeleted: () => void): Promise<void> {
    try {
      if (await this.#store.get(id) === undefined) onDeleted();
    } catch (thrown) {
      this.#sessions.storeErrorReply(thrown);
    }
  }

  async #delete(id: string): Promise<void> {
    await this.#store.delete(id);
  }
}

/** A request to an endpoint. All its messages go over the session's stream, also its response. */
class EndpointExchange extends SessionRequest<SessionRequestOptions> {
  readonly #reader: SessionStreamReader | undefined;

  /** @param reader The stream, if it is open in this process. */
  constructor(reader: SessionStreamReader | undefined, options: SessionRequestOptions) {
    super(options, true);
    this.#reader = reader;
  }

  beatWithin(heartbeatMs: number): void {
    this.#reader?.beatWithin(heartbeatMs);
  }

  protected override write(json: string): MaybePromise<void> {
    return this.options.notify(json);
  }

  /** Sends the response when it is there. A cancelled request has no response. */
  async follow(response: PromiseLike<RpcResponse>): Promise<void> {
    let unlisten: (() => void) | undefined;
    try {
      unlisten = this.listen();
    } catch (thrown) {
      // The response is sent all the same.
      this.options.onError(thrown);
    }
    try {
      const { json } = await response;
      if (!this.closed.aborted) await this.send(json);
    } catch (thrown) {
      this.options.onError(thrown);
    } finally {
      unlisten?.();
    }
  }
}

/** The session of an endpoint: the part of the path below `base`. Empty for the path of the stream. */
function idOf({ path }: Head, base: string): string {
  return path.slice(base.length + 1);
}

/** A session before `initialize`. */
function newSession({ principal }: Head): McpSession {
  return {
    id: crypto.randomUUID(),
    version: "2024-11-05",
    capabilities: null,
    info: null,
    principal: callerKey(principal),
    logLevel: null,
    subscriptions: [],
  };
}
