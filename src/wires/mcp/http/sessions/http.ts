/** Sessions of the revisions with a handshake, over HTTP. */
import { callerKey } from "../../../../internal/caller_key.ts";
import type { ErrorResult } from "../../../../core/call/outcome.ts";
import type { MaybeFuture } from "../../../../internal/future.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import type { Json, Members } from "../../../../internal/json.ts";
import type { Head, Reply } from "../../../wire.ts";
import { SESSION_HEADER } from "../../protocol/header_values.ts";
import type { Message, RequestMessage } from "../../protocol/messages.ts";
import type { LegacyCaller, LegacyExchange, PendingRequests } from "../../server/legacy_exchange.ts";
import { TaskNotifications } from "../../server/legacy_tasks.ts";
import type { McpServer } from "../../server/mcp_server.ts";
import type { RpcResponse } from "../../server/response.ts";
import { ACCEPTED, batchErrorReply, errorReply, KEEP_ALIVE, toReply, unavailableReply } from "../server/exchange.ts";
import { reportSessionEnd } from "./ended_sessions.ts";
import { appendNotification, followChanges, NOTIFICATION_STREAM, toClientEvent } from "./notifications.ts";
import { SessionExchange } from "./request.ts";
import { findSession, type McpSession, type SessionStore, withQuietEnds } from "./store.ts";
import { canResume, resumeBlock, SessionStreamReader } from "./stream.ts";

const LAST_EVENT_HEADER = "last-event-id";

/** Settings of {@link SessionHttp}. */
export interface SessionSettings {
  readonly store: SessionStore;
  /** Delay before a client resumes a stream, in milliseconds. */
  readonly retryMs: number;
  /** Time after which the connection of a running request is closed, in milliseconds. */
  readonly pollAfterMs: number | undefined;
}

/** What sessions need of the wire `mcp()`: its server, timers, requests to clients, and the methods. */
export interface SessionHost {
  readonly server: McpServer;
  readonly heartbeats: Deadlines;
  readonly pending: PendingRequests;
  /** Decodes the parameters of `initialize`. */
  readCaller(params: Members): LegacyCaller | ErrorResult;
  /** Runs requests of clients; those of a batch get one response, an array. */
  answerAll(
    requests: readonly RequestMessage[],
    exchange: LegacyExchange,
    isBatch: boolean,
  ): MaybeFuture<RpcResponse>;
}

/** Answers HTTP requests that belong to sessions, of the revisions with a handshake: POST, GET and DELETE with `Mcp-Session-Id`. */
export class SessionHttp {
  readonly host: SessionHost;
  readonly store: SessionStore;
  /** The store of the options, which servers may share. */
  readonly givenStore: SessionStore;
  readonly taskNotifications: TaskNotifications;
  readonly #retryMs: number;
  readonly #pollAfterMs: number | undefined;
  /** Connections of GET requests, by session and stream. */
  readonly #readers = new Map<string, SessionStreamReader>();

  constructor(host: SessionHost, { store, retryMs, pollAfterMs }: SessionSettings) {
    this.host = host;
    this.givenStore = store;
    this.store = withQuietEnds(store, (thrown) => void this.storeErrorReply(thrown));
    this.taskNotifications = new TaskNotifications(host.server.host.clock);
    this.#retryMs = retryMs;
    this.#pollAfterMs = pollAfterMs;
  }

  /** Creates a session after `initialize` and adds its id to the reply, as a header. Status 503 if the store fails. */
  async begin(head: Head, caller: LegacyCaller, response: RpcResponse): Promise<Reply> {
    const id = crypto.randomUUID();
    const principal = callerKey(head.principal);
    try {
      await this.store.put({ id, ...toStoredCaller(caller), principal, logLevel: null, subscriptions: [] });
    } catch (thrown) {
      return this.storeErrorReply(thrown);
    }
    return toReply({ ...response, headers: { [SESSION_HEADER]: id } });
  }

