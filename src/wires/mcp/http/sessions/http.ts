/**
 * Sessions of older revisions over HTTP.
 *
 * Carried by the sessions that `mcp()` is given, so that a server without any does not carry the code.
 *
 * @module
 */
import type { ErrorResult } from "../../../../core/call/outcome.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import type { Json, Members } from "../../../../internal/json.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import type { Answer } from "../../server/answer.ts";
import type { Core } from "../../server/mcp_server.ts";
import type { LegacyCaller, LegacyExchange } from "../../server/legacy.ts";
import type { Message, NotificationMessage, RequestMessage, ResponseMessage } from "../../protocol/messages.ts";
import { TaskNews } from "../../server/task_notifications.ts";
import type { PendingRequests } from "../../server/pending_requests.ts";
import type { LegacyVersion } from "../../protocol/constants.ts";
import type { Head, Reply } from "../../../wire.ts";
import { Endpoints } from "../server/legacy_sse_transport.ts";
import { ACCEPTED, KEEP_ALIVE, refused, toReply, unavailable } from "../server/exchange.ts";
import { SessionExchange } from "./exchange.ts";
import { followNews, NEWS, noteOf, sayNews } from "./notifications.ts";
import { canResume, howToResume, SessionReader } from "./stream.ts";
import { SESSION_HEADER } from "../../protocol/header_values.ts";
import { findSession, type McpSession, principalId, type SessionStore } from "./store.ts";

const LAST_EVENT_HEADER = "last-event-id";

/** How connections of sessions behave. */
export interface SessionOptions {
  /** How long a client waits until it takes a stream up again, in milliseconds. Default: 1,000. */
  readonly retryMs?: number | undefined;
  /**
   * After how long the connection of a request is closed that goes on, in milliseconds: its client comes back for the rest.
   * For 2025-11-25. Default: never.
   */
  readonly pollAfterMs?: number | undefined;
}

/** What sessions need of the wire. */
export interface SessionHost {
  /** What the revisions have in common. */
  readonly core: Core;
  /** For keep-alives. */
  readonly heartbeats: Deadlines;
  /** What clients were asked. */
  readonly pending: PendingRequests;
  /** What a caller says of itself as it begins, unless that is too much. */
  readCaller(params: Members): LegacyCaller | ErrorResult;
  /** Answers requests; of a batch, as one. */
  answerAll(requests: readonly RequestMessage[], exchange: LegacyExchange, isBatch: boolean): MaybePromise<Answer>;
}

/** Serves sessions. */
export class SessionHttp {
  readonly #host: SessionHost;
  readonly #store: SessionStore;
  readonly #news: TaskNews;
  readonly #retryMs: number;
  readonly #pollAfterMs: number | undefined;
  /** Connections over GET, by session and stream. */
  readonly #readers = new Map<string, SessionReader>();

  constructor(host: SessionHost, store: SessionStore, { retryMs = 1_000, pollAfterMs }: SessionOptions) {
    this.#host = host;
    this.#store = store;
    this.#news = new TaskNews(host.core.host.clock);
    this.#retryMs = retryMs;
    this.#pollAfterMs = pollAfterMs;
  }

