/**
 * Older MCP revisions over HTTP, with sessions or without.
 *
 * @module
 */
import { refuse } from "../../call/outcome.ts";
import type { Deadlines } from "../../internal/deadlines.ts";
import type { Json } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import { type Answer, errorAnswer, protocolError, refusalAnswer } from "../../mcp/answer.ts";
import type { Core } from "../../mcp/core.ts";
import type { InputRequest } from "../../mcp/input_requests.ts";
import { Legacy, type LegacyCaller, type LegacyExchange } from "../../mcp/legacy.ts";
import { type Filter, newsOf } from "../../mcp/listens.ts";
import { notification } from "../../mcp/call_sink.ts";
import type { Message, Notification, Request, Response } from "../../mcp/message.ts";
import { PendingRequests } from "../../mcp/pending_requests.ts";
import { isLegacyVersion, LEGACY_VERSIONS, type LegacyVersion } from "../../mcp/words.ts";
import type { Head, Reply } from "../wire.ts";
import { ACCEPTED, HttpExchange, toReply } from "./exchange.ts";
import { VERSION_HEADER } from "./headers.ts";
import { noteOf, SessionExchange } from "./session_exchange.ts";
import { SessionReader } from "./session_stream.ts";
import type { McpSession, SessionStore } from "./sessions.ts";

/** How older revisions are served. */
export interface LegacyHttpOptions {
  /**
   * Where sessions are kept, such as `memorySessions()`; with them come GET streams, news of changes, and streams that can
   * be taken up again. Default: no sessions.
   */
  readonly sessions?: SessionStore | undefined;
  /** How long a client waits until it takes a stream up again, in milliseconds. Default: 1,000. */
  readonly retryMs?: number | undefined;
  /**
   * After how long the connection of a request is closed that goes on, in milliseconds: its client comes back for the rest.
   * For 2025-11-25 with sessions. Default: never.
   */
  readonly pollAfterMs?: number | undefined;
}

const SESSION_HEADER = "mcp-session-id";
const LAST_EVENT_HEADER = "last-event-id";

/** The stream of what belongs to no request. */
const NEWS = "news";

/** Serves older revisions. */
export class LegacyHttp {
  readonly #core: Core;
  readonly #legacy: Legacy;
  readonly #heartbeats: Deadlines;
  readonly #store: SessionStore | undefined;
  readonly #retryMs: number;
  readonly #pollAfterMs: number | undefined;
  readonly #pending: PendingRequests;
  /** Connections that read news or take streams up again, by session and stream. */
  readonly #readers = new Map<string, SessionReader>();

  constructor(core: Core, heartbeats: Deadlines, options: LegacyHttpOptions) {
    const { sessions, retryMs = 1_000, pollAfterMs } = options;
    for (const [name, ms] of Object.entries({ retryMs, pollAfterMs: pollAfterMs ?? 1 })) {
      if (!(Number.isInteger(ms) && ms > 0)) {
        throw new RangeError(`Cannot serve MCP: ${name} must be a whole number of milliseconds above 0, not ${ms}`);
      }
    }
    this.#core = core;
    this.#heartbeats = heartbeats;
    this.#store = sessions;
    this.#retryMs = retryMs;
    this.#pollAfterMs = pollAfterMs;
    this.#legacy = new Legacy(core, sessions !== undefined);
    this.#pending = new PendingRequests(core.host.clock, core.settings.askTimeoutMs);
  }

