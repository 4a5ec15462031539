import type { Redis } from "ioredis";
import { Listeners } from "../../internal/async.ts";
import { type OptionRules, wholeNumber } from "../../internal/options.ts";
import type {
  ClientNote,
  McpSession,
  SessionNote,
  SessionStore,
  StoredMessage,
} from "../../wires/mcp/http/sessions/store.ts";
import { RedisConnection } from "./connection.ts";
import { checkRedisOptions, REDIS_RULES, type RedisOptions } from "./options.ts";
import { Follower, type Missed } from "./channel_with_backlog.ts";
import { type Entry, fieldOf, toMessage, toNote, toSession } from "./session_records.ts";
import { APPEND, DELETE, DROP, GET, MISSED, NOTE, PUT } from "./session_scripts.ts";

/** Options of {@link redisSessionStore}. */
export interface RedisSessionStoreOptions extends RedisOptions {
  /** How long a session lasts after its last request, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number;
  /** Most sessions at once, of all replicas; the one that was quiet longest has to go. Default: 100,000. */
  readonly maxSessions?: number;
}

const RULES: OptionRules<RedisSessionStoreOptions> = {
  ...REDIS_RULES,
  ttlMs: wholeNumber(1, "milliseconds"),
  maxSessions: wholeNumber(1),
};

/** Sessions in Redis, for `sessionsIn`. */
export interface RedisSessionStore extends SessionStore {
  /** Ends the connections; what is kept stays. */
  close(): void;
}

/** Messages that are kept of a stream. */
const MAX_MESSAGES = 1_024;

/** Streams that are kept of a session once they have ended. */
const MAX_STREAMS = 1_024;

/** Bytes that are kept of a session's streams; one that is longer by itself is kept whole. */
const MAX_BYTES = 4_194_304;

/** What clients have said to questions and of cancellations, and for whom that is kept who could not hear it. */
const MAX_NOTES = 256;

/** Bytes of it. A response is at most as long as a request may be. */
const MAX_NOTE_BYTES = 4_194_304;

/** Sessions whose last number is remembered from their last request: for those who begin to listen in it. */
const MAX_NUMBERS = 10_000;

/**
 * Sessions of older MCP revisions in Redis: any replica can serve any of them. A question that one replica has asked can be
 * answered at another, a stream that one has begun be taken up at another, and a request be cancelled anywhere.
 *
 * Needs `ioredis`, which is not installed with Toolwire, and Redis 6.2 or later. Connects when it is first used; the connections
 * keep the process alive until `close()`, which belongs after the server's. While Redis cannot be reached, requests of sessions
 * are answered with 503; what calls under way have to say waits up to 30 seconds for it.
 *
 * @example Sessions that replicas share
 * ```ts fragment
 * import { mcp, sessionsIn } from "jsr:@toolwire/toolwire/mcp";
 * import { redisChangeBus, redisSessionStore } from "jsr:@toolwire/toolwire/redis";
 *
 * const redis = "redis://127.0.0.1:6379";
 * const server = createServer({
 *   tools,
 *   keys: keysFromEnv(),
 *   changes: redisChangeBus({ redis }),
 *   wires: [mcp({ sessions: sessionsIn(redisSessionStore({ redis })) })],
 * });
 * ```
 * @throws {RangeError} If a number is not one that it may be.
 * @throws {TypeError} If another option is not what it should be, or there is no such option.
 */
export function redisSessionStore(options: RedisSessionStoreOptions): RedisSessionStore {
  checkRedisOptions("keep sessions in Redis", options, RULES);
  return new Store(options);
}