  /** The transport of 2024-11-05, whose streams are at this path. */
  endpoints(path: string): Endpoints {
    return new Endpoints(this.#host, this.#store, this.#news, path, (thrown) => this.#broken(thrown));
  }

  /** Begins a session; its id goes with the answer. */
  async begin(head: Head, caller: LegacyCaller, answer: Answer): Promise<Reply> {
    const id = crypto.randomUUID();
    try {
      await this.#store.put({
        id,
        version: caller.version,
        capabilities: caller.capabilities as Json,
        info: (caller.info ?? null) as Json,
        principal: principalId(head.principal),
        logLevel: null,
        subscriptions: [],
      });
    } catch (thrown) {
      return this.#broken(thrown);
    }
    return toReply({ ...answer, headers: { [SESSION_HEADER]: id } });
  }

  /** Takes messages of a session, unless `refuse` has a word against its revision. */
  receive(
    head: Head,
    messages: readonly Message[],
    isBatch: boolean,
    refuse: (version: LegacyVersion) => Reply | undefined,
  ): Promise<Reply> {
    return this.#inSession(head, (session) => {
      return refuse(session.version) ?? this.#receiveIn(session, head, messages, isBatch);
    });
  }

  /** Opens a stream over GET. */
  open(head: Head): Promise<Reply> {
    return this.#inSession(head, (session) => this.#open(session, head));
  }

  /** Ends a session. */
  end(head: Head): Promise<Reply> {
    return this.#inSession(head, async ({ id }) => {
      await this.#store.delete(id);
      return { status: 200, headers: {}, body: null };
    });
  }

  /** Ends what is held open. */
  close(): void {
    for (const reader of [...this.#readers.values()]) reader.close();
  }

  async #inSession(head: Head, then: (session: McpSession) => MaybePromise<Reply>): Promise<Reply> {
    const id = head.metadata.get(SESSION_HEADER);
    if (id === null) return refused(400, -32000, "The header Mcp-Session-Id is needed: begin with initialize");
    try {
      const session = await findSession(this.#store, id, head.principal);
      if (session === undefined) {
        return refused(404, -32001, "There is no such session (any more): begin with initialize");
      }
      return await then(session);
    } catch (thrown) {
      return this.#broken(thrown);
    }
  }

  /** What a caller is told where the store failed. */
  #broken(thrown: unknown): Reply {
    const { data } = this.#host.core.host.dispatch.mask(thrown, { wire: "mcp", part: "sessions" });
    return unavailable("MCP sessions cannot be reached now; try again", data);
  }

  #receiveIn(session: McpSession, head: Head, messages: readonly Message[], isBatch: boolean): MaybePromise<Reply> {
    const told = messages.map((message) => message.kind === "request" ? undefined : this.#tell(session, message));
    const requests = messages.filter((message) => message.kind === "request");
    if (requests.length === 0) return Promise.all(told).then(() => ACCEPTED);
    const { core, heartbeats, pending } = this.#host;
    const exchange = new SessionExchange({
      host: core.host,
      head,
      store: this.#store,
      session,
      heartbeats,
      pending,
      news: this.#news,
      retryMs: this.#retryMs,
      pollAfterMs: this.#pollAfterMs,
      requestIds: requests.map(({ id }) => id),
      sayNews: (json) => sayNews(this.#store, session.id, json),
      onError: (thrown) => this.#broken(thrown),
    });
    return exchange.reply(this.#host.answerAll(requests, exchange, isBatch));
  }

  #tell({ id }: McpSession, message: NotificationMessage | ResponseMessage): MaybePromise<void> {
    const note = noteOf(message);
    return note && this.#store.publish(id, note);
  }

  /** A stream over GET: one that was broken off, or that of news. */
  async #open(session: McpSession, head: Head): Promise<Reply> {
    // Clients come again when their stream is closed; what is opened now, nobody would close.
    if (this.#host.core.host.dispatch.closeSignal.aborted) return unavailable("The server is shutting down");
    const [stream, after] = readEventId(head.metadata.get(LAST_EVENT_HEADER)) ??
      [NEWS, (await this.#store.read(session.id, NEWS, 0)).at(-1)?.number ?? 0];
    const key = `${session.id} ${stream}`;
    // The client has come again: what it has left may not be known here yet.
    this.#readers.get(key)?.close();
    head.disableIdleTimeout();
    const { id } = session;
    const onError = (thrown: unknown) => void this.#broken(thrown);
    const unfollow = stream === NEWS
      ? followNews(this.#host.core.host, this.#store, id, (json) => sayNews(this.#store, id, json), onError)
      : () => {};
    const reader: SessionReader = new SessionReader({
      store: this.#store,
      session,
      stream,
      after,
      heartbeats: this.#host.heartbeats,
      onError,
      onEnd: () => {
        unfollow();
        if (this.#readers.get(key) === reader) this.#readers.delete(key);
      },
    });
    this.#readers.set(key, reader);
    reader.open(canResume(session) ? howToResume(stream, after, this.#retryMs) : KEEP_ALIVE);
    reader.read();
    return await reader.opened;
  }
}

/** Which stream an event was of, and its number. */
function readEventId(id: string | null): readonly [stream: string, number: number] | undefined {
  const [, stream, number] = /^([\w-]{1,64}):(\d{1,15})$/.exec(id ?? "") ?? [];
  return stream === undefined ? undefined : [stream, Number(number)];
}