  /** Takes one message. */
  receive(head: Head, message: Message): MaybePromise<Reply> {
    if (message.kind === "request" && message.method === "initialize") return this.#initialize(head, message);
    return this.#store === undefined
      ? this.#receiveAlone(head, [message], false)
      : this.#inSession(head, (session, store) => {
        return this.#receiveIn(session, store, head, [message], false);
      });
  }

  /** Takes several messages at once, as 2025-03-26 has it. */
  receiveBatch(head: Head, batch: readonly Message[]): MaybePromise<Reply> {
    if (batch.some((message) => message.kind === "request" && message.method === "initialize")) {
      return toReply(refusalAnswer(null, refuse("invalid_request", "initialize comes alone")));
    }
    const receive = (version: LegacyVersion, then: () => MaybePromise<Reply>) => {
      if (version === "2025-03-26") return then();
      return toReply(refusalAnswer(null, refuse("invalid_request", "Send one message at a time")));
    };
    if (this.#store === undefined) {
      const version = versionOf(head);
      return version === undefined ? unsupported(head) : receive(version, () => this.#receiveAlone(head, batch, true));
    }
    return this.#inSession(head, (session, store) => {
      return receive(session.version, () => this.#receiveIn(session, store, head, batch, true));
    });
  }

  /** Answers what is no POST: streams of sessions, and their end. */
  handleOther(head: Head): MaybePromise<Reply> {
    const isOffered = this.#store !== undefined;
    if (isOffered && head.method === "GET") {
      return this.#inSession(head, (session, store) => this.#open(session, store, head));
    }
    if (isOffered && head.method === "DELETE") return this.#inSession(head, (session, store) => end(session, store));
    const allow = isOffered ? "POST, GET, DELETE" : "POST";
    const problem = protocolError(-32000, `${head.method} is not allowed here: use ${allow}`, undefined, 405);
    return toReply({ ...errorAnswer(null, problem), headers: { allow } });
  }

  /** Ends what is held open. */
  close(): void {
    for (const reader of [...this.#readers.values()]) reader.close();
  }

  #initialize(head: Head, request: Request): MaybePromise<Reply> {
    if (head.metadata.get(SESSION_HEADER) !== null && this.#store !== undefined) {
      return toReply(refusalAnswer(request.id, refuse("invalid_request", "The session has begun already")));
    }
    const caller = this.#legacy.readCaller(request.params);
    const exchange = this.#alone(head, caller);
    const answer = this.#legacy.answer(request, exchange) as Answer;
    return this.#store === undefined ? toReply(answer) : this.#begin(head, caller, answer, this.#store);
  }

  async #begin(head: Head, caller: LegacyCaller, answer: Answer, store: SessionStore): Promise<Reply> {
    const id = crypto.randomUUID();
    await store.put({
      id,
      version: caller.version,
      capabilities: caller.capabilities as Json,
      info: (caller.info ?? null) as Json,
      principal: head.principal?.id ?? "",
      logLevel: null,
      subscriptions: [],
    });
    return toReply({ ...answer, headers: { [SESSION_HEADER]: id } });
  }

  /** Without a session nothing is known of a caller but what the request says. */
  #receiveAlone(head: Head, messages: readonly Message[], isBatch: boolean): MaybePromise<Reply> {
    for (const message of messages) if (message.kind === "response") this.#pending.settle(message);
    const requests = messages.filter((message) => message.kind === "request");
    if (requests.length === 0) return ACCEPTED;
    const version = versionOf(head);
    if (version === undefined) return unsupported(head, requests[0]);
    const exchange = this.#alone(head, { version, capabilities: undefined, info: undefined, logLevel: undefined });
    return exchange.reply(this.#answerAll(requests, exchange, isBatch));
  }

  #alone(head: Head, caller: LegacyCaller): StatelessExchange {
    return new StatelessExchange(head, this.#heartbeats, caller, this.#pending);
  }

  #receiveIn(
    session: McpSession,
    store: SessionStore,
    head: Head,
    messages: readonly Message[],
    isBatch: boolean,
  ): MaybePromise<Reply> {
    const told = messages.flatMap((message) => message.kind === "request" ? [] : tell(session, store, message));
    const requests = messages.filter((message) => message.kind === "request");
    if (requests.length === 0) return Promise.all(told).then(() => ACCEPTED);
    const exchange = new SessionExchange({
      head,
      store,
      session,
      heartbeats: this.#heartbeats,
      pending: this.#pending,
      retryMs: this.#retryMs,
      pollAfterMs: this.#pollAfterMs,
      requestIds: requests.map(({ id }) => id),
    });
    return exchange.reply(this.#answerAll(requests, exchange, isBatch));
  }

  #answerAll(requests: readonly Request[], exchange: LegacyExchange, isBatch: boolean): MaybePromise<Answer> {
    const [first] = requests;
    if (!isBatch && first !== undefined) {
      const answer = this.#legacy.answer(first, exchange);
      return answer instanceof Promise ? answer.then(withLegacyStatus) : withLegacyStatus(answer);
    }
    return Promise.all(requests.map((request) => this.#legacy.answer(request, exchange))).then((answers) => {
      return { status: 200, json: `[${answers.map(({ json }) => json).join(",")}]` };
    });
  }

  async #inSession(
    head: Head,
    then: (session: McpSession, store: SessionStore) => MaybePromise<Reply>,
  ): Promise<Reply> {
    const store = this.#store as SessionStore;
    const id = head.metadata.get(SESSION_HEADER);
    if (id === null) return refused(400, -32000, "The header Mcp-Session-Id is needed: begin with initialize");
    const session = await store.get(id);
    if (session === undefined || session.principal !== (head.principal?.id ?? "")) {
      return refused(404, -32001, "There is no such session (any more): begin with initialize");
    }
    if (versionOf(head) === undefined) return unsupported(head);
    return await then(session, store);
  }

  /** A stream over GET: one that was broken off, or that of news. */
  async #open(session: McpSession, store: SessionStore, head: Head): Promise<Reply> {
    const [stream, after] = readEventId(head.metadata.get(LAST_EVENT_HEADER)) ??
      [NEWS, (await store.read(session.id, NEWS, 0)).at(-1)?.number ?? 0];
    const key = `${session.id} ${stream}`;
    // The client has come again: what it has left may not be known here yet.
    this.#readers.get(key)?.close();
    head.keepOpen();
    const unfollow = stream === NEWS ? this.#followNews(session, store) : () => {};
    const reader: SessionReader = new SessionReader({
      store,
      session,
      stream,
      after,
      heartbeats: this.#heartbeats,
      retryMs: this.#retryMs,
      onEnd: () => {
        unfollow();
        if (this.#readers.get(key) === reader) this.#readers.delete(key);
      },
    });
    this.#readers.set(key, reader);
    reader.open();
    reader.read();
    return await reader.opened;
  }

  /** Puts changes on the stream of news, while somebody reads it. */
  #followNews({ id }: McpSession, store: SessionStore): () => void {
    const { catalog, changes } = this.#core.host;
    const lists: Filter = {
      toolsListChanged: true,
      ...(catalog !== undefined && catalog.prompts.length > 0 && { promptsListChanged: true }),
      ...(catalog?.hasResources === true && { resourcesListChanged: true }),
    };
    return changes.subscribe((change) => {
      void (async () => {
        const { subscriptions = [] } = await store.get(id) ?? {};
        const news = newsOf(change, { ...lists, resourceSubscriptions: subscriptions });
        if (news === undefined) return;
        await store.append(id, NEWS, notification(...news), false);
        await store.publish(id, { kind: "message", stream: NEWS });
      })().catch((thrown) => this.#core.host.dispatch.mask(thrown, { session: "news" }));
    });
  }
}

