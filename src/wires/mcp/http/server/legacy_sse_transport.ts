/**
 * The transport of 2024-11-05: a stream that everything comes from, and an endpoint, which the stream tells, that everything is
 * sent to.
 *
 * A session is as old as its stream, and ends with it. Where the stream is open in this process, what is said goes straight to
 * it; else by way of the sessions' store.
 * Source: MCP, revision 2024-11-05, "Transports", "HTTP with SSE".
 *
 * @module
 */
import { type ErrorResult, errorResult } from "../../../../core/call/outcome.ts";
import type { Json } from "../../../../internal/json.ts";
import type { MaybePromise } from "../../../../internal/async.ts";
import { type Answer, errorAnswer, protocolError, refusalAnswer } from "../../server/answer.ts";
import type { Message, RequestMessage } from "../../protocol/messages.ts";
import type { TaskNews } from "../../server/task_notifications.ts";
import type { Head, Reply } from "../../../wire.ts";
import { EndpointExchange } from "./endpoint_exchange.ts";
import type { Say } from "../sessions/request.ts";
import { ACCEPTED, refused, toAnsweredReply, toReply, unavailable } from "./exchange.ts";
import type { SessionHost } from "../sessions/http.ts";
import { followNews, NEWS, noteOf, sayNews } from "../sessions/notifications.ts";
import { findSession, type McpSession, principalId, type SessionStore } from "../sessions/store.ts";
import { SessionReader } from "../sessions/stream.ts";

/** How often a session is told that its stream is still open, in milliseconds: stores forget those that are quiet. */
const TOUCH_MS = 15_000;

/** Serves the streams of one path, and the endpoints below it. */
export class Endpoints {
  readonly #host: SessionHost;
  readonly #store: SessionStore;
  readonly #news: TaskNews;
  readonly #path: string;
  /** Told what the store did not do; gives what a caller is told then. */
  readonly #onError: (thrown: unknown) => Reply;
  /** The streams that are open in this process, by session. */
  readonly #open = new Map<string, SessionReader>();

  constructor(
    host: SessionHost,
    store: SessionStore,
    news: TaskNews,
    path: string,
    onError: (thrown: unknown) => Reply,
  ) {
    this.#host = host;
    this.#store = store;
    this.#news = news;
    this.#path = path;
    this.#onError = onError;
  }

