import { Listeners } from "../../../../internal/async.ts";
import { checkOptions, OBJECT, type OptionRules, POSITIVE, wholeNumber } from "../../../../internal/options.ts";
import { type Clock, systemClock } from "../../../../internal/time.ts";
import { reportSessionEnd } from "./ended_sessions.ts";
import type { ClientEvent, McpSession, SessionEvent, SessionStore, StoredMessage } from "./store.ts";

/** Options of {@link memorySessionStore}. */
export interface MemorySessionStoreOptions {
  /** Time to live of a session after its last request, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number | undefined;
  /** Maximum number of sessions. When it is exceeded, the least recently used session is deleted. Default: 10,000. */
  readonly maxSessions?: number | undefined;
  /** Source of time; for tests. */
  readonly clock?: Clock | undefined;
}

const RULES: OptionRules<MemorySessionStoreOptions> = {
  ttlMs: POSITIVE,
  maxSessions: wholeNumber(1),
  clock: OBJECT,
};

/** Maximum number of messages that are kept of a stream. */
const MAX_MESSAGES = 1_024;

/** Maximum number of streams that are kept of a session. Ended streams beyond it are deleted, oldest first. */
const MAX_STREAMS = 1_024;

/** Maximum size of a session's streams, in UTF-16 code units. One stream is kept even if it is longer. */
const MAX_CHARS = 4_194_304;

/**
 * Keeps sessions in the memory of the process, for `mcpSessions({ store })`. It is the default. Other processes cannot serve them.
 *
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If another option is invalid or unknown.
 */
export function memorySessionStore(options: MemorySessionStoreOptions = {}): SessionStore {
  checkOptions("keep sessions", options, RULES);
  return new MemorySessionStore(options);
}

/** Messages of one stream of a session, which a client that reconnects may request again. */
interface Stream {
  readonly messages: StoredMessage[];
  /** Total length of the messages, in UTF-16 code units. */
  chars: number;
  isEnded: boolean;
}

/** A session with its streams. */
interface Entry {
  session: McpSession;
  touchedMs: number;
  lastNumber: number;
  /** In the order of their last messages. */
  readonly streams: Map<string, Stream>;
  /** Total length of all streams, in UTF-16 code units. */
  chars: number;
}

/** Sessions in the memory of this process. */
class MemorySessionStore implements SessionStore {
  readonly #ttlMs: number;
  readonly #maxSessions: number;
  readonly #clock: Clock;
  /** In the order of their last requests. */
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Map<string, Listeners<SessionEvent>>();

  constructor({ ttlMs = 3_600_000, maxSessions = 10_000, clock = systemClock }: MemorySessionStoreOptions) {
    this.#ttlMs = ttlMs;
    this.#maxSessions = maxSessions;
    this.#clock = clock;
  }

  put(session: McpSession, before?: McpSession): boolean {
    const current = this.#entries.get(session.id);
    if (before !== undefined && current?.session !== before) return false;
    const entry = current ?? { session, touchedMs: 0, lastNumber: 0, chars: 0, streams: new Map() };
    entry.session = session;
    this.#touch(entry);
    for (const [id, oldest] of this.#entries) {
      if (!this.#isExpired(oldest) && this.#entries.size <= this.#maxSessions) break;
      this.delete(id);
    }
    return true;
  }

  get(id: string): McpSession | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (this.#isExpired(entry)) return void this.delete(id);
    this.#touch(entry);
    return entry.session;
  }

  delete(id: string): void {
    this.#entries.delete(id);
    reportSessionEnd(id);
    this.#notify(id, { kind: "ended" });
  }

  append(id: string, name: string, json: string, isLast: boolean): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { streams } = entry;
    const stream = streams.get(name) ?? { messages: [], chars: 0, isEnded: false };
    streams.delete(name);
    streams.set(name, stream);
    stream.messages.push({ number: ++entry.lastNumber, json, isLast });
    stream.isEnded = isLast;
    const dropped = stream.messages.length > MAX_MESSAGES ? stream.messages.shift() : undefined;
    const growth = json.length - (dropped?.json.length ?? 0);
    stream.chars += growth;
    entry.chars += growth;
    for (const [oldest, { chars, isEnded }] of streams) {
      if (oldest === name || (streams.size <= MAX_STREAMS && entry.chars <= MAX_CHARS)) break;
      // A client may be waiting for the response of a running call.
      if (!isEnded) continue;
      streams.delete(oldest);
      entry.chars -= chars;
    }
    this.#notify(id, { kind: "message", stream: name });
  }

  read(id: string, name: string, after: number): readonly StoredMessage[] {
    return this.#entries.get(id)?.streams.get(name)?.messages.filter(({ number }) => number > after) ?? [];
  }

  publish(id: string, event: ClientEvent): void {
    this.#notify(id, event);
  }

  subscribe(id: string, listener: (event: SessionEvent) => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Listeners<SessionEvent>(() => this.#listeners.delete(id));
    this.#listeners.set(id, listeners);
    return listeners.add(listener);
  }

  #isExpired({ touchedMs }: Entry): boolean {
    return touchedMs + this.#ttlMs <= this.#clock.elapsed();
  }

  #touch(entry: Entry): void {
    const { id } = entry.session;
    entry.touchedMs = this.#clock.elapsed();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
  }

  #notify(id: string, event: SessionEvent): void {
    this.#listeners.get(id)?.notify(event);
  }
}