/** A request without a session. It can be asked something back, by whoever has this process answer. */
class StatelessExchange extends HttpExchange implements LegacyExchange {
  readonly caller: LegacyCaller;
  readonly #pending: PendingRequests;

  constructor(head: Head, heartbeats: Deadlines, caller: LegacyCaller, pending: PendingRequests) {
    super(head, heartbeats);
    this.caller = caller;
    this.#pending = pending;
  }

  get ask(): ((request: InputRequest) => Promise<Response | undefined>) | undefined {
    const channel = this.channel();
    return channel && ((request) => this.#pending.ask(request, (json) => channel.send(json), channel.left));
  }

  remember(): void {
    // There is no later for whom to keep it.
  }
}

/** Errors of requests came with 200; a 404 would mean that the session is over. */
function withLegacyStatus(answer: Answer): Answer {
  return answer.status === 400 || answer.status === 404 ? { ...answer, status: 200 } : answer;
}

function tell(session: McpSession, store: SessionStore, message: Notification | Response): MaybePromise<void>[] {
  if (message.kind === "response") return [store.publish(session.id, noteOf(message))];
  const { requestId } = message.params;
  if (message.method !== "notifications/cancelled") return [];
  if (typeof requestId !== "string" && typeof requestId !== "number") return [];
  return [store.publish(session.id, { kind: "cancelled", requestId })];
}

async function end({ id }: McpSession, store: SessionStore): Promise<Reply> {
  await store.publish(id, { kind: "ended" });
  await store.delete(id);
  return { status: 200, headers: {}, body: null };
}

/** The revision that a request names; the oldest if it names none, as that one has no header for it. */
function versionOf(head: Head): LegacyVersion | undefined {
  const version = head.metadata.get(VERSION_HEADER);
  if (version === null) return "2025-03-26";
  return isLegacyVersion(version) ? version : undefined;
}

function unsupported(head: Head, request?: Request): Reply {
  const version = head.metadata.get(VERSION_HEADER)?.slice(0, 64);
  const message = `Unsupported protocol version: ${version}; there are ${LEGACY_VERSIONS.join(", ")}`;
  return toReply(errorAnswer(request?.id ?? null, protocolError(-32000, message)));
}

function refused(status: number, number: number, message: string): Reply {
  return toReply(errorAnswer(null, protocolError(number, message, undefined, status)));
}

/** Which stream an event was of, and its number. */
function readEventId(id: string | null): readonly [stream: string, number: number] | undefined {
  const [, stream, number] = /^([\w-]{1,64}):(\d{1,15})$/.exec(id ?? "") ?? [];
  return stream === undefined ? undefined : [stream, Number(number)];
}
