import type { Redis } from "ioredis";
import type { RedisConnection } from "../../jobs/engines/redis/connection.ts";
import { Listeners } from "../../internal/async.ts";
import { type OptionRules, wholeNumber } from "../../internal/options.ts";
import type {
  ClientEvent,
  McpSession,
  SessionEvent,
  SessionStore,
  StoredMessage,
} from "../../wires/mcp/http/sessions/store.ts";
import { type Backlog, ChannelWithBacklog } from "./channel_with_backlog.ts";
import { openRedis } from "./open_redis.ts";
import { REDIS_RULES, type RedisOptions } from "./options.ts";
import { type Entry, fieldOf, toMessage, toNote, toSession } from "./session_records.ts";
import { APPEND, DELETE, DROP, GET, NOTE, PUT, READ_BACKLOG } from "./session_scripts.ts";
import { RecentMap } from "../../internal/recent_map.ts";

/** Options of {@link redisSessionStore}. */
export interface RedisSessionStoreOptions extends RedisOptions {
  /** Time to live of a session after its last request, in milliseconds. Default: 3,600,000 (one hour). */
  readonly ttlMs?: number | undefined;
  /** Maximum number of sessions of all replicas. The least recently used one is deleted. Default: 100,000. */
  readonly maxSessions?: number | undefined;
}

const RULES: OptionRules<RedisSessionStoreOptions> = {
  ...REDIS_RULES,
  ttlMs: wholeNumber(1, "milliseconds"),
  maxSessions: wholeNumber(1),
};

/** Store of MCP sessions in Redis, which replicas share, for `mcp({ sessions: mcpSessions({ store }) })`. */
export interface RedisSessionStore extends SessionStore {
  /** Closes the connections. The sessions remain in Redis. The server that has the store calls it when it is closed. */
  close(): void;
}

/** Maximum number of messages of a stream. */
const MAX_MESSAGES = 1_024;

/** Maximum number of streams of a session; only ended ones are deleted. */
const MAX_STREAMS = 1_024;

/** Maximum size of all streams of a session in bytes. A single larger one is kept. */
const MAX_BYTES = 4_194_304;

/** Maximum number of notes in the backlog of a session: responses to questions, and cancellations. */
const MAX_NOTES = 256;

/** Maximum size of these notes in bytes. A response is at most as long as a request may be. */
const MAX_NOTE_BYTES = 4_194_304;

/** Maximum number of sessions whose last message number is cached from their last request, for later subscriptions. */
const MAX_NUMBERS = 10_000;

/**
 * Sessions of older MCP revisions in Redis: each replica can serve each session. A question of one replica can be answered through
 * another, a stream can be resumed at another, and a request can be cancelled through any of them.
 *
 * Needs the package `ioredis`, which is not installed with Toolwire, and Redis 6.2 or later. Connects at the first use; the
 * connections keep the process alive until the server that has the store is closed, or the last of several. While Redis cannot be reached,
 * requests of sessions are answered with status 503; messages of running calls wait for up to 30 seconds.
 *
 * @example Sessions that replicas share
 * ```ts fragment tools
 * import { createServer } from "jsr:@toolwire/toolwire";
 * import { mcp, mcpSessions } from "jsr:@toolwire/toolwire/mcp";
 * import { redisChangeBus, redisSessionStore } from "jsr:@toolwire/toolwire/redis";
 * import { keysFromEnv } from "jsr:@toolwire/toolwire/serve";
 *
 * const redis = "redis://127.0.0.1:6379";
 * const server = createServer({
 *   tools,
 *   keys: keysFromEnv(),
 *   changes: redisChangeBus({ redis }),
 *   wires: [mcp({ sessions: mcpSessions({ store: redisSessionStore({ redis }) }) })],
 * });
 * ```
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If another option is invalid or unknown.
 */
export function redisSessionStore(options: RedisSessionStoreOptions): RedisSessionStore {
  return new SharedSessionStore(openRedis("redisSessionStore", "keep sessions in Redis", options, RULES), options);
}