class Store implements RedisSessionStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #ttlMs: number;
  readonly #maxSessions: number;
  readonly #listeners = new Map<string, Listeners<SessionNote>>();
  readonly #numbers = new Map<string, string>();
  /** The last append of each stream that is not done. */
  readonly #appends = new Map<string, Promise<void>>();

  constructor(options: RedisSessionStoreOptions) {
    const { name = "toolwire", ttlMs = 3_600_000, maxSessions = 100_000 } = options;
    this.#connection = new RedisConnection("redisSessionStore", "MCP sessions cannot be kept in Redis now:", options);
    // In braces: on a cluster, all of it is kept in one place.
    this.#prefix = `{${name}}:mcp:`;
    this.#ttlMs = ttlMs;
    this.#maxSessions = maxSessions;
  }

  async put(session: McpSession, before?: McpSession): Promise<boolean> {
    const was = before === undefined ? "" : JSON.stringify(before);
    const more = [JSON.stringify(session), was, this.#maxSessions, `${this.#prefix}session:`];
    return await this.#run(PUT, session.id, session.id, this.#ttlMs, ...more) === 1;
  }

  async get(id: string): Promise<McpSession | undefined> {
    if (!isId(id)) return undefined;
    const found = await this.#run(GET, id, id, this.#ttlMs).catch((error) => {
      // Whatever is there is no session: its caller begins anew. It was told.
      if (!String(error).includes("WRONGTYPE")) throw error;
    });
    if (!Array.isArray(found)) return undefined;
    const session = toSession(found[0], id);
    if (session === undefined) this.#reportJunk();
    this.#rememberNumber(id, String(found[1]));
    return session;
  }

  async delete(id: string): Promise<void> {
    await this.#run(DELETE, id, id);
  }

  append(id: string, stream: string, json: string, isLast: boolean): Promise<void> {
    const nonce = crypto.randomUUID();
    const note = JSON.stringify({ kind: "message", stream } satisfies SessionNote);
    const limits = [this.#ttlMs, MAX_MESSAGES, MAX_STREAMS, MAX_BYTES];
    const values = [stream, json, isLast ? 1 : 0, nonce, ...limits, note];
    const key = `${id}:${stream}`;
    const before = this.#appends.get(key);
    const appended = (before ?? Promise.resolve()).then(async () => {
      const isKept = await this.#connection.askPatiently(this.#script(APPEND, id, values)) === 1;
      // It was quiet for too long, of which nobody tells: whoever waits for the message waits in vain.
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
    const entries: readonly Entry[] = await this.#connection.askPatiently((client) => client.xrange(key, from, "+"));
    const messages = entries.map(toMessage);
    if (messages.includes(undefined)) this.#reportJunk();
    return messages.filter((message) => message !== undefined);
  }

  async drop(id: string, stream: string, upTo: number): Promise<void> {
    await this.#run(DROP, id, stream, upTo);
  }

  async publish(id: string, note: ClientNote): Promise<void> {
    await this.#run(NOTE, id, JSON.stringify(note), this.#ttlMs, MAX_NOTES, MAX_NOTE_BYTES);
  }

  subscribe(id: string, listener: (note: SessionNote) => void): () => void {
    let listeners = this.#listeners.get(id);
    if (listeners === undefined) {
      listeners = new Listeners<SessionNote>(() => {
        this.#listeners.delete(id);
        leave();
      });
      this.#listeners.set(id, listeners);
      const leave = this.#connection.channels.join(this.#keyOf(id), this.#follow(id, listeners));
    }
    return listeners.add(listener);
  }

  close(): void {
    this.#connection.close();
  }

  #follow(id: string, listeners: Listeners<SessionNote>): Follower<SessionNote> {
    return new Follower({
      // Sessions are asked for before they are listened to: from then on nothing is missed.
      cursor: this.#numbers.get(id) ?? "0",
      read: (text) => {
        const note = toNote(text);
        if (note === undefined) this.#reportJunk();
        return note;
      },
      missed: (cursor = "0") => this.#missed(id, cursor),
      tell: (note) => listeners.notify(note),
    });
  }

  async #missed(id: string, cursor: string): Promise<Missed<SessionNote>> {
    const after = Number.parseInt(cursor, 10) || 0;
    const missed = await this.#connection.askPatiently(this.#script(MISSED, id, [after]));
    if (!Array.isArray(missed)) return { news: [{ kind: "ended" }], cursor };
    const [last, streams, entries] = missed as [string, readonly string[], readonly Entry[]];
    const notes = entries.map((entry) => toNote(fieldOf(entry, "json")));
    if (notes.includes(undefined)) this.#reportJunk();
    return {
      news: [
        ...notes.filter((note) => note !== undefined),
        ...streams.map((stream): SessionNote => ({ kind: "message", stream })),
      ],
      cursor: last,
    };
  }

  #run(script: string, id: string, ...values: (string | number)[]): Promise<unknown> {
    return this.#connection.ask(this.#script(script, id, values));
  }

  #script(script: string, id: string, values: readonly (string | number)[]): (client: Redis) => Promise<unknown> {
    const keys = [this.#keyOf(id), `${this.#prefix}sessions`];
    return (client) => client.eval(script, keys.length, ...keys, ...values);
  }

  #rememberNumber(id: string, number: string): void {
    this.#numbers.delete(id);
    this.#numbers.set(id, number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > MAX_NUMBERS && oldest !== undefined) this.#numbers.delete(oldest);
  }

  /** Without its id, which is known to its caller alone. */
  #reportJunk(): void {
    this.#connection.report(new Error("Cannot read all that Redis has of an MCP session: it is none of ours"));
  }

  #keyOf(id: string): string {
    return `${this.#prefix}session:${id}`;
  }
}

/** Ids are ours; others are not looked for, so that nobody names other keys by them. */
function isId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}
