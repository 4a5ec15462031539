/**
 * Sessions of older MCP revisions: what is kept of a caller between its requests, and what it has not read yet.
 *
 * @module
 */
import type { Json } from "../../internal/json.ts";
import type { MaybePromise } from "../../internal/maybe_promise.ts";
import { type Clock, systemClock } from "../../internal/clock.ts";
import type { LegacyVersion } from "../../mcp/words.ts";

/** One session: plain JSON. */
export interface McpSession {
  /** Known to its caller alone. */
  readonly id: string;
  /** The revision that was agreed on. */
  readonly version: LegacyVersion;
  /** What the caller says that it can. */
  readonly capabilities: Json;
  /** What the caller calls itself. */
  readonly info: Json;
  /** Id of who calls; `""` for nobody in particular. */
  readonly principal: string;
  /** From which level on the caller wants log lines; `null` if it did not say. */
  readonly logLevel: string | null;
  /** URIs of resources whose changes the caller wants to know of. */
  readonly subscriptions: readonly string[];
}

/** A message of a stream. */
export interface StoredMessage {
  /** Grows from message to message of a session. */
  readonly number: number;
  /** The message, as text. */
  readonly json: string;
  /** Whether it is the stream's last. */
  readonly isLast: boolean;
}

/** What the processes of one server tell each other of a session. */
export type SessionNote =
  /** A stream has a new message. */
  | { readonly kind: "message"; readonly stream: string }
  /** The client has answered what it was asked. */
  | { readonly kind: "response"; readonly id: string; readonly result?: Json; readonly error?: Json }
  /** The client has cancelled a request. */
  | { readonly kind: "cancelled"; readonly requestId: string | number }
  /** The session is over. */
  | { readonly kind: "ended" };

/** Where sessions are kept. With one that processes share, any of them can serve any session. */
export interface SessionStore {
  /** Keeps a session, or what has changed of it. */
  put(session: McpSession): MaybePromise<void>;
  /** The session of that id, whose time then begins anew; `undefined` if there is none (any more). */
  get(id: string): MaybePromise<McpSession | undefined>;
  /** Forgets a session and its streams. */
  delete(id: string): MaybePromise<void>;
  /** Adds a message to a stream of a session. At least the last 1,024 of each stream are kept. */
  append(id: string, stream: string, json: string, isLast: boolean): MaybePromise<void>;
  /** The messages of a stream after a number, in order. */
  read(id: string, stream: string, after: number): MaybePromise<readonly StoredMessage[]>;
  /** Tells everyone who has subscribed to a session, in all processes. */
  publish(id: string, note: SessionNote): MaybePromise<void>;
  /**
   * Listens to a session from now on.
   *
   * @param listener Never throws.
   * @returns Ends the listening.
   */
  subscribe(id: string, listener: (note: SessionNote) => void): () => void;
}

/** Options of {@link memorySessions}. */
export interface MemorySessionsOptions {
  /** How long a session lasts after its last request, in milliseconds. Default: 3,600,000 (an hour). */
  readonly ttlMs?: number;
  /** Most sessions at once; the one that was quiet longest has to go. Default: 10,000. */
  readonly maxSessions?: number;
  /** Where time comes from; for tests. */
  readonly clock?: Clock;
}

/** Messages that are kept of a stream. */
const MAX_MESSAGES = 1_024;

/** Streams that are kept of a session: those with the latest messages. */
const MAX_STREAMS = 64;

/** Sessions within one process. */
export function memorySessions(options: MemorySessionsOptions = {}): SessionStore {
  return new MemorySessions(options);
}

interface Kept {
  session: McpSession;
  touchedMs: number;
  lastNumber: number;
  /** In the order of their last messages. */
  readonly streams: Map<string, StoredMessage[]>;
}

class MemorySessions implements SessionStore {
  readonly #ttlMs: number;
  readonly #maxSessions: number;
  readonly #clock: Clock;
  /** In the order of their last requests. */
  readonly #sessions = new Map<string, Kept>();
  readonly #listeners = new Map<string, Set<(note: SessionNote) => void>>();

  constructor({ ttlMs = 3_600_000, maxSessions = 10_000, clock = systemClock }: MemorySessionsOptions) {
    this.#ttlMs = ttlMs;
    this.#maxSessions = maxSessions;
    this.#clock = clock;
  }

  put(session: McpSession): void {
    const kept = this.#sessions.get(session.id) ?? { session, touchedMs: 0, lastNumber: 0, streams: new Map() };
    kept.session = session;
    this.#touch(kept);
    for (const [id, { touchedMs }] of this.#sessions) {
      const isOver = touchedMs + this.#ttlMs <= this.#clock.elapsed();
      if (!isOver && this.#sessions.size <= this.#maxSessions) break;
      this.#end(id);
    }
  }

  get(id: string): McpSession | undefined {
    const kept = this.#sessions.get(id);
    if (kept === undefined) return undefined;
    if (kept.touchedMs + this.#ttlMs <= this.#clock.elapsed()) return void this.#end(id);
    this.#touch(kept);
    return kept.session;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  append(id: string, stream: string, json: string, isLast: boolean): void {
    const kept = this.#sessions.get(id);
    if (kept === undefined) return;
    const { streams } = kept;
    const messages = streams.get(stream) ?? [];
    streams.delete(stream);
    streams.set(stream, messages);
    messages.push({ number: ++kept.lastNumber, json, isLast });
    if (messages.length > MAX_MESSAGES) messages.shift();
    const [oldest] = streams.keys();
    if (streams.size > MAX_STREAMS && oldest !== undefined) streams.delete(oldest);
  }

  read(id: string, stream: string, after: number): readonly StoredMessage[] {
    return this.#sessions.get(id)?.streams.get(stream)?.filter(({ number }) => number > after) ?? [];
  }

  publish(id: string, note: SessionNote): void {
    for (const listener of [...this.#listeners.get(id) ?? []]) listener(note);
  }

  subscribe(id: string, listener: (note: SessionNote) => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  #touch(kept: Kept): void {
    const { id } = kept.session;
    kept.touchedMs = this.#clock.elapsed();
    this.#sessions.delete(id);
    this.#sessions.set(id, kept);
  }

  #end(id: string): void {
    this.#sessions.delete(id);
    this.publish(id, { kind: "ended" });
  }
}