/** MCP sessions and their messages in Redis, for all replicas. */
class SharedSessionStore implements RedisSessionStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #ttlMs: number;
  readonly #maxSessions: number;
  readonly #listeners = new Map<string, Listeners<SessionEvent>>();
  readonly #numbers = new RecentMap<string>(MAX_NUMBERS);
  /** Last pending append of each stream. */
  readonly #appends = new Map<string, Promise<void>>();

  constructor(connection: RedisConnection, options: RedisSessionStoreOptions) {
    const { name = "toolwire", ttlMs = 3_600_000, maxSessions = 100_000 } = options;
    this.#connection = connection;
    // The braces are a hash tag: on a cluster, all keys are in one slot.
    this.#prefix = `{${name}}:mcp:`;
    this.#ttlMs = ttlMs;
    this.#maxSessions = maxSessions;
  }

  async put(session: McpSession, before?: McpSession): Promise<boolean> {
    const expected = before === undefined ? "" : JSON.stringify(before);
    const values = [this.#ttlMs, JSON.stringify(session), expected, this.#maxSessions, `${this.#prefix}session:`];
    return await this.#run(PUT, session.id, session.id, ...values) === 1;
  }

  async get(id: string): Promise<McpSession | undefined> {
    if (!isId(id)) return undefined;
    const found = await this.#run(GET, id, id, this.#ttlMs).catch((error) => {
      // The key holds something other than a session, so the caller starts a new one. Reported already.
      if (!String(error).includes("WRONGTYPE")) throw error;
    });
    if (!Array.isArray(found)) return undefined;
    const session = toSession(found[0], id);
    if (session === undefined) this.#reportInvalid();
    this.#numbers.set(id, String(found[1]));
    return session;
  }

  async delete(id: string): Promise<void> {
    await this.#run(DELETE, id, id);
  }

  append(id: string, stream: string, json: string, isLast: boolean): Promise<void> {
    const nonce = crypto.randomUUID();
    const note = JSON.stringify({ kind: "message", stream } satisfies SessionEvent);
    const limits = [this.#ttlMs, MAX_MESSAGES, MAX_STREAMS, MAX_BYTES];
    const values = [stream, json, isLast ? 1 : 0, nonce, ...limits, note];
    const key = `${id}:${stream}`;
    const before = this.#appends.get(key);
    const appended = (before ?? Promise.resolve()).then(async () => {
      const isKept = await this.#connection.requestWithRetry(this.#script(APPEND, id, values)) === 1;
      // The session has expired, which is not published. Without this note, readers of the stream would wait for ever.
      if (!isKept) this.#listeners.get(id)?.notify({ kind: "ended" });
    });
    const done = appended.catch(() => {}).then(() => {
      if (this.#appends.get(key) === done) this.#appends.delete(key);
    });
    this.#appends.set(key, done);
    return appended;
  }

  async read(id: string, stream: string, after: number): Promise<readonly StoredMessage[]> {
    const key = `${this.#keyOf(id)}:stream:${stream}`;
    const from = `${after + 1}-0`;
    const entries: readonly Entry[] = await this.#connection.requestWithRetry((client) =>
      client.xrange(key, from, "+")
    );
    const messages = entries.map(toMessage);
    if (messages.includes(undefined)) this.#reportInvalid();
    return messages.filter((message) => message !== undefined);
  }

  async drop(id: string, stream: string, upTo: number): Promise<void> {
    await this.#run(DROP, id, stream, upTo);
  }

  async publish(id: string, note: ClientEvent): Promise<void> {
    await this.#run(NOTE, id, JSON.stringify(note), this.#ttlMs, MAX_NOTES, MAX_NOTE_BYTES);
  }

  subscribe(id: string, listener: (note: SessionEvent) => void): () => void {
    let listeners = this.#listeners.get(id);
    if (listeners === undefined) {
      listeners = new Listeners<SessionEvent>(() => {
        this.#listeners.delete(id);
        unsubscribe();
      });
      this.#listeners.set(id, listeners);
      const unsubscribe = this.#connection.channels.subscribe(this.#keyOf(id), this.#createChannel(id, listeners));
    }
    return listeners.add(listener);
  }

  close(): void {
    this.#connection.close();
  }

  #createChannel(id: string, listeners: Listeners<SessionEvent>): ChannelWithBacklog<SessionEvent> {
    return new ChannelWithBacklog({
      // A session is read before its channel is subscribed to: the number of that time is where the backlog starts.
      cursor: this.#numbers.get(id) ?? "0",
      decode: (text) => {
        const note = toNote(text);
        if (note === undefined) this.#reportInvalid();
        return note;
      },
      readBacklog: (cursor = "0") => this.#readBacklog(id, cursor),
      emit: (note) => listeners.notify(note),
    });
  }

  async #readBacklog(id: string, cursor: string): Promise<Backlog<SessionEvent>> {
    const after = Number.parseInt(cursor, 10) || 0;
    const backlog = await this.#connection.requestWithRetry(this.#script(READ_BACKLOG, id, [after]));
    if (!Array.isArray(backlog)) return { messages: [{ kind: "ended" }], cursor };
    const [last, streams, entries] = backlog as [string, readonly string[], readonly Entry[]];
    const notes = entries.map((entry) => toNote(fieldOf(entry, "json")));
    if (notes.includes(undefined)) this.#reportInvalid();
    return {
      messages: [
        ...notes.filter((note) => note !== undefined),
        ...streams.map((stream): SessionEvent => ({ kind: "message", stream })),
      ],
      cursor: last,
    };
  }

  #run(script: string, id: string, ...values: (string | number)[]): Promise<unknown> {
    return this.#connection.request(this.#script(script, id, values));
  }

  #script(script: string, id: string, values: readonly (string | number)[]): (client: Redis) => Promise<unknown> {
    const keys = [this.#keyOf(id), `${this.#prefix}sessions`];
    return (client) => client.eval(script, keys.length, ...keys, ...values);
  }

  /** The message does not contain the id of the session, which is a secret. */
  #reportInvalid(): void {
    this.#connection.errors.report(new Error("Cannot read a record of an MCP session from Redis: it is invalid"));
  }

  #keyOf(id: string): string {
    return `${this.#prefix}session:${id}`;
  }
}

/** Whether an id has the form of generated ids. Others are rejected, so that they cannot name other keys. */
function isId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}
