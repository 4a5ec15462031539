/**
 * Sessions of older MCP revisions, for `mcp({ sessions })`.
 *
 * @module
 */
import { type Clock, systemClock } from "../../../../internal/time.ts";
import { Listeners } from "../../../../internal/async.ts";
import { checkOptions, OBJECT, type OptionRules, POSITIVE, wholeNumber } from "../../../../internal/options.ts";
import { type SessionHost, SessionHttp, type SessionOptions } from "./http.ts";
import type { ClientNote, McpSession, SessionNote, SessionStore, StoredMessage } from "./store.ts";

/** Sessions, for `mcp({ sessions })`. */
export interface Sessions {
  /**
   * For the wire; not part of the public interface.
   *
   * @internal
   */
  readonly "~serve": (host: SessionHost) => SessionHttp;
}

/** Options of {@link memorySessions}. */
export interface MemorySessionsOptions extends SessionOptions {
  /** How long a session lasts after its last request, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number;
  /** Most sessions at once; the one that was quiet longest has to go. Default: 10,000. */
  readonly maxSessions?: number;
  /** Where time comes from; for tests. */
  readonly clock?: Clock;
}

/** Messages that are kept of a stream. */
const MAX_MESSAGES = 1_024;

/** Streams that are kept of a session once they have ended: those with the latest messages. */
const MAX_STREAMS = 1_024;

const SESSION_RULES: OptionRules<SessionOptions> = {
  retryMs: wholeNumber(1, "milliseconds"),
  pollAfterMs: wholeNumber(1, "milliseconds"),
};

const MEMORY_RULES: OptionRules<MemorySessionsOptions> = {
  ...SESSION_RULES,
  ttlMs: POSITIVE,
  maxSessions: wholeNumber(1),
  clock: OBJECT,
};

const STORE = ["put", "get", "delete", "append", "read", "publish", "subscribe"] as const;

/**
 * Sessions within one process.
 *
 * @throws {RangeError} If a number is not one that it may be.
 * @throws {TypeError} If another option is not what it should be, or there is no such option.
 */
export function memorySessions(options: MemorySessionsOptions = {}): Sessions {
  checkOptions("keep sessions", options, MEMORY_RULES);
  return serveFrom(new MemorySessions(options), options);
}

/**
 * Sessions that are kept somewhere: in a store that processes share, any of them can serve any session.
 *
 * @throws {RangeError} If a number is not one that it may be.
 * @throws {TypeError} If the store is none, another option is not what it should be, or there is no such option.
 */
export function sessionsIn(store: SessionStore, options: SessionOptions = {}): Sessions {
  const missing = STORE.filter((name) => typeof store?.[name] !== "function");
  if (missing.length > 0) throw new TypeError(`Cannot keep sessions: the store has no ${missing.join(", ")}`);
  checkOptions("keep sessions", options, SESSION_RULES);
  return serveFrom(store, options);
}

function serveFrom(store: SessionStore, options: SessionOptions): Sessions {
  return { "~serve": (host) => new SessionHttp(host, store, options) };
}

/** Text that is kept of a session, in UTF-16 code units; a stream that is longer by itself is kept whole. */
const MAX_CHARS = 4_194_304;

interface Kept {
  session: McpSession;
  touchedMs: number;
  lastNumber: number;
  /** In the order of their last messages. */
  readonly streams: Map<string, { readonly messages: StoredMessage[]; chars: number; isEnded: boolean }>;
  /** Text in all of them. */
  chars: number;
}

class MemorySessions implements SessionStore {
  readonly #ttlMs: number;
  readonly #maxSessions: number;
  readonly #clock: Clock;
  /** In the order of their last requests. */
  readonly #sessions = new Map<string, Kept>();
  readonly #listeners = new Map<string, Listeners<SessionNote>>();

  constructor({ ttlMs = 3_600_000, maxSessions = 10_000, clock = systemClock }: MemorySessionsOptions) {
    this.#ttlMs = ttlMs;
    this.#maxSessions = maxSessions;
    this.#clock = clock;
  }

  put(session: McpSession, before?: McpSession): boolean {
    const now = this.#sessions.get(session.id);
    if (before !== undefined && now?.session !== before) return false;
    const kept = now ?? { session, touchedMs: 0, lastNumber: 0, chars: 0, streams: new Map() };
    kept.session = session;
    this.#touch(kept);
    for (const [id, { touchedMs }] of this.#sessions) {
      const isOver = touchedMs + this.#ttlMs <= this.#clock.elapsed();
      if (!isOver && this.#sessions.size <= this.#maxSessions) break;
      this.delete(id);
    }
    return true;
  }

  get(id: string): McpSession | undefined {
    const kept = this.#sessions.get(id);
    if (kept === undefined) return undefined;
    if (kept.touchedMs + this.#ttlMs <= this.#clock.elapsed()) return void this.delete(id);
    this.#touch(kept);
    return kept.session;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
    this.#tell(id, { kind: "ended" });
  }

  append(id: string, name: string, json: string, isLast: boolean): void {
    const kept = this.#sessions.get(id);
    if (kept === undefined) return;
    const { streams } = kept;
    const stream = streams.get(name) ?? { messages: [], chars: 0, isEnded: false };
    streams.delete(name);
    streams.set(name, stream);
    stream.messages.push({ number: ++kept.lastNumber, json, isLast });
    stream.isEnded = isLast;
    const dropped = stream.messages.length > MAX_MESSAGES ? stream.messages.shift() : undefined;
    const grown = json.length - (dropped?.json.length ?? 0);
    stream.chars += grown;
    kept.chars += grown;
    for (const [oldest, { chars, isEnded }] of streams) {
      if (oldest === name || (streams.size <= MAX_STREAMS && kept.chars <= MAX_CHARS)) break;
      // Somebody waits for the end of a call that goes on.
      if (!isEnded) continue;
      streams.delete(oldest);
      kept.chars -= chars;
    }
    this.#tell(id, { kind: "message", stream: name });
  }

  read(id: string, name: string, after: number): readonly StoredMessage[] {
    return this.#sessions.get(id)?.streams.get(name)?.messages.filter(({ number }) => number > after) ?? [];
  }

  publish(id: string, note: ClientNote): void {
    this.#tell(id, note);
  }

  subscribe(id: string, listener: (note: SessionNote) => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Listeners<SessionNote>(() => this.#listeners.delete(id));
    this.#listeners.set(id, listeners);
    return listeners.add(listener);
  }

  #touch(kept: Kept): void {
    const { id } = kept.session;
    kept.touchedMs = this.#clock.elapsed();
    this.#sessions.delete(id);
    this.#sessions.set(id, kept);
  }

  #tell(id: string, note: SessionNote): void {
    this.#listeners.get(id)?.notify(note);
  }
}