  /** Answers what carries no message: opens a stream, or says what belongs where. `undefined` for what carries one. */
  handle(head: Head): MaybePromise<Reply> | undefined {
    const isStream = idOf(head, this.#path) === "";
    const allow = isStream ? "GET" : "POST";
    if (head.method === allow) return isStream ? this.#stream(head) : undefined;
    const problem = protocolError(-32000, `${head.method} is not allowed here: use ${allow}`, undefined, 405);
    return toReply({ ...errorAnswer(null, problem), headers: { allow } });
  }

  /** Takes messages that were sent to an endpoint. */
  async receive(head: Head, messages: readonly Message[], isBatch: boolean): Promise<Reply> {
    const id = idOf(head, this.#path);
    try {
      const session = await findSession(this.#store, id, head.principal);
      if (session === undefined) {
        return refused(404, -32001, "There is no such endpoint (any more): open a stream");
      }
      if (isBatch && session.version !== "2025-03-26") {
        return toReply(refusalAnswer(null, errorResult("invalid_request", "Send one message at a time")));
      }
      // Who does not read what it is told is not told more.
      await this.#open.get(id)?.room;
      let reply = ACCEPTED;
      for (const message of messages) reply = await this.#take(session, head, message) ?? reply;
      return reply;
    } catch (thrown) {
      return this.#onError(thrown);
    }
  }

  /** Ends what is held open. */
  close(): void {
    for (const reader of [...this.#open.values()]) reader.close();
  }

  async #take(session: McpSession, head: Head, message: Message): Promise<Reply | undefined> {
    if (message.kind === "request") return await this.#answer(session, head, message);
    const note = noteOf(message);
    if (note !== undefined) await this.#store.publish(session.id, note);
    return undefined;
  }

  async #answer(session: McpSession, head: Head, request: RequestMessage): Promise<Reply | undefined> {
    const say = this.#sayTo(session.id);
    const isBeginning = request.method === "initialize";
    const begun = isBeginning ? this.#begun(session, request) : session;
    if ("kind" in begun) return await this.#said(refusalAnswer(request.id, begun), head, say);
    if (isBeginning && (session.capabilities !== null || !await this.#store.put(begun, session))) {
      const refusal = errorResult("invalid_request", "The session has begun already");
      return await this.#said(refusalAnswer(request.id, refusal), head, say);
    }
    const exchange = new EndpointExchange({
      head,
      store: this.#store,
      session: begun,
      requestIds: [request.id],
      pending: this.#host.pending,
      news: this.#news,
      sayNews: say,
      onError: (thrown) => this.#onError(thrown),
    });
    const answer = this.#host.answerAll([request], exchange, false);
    if (!(answer instanceof Promise)) return await this.#said(answer, head, say);
    // It was taken: what becomes of it is told over the stream.
    void exchange.follow(answer);
    return undefined;
  }

  /** Who is not known, or may not, is told by HTTP: that is where clients look for what to do. */
  async #said(answer: Answer, head: Head, say: Say): Promise<Reply | undefined> {
    if (answer.status === 401 || answer.status === 403) return toAnsweredReply(answer, head, this.#host.core.host);
    await say(answer.json);
    return undefined;
  }

  #begun(session: McpSession, { params }: RequestMessage): McpSession | ErrorResult {
    const caller = this.#host.readCaller(params);
    if ("kind" in caller) return caller;
    const { version, capabilities, info } = caller;
    return { ...session, version, capabilities: capabilities as Json, info: (info ?? null) as Json };
  }

  #sayTo(id: string): Say {
    return (json) => {
      const reader = this.#open.get(id);
      return reader === undefined ? sayNews(this.#store, id, json) : reader.say(json);
    };
  }

  /** Opens a stream, whose first event tells where its endpoint is. */
  async #stream(head: Head): Promise<Reply> {
    const { core: { host }, heartbeats } = this.#host;
    if (host.dispatch.closeSignal.aborted) return unavailable("The server is shutting down");
    const session = beginning(head);
    const { id } = session;
    try {
      await this.#store.put(session);
    } catch (thrown) {
      return this.#onError(thrown);
    }
    head.disableIdleTimeout();
    const onError = (thrown: unknown) => void this.#onError(thrown);
    const unfollow = followNews(host, this.#store, id, this.#sayTo(id), onError);
    const unkeep = this.#keep(id, () => reader.close());
    const reader: SessionReader = new SessionReader({
      store: this.#store,
      session,
      stream: NEWS,
      after: 0,
      hasIds: false,
      heartbeats,
      onError,
      onEnd: () => {
        unkeep();
        unfollow();
        this.#open.delete(id);
        void this.#end(id).catch(onError);
      },
    });
    this.#open.set(id, reader);
    reader.open(`event: endpoint\ndata: ${this.#path}/${id}\n\n`);
    return await reader.opened;
  }

  /** Keeps a session while its stream is open, and calls `end` should it be forgotten; until what this returns is called. */
  #keep(id: string, end: () => void): () => void {
    const arm = () =>
      this.#host.heartbeats.add(TOUCH_MS, () => {
        armed = arm();
        void this.#touch(id, end);
      });
    let armed = arm();
    return () => armed.clear();
  }

  async #touch(id: string, end: () => void): Promise<void> {
    try {
      if (await this.#store.get(id) === undefined) end();
    } catch (thrown) {
      this.#onError(thrown);
    }
  }

  async #end(id: string): Promise<void> {
    await this.#store.delete(id);
  }
}

/** What is after the path: the session whose endpoint it is; `""` for the stream itself. */
function idOf({ path }: Head, base: string): string {
  return path.slice(base.length + 1);
}

/** A session of somebody who has not said yet what it is. */
function beginning({ principal }: Head): McpSession {
  return {
    id: crypto.randomUUID(),
    version: "2024-11-05",
    capabilities: null,
    info: null,
    principal: principalId(principal),
    logLevel: null,
    subscriptions: [],
  };
}