  /** Processes the messages of a POST in a session: answers requests, publishes responses and cancellations. 404 without the session. */
  receive(head: Head, messages: readonly Message[], isBatch: boolean): Promise<Reply> {
    return this.#inSession(head, (session) => {
      if (isBatch && session.version !== "2025-03-26") return batchErrorReply();
      return this.#receive(session, head, messages, isBatch);
    });
  }

  /** Answers a GET request: resumes the stream of `Last-Event-ID`, otherwise opens the session's stream of notifications. */
  open(head: Head): Promise<Reply> {
    return this.#inSession(head, (session) => this.#open(session, head));
  }

  end(head: Head): Promise<Reply> {
    return this.#inSession(head, async ({ id }) => {
      await this.store.delete(id);
      reportSessionEnd(id);
      return { status: 200, headers: {}, body: null };
    });
  }

  /** Closes the connections of GET requests. */
  close(): void {
    for (const reader of [...this.#readers.values()]) reader.close();
  }

  /** Masks and reports an error of the store. Returns the reply for the client: status 503, to be retried. */
  storeErrorReply(thrown: unknown): Reply {
    const { data } = this.host.server.host.dispatch.mask(thrown, { wire: "mcp", part: "sessions" });
    return unavailableReply("MCP sessions are temporarily unavailable; try again", data);
  }

  async #inSession(head: Head, handle: (session: McpSession) => MaybeFuture<Reply>): Promise<Reply> {
    const id = head.metadata.get(SESSION_HEADER);
    if (id === null) return errorReply(400, -32000, "The header Mcp-Session-Id is missing: send initialize first");
    try {
      const session = await findSession(this.store, id, head.principal);
      if (session === undefined) {
        return errorReply(404, -32001, "Unknown or expired session: send initialize first");
      }
      return await handle(session);
    } catch (thrown) {
      return this.storeErrorReply(thrown);
    }
  }

  #receive(session: McpSession, head: Head, messages: readonly Message[], isBatch: boolean): MaybeFuture<Reply> {
    const published = Promise.all(messages.map(async (message) => {
      const event = message.kind === "request" ? undefined : toClientEvent(message);
      if (event !== undefined) await this.store.publish(session.id, event);
    }));
    const requests = messages.filter((message) => message.kind === "request");
    if (requests.length === 0) return published.then(() => ACCEPTED);
    // The requests beside them are answered.
    published.catch((thrown) => this.storeErrorReply(thrown));
    const { server, heartbeats, pending } = this.host;
    const exchange = new SessionExchange({
      host: server.host,
      head,
      store: this.store,
      session,
      heartbeats,
      pending,
      taskNotifications: this.taskNotifications,
      retryMs: this.#retryMs,
      pollAfterMs: this.#pollAfterMs,
      requestIds: requests.map(({ id }) => id),
      notify: (json) => appendNotification(this.store, session.id, json),
      onError: (thrown) => this.storeErrorReply(thrown),
    });
    return exchange.reply(this.host.answerAll(requests, exchange, isBatch));
  }

  /** Opens the stream of the request's last event id, otherwise the notification stream. */
  async #open(session: McpSession, head: Head): Promise<Reply> {
    const { server: { host }, heartbeats } = this.host;
    // Clients reconnect when the server closes their streams. A stream that opens now would not be closed.
    if (host.dispatch.isClosed) return unavailableReply("The server is shutting down");
    const { store } = this;
    const { id } = session;
    const [stream, after] = readEventId(head.metadata.get(LAST_EVENT_HEADER)) ??
      [NOTIFICATION_STREAM, (await store.read(id, NOTIFICATION_STREAM, 0)).at(-1)?.number ?? 0];
    const key = `${id} ${stream}`;
    // The client has reconnected, possibly before this process has noticed that the old connection is closed.
    this.#readers.get(key)?.close();
    head.disableIdleTimeout();
    const onError = (thrown: unknown) => void this.storeErrorReply(thrown);
    const unfollow = stream === NOTIFICATION_STREAM
      ? followChanges(host, store, id, (json) => appendNotification(store, id, json), onError)
      : () => {};
    const onEnd = () => {
      unfollow();
      if (this.#readers.get(key) === reader) this.#readers.delete(key);
    };
    const reader: SessionStreamReader = new SessionStreamReader({
      store,
      session,
      stream,
      after,
      heartbeats,
      onError,
      onEnd,
    });
    this.#readers.set(key, reader);
    reader.follow();
    reader.open(canResume(session) ? resumeBlock(stream, after, this.#retryMs) : KEEP_ALIVE);
    reader.read();
    return await reader.opened ?? unavailableReply("The stream has ended; open it again");
  }
}

/** The members of a stored session that `initialize` determines: protocol version, capabilities and info of the client. */
export function toStoredCaller(
  { version, capabilities, info }: LegacyCaller,
): Pick<McpSession, "version" | "capabilities" | "info"> {
  return { version, capabilities: capabilities as Json, info: (info ?? null) as Json };
}

function readEventId(id: string | null): readonly [stream: string, number: number] | undefined {
  const [, stream, number] = /^([\w-]{1,64}):(\d{1,15})$/.exec(id ?? "") ?? [];
  return stream === undefined ? undefined : [stream, Number(number)];
}
