/**
 * What is read of a session's stream over one connection. The stream outlives it: what was missed is read by another.
 *
 * @module
 */
import { SseBody, STREAM_HEADERS } from "../../../framing/sse.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import type { Reply } from "../../../wire.ts";
import { KEEP_ALIVE } from "../server/exchange.ts";
import type { McpSession, SessionStore, StoredMessage } from "./store.ts";

/** What a connection reads. */
export interface SessionReaderOptions {
  /** Where the stream is kept. */
  readonly store: SessionStore;
  /** Whose it is. */
  readonly session: McpSession;
  /** Its name in the session. */
  readonly stream: string;
  /** The last message that the client has. */
  readonly after: number;
  /** For keep-alives. */
  readonly heartbeats: Deadlines;
  /** Whether each message tells where the stream can be taken up again. Default: `true`. */
  readonly hasIds?: boolean | undefined;
  /** Told what the store did not do. */
  readonly onError: (thrown: unknown) => void;
  /** Called once, when nothing is read any more. */
  readonly onEnd: () => void;
}

/** One connection that reads a stream. */
export class SessionReader {
  readonly #options: SessionReaderOptions;
  readonly #body: SseBody;
  readonly #unsubscribe: () => void;
  /** The reply, once there is something to send. */
  readonly opened: Promise<Reply>;
  #after: number;
  #room: Promise<void> | undefined = undefined;
  #isReading = false;
  #isStale = false;
  #isOver = false;

  constructor(options: SessionReaderOptions) {
    const { store, session, stream, after, heartbeats } = options;
    this.#options = options;
    this.#after = after;
    const opened = Promise.withResolvers<Reply>();
    this.opened = opened.promise;
    this.#body = new SseBody({
      heartbeats,
      heartbeat: KEEP_ALIVE,
      onOpen: (body) => opened.resolve({ status: 200, headers: STREAM_HEADERS, body }),
    });
    this.#body.closed.addEventListener("abort", () => this.#leave(), { once: true });
    this.#unsubscribe = store.subscribe(session.id, (note) => {
      if (note.kind === "message" && note.stream === stream) this.read();
      else if (note.kind === "ended") this.close();
    });
  }

  /** Whether anything was sent. */
  get isOpen(): boolean {
    return this.#body.isOpen;
  }

  /** Opens the connection with its first words. */
  open(words: string): void {
    void this.#body.write(words);
  }

  /** Sends what is not kept; a returned promise resolves when there is room for the next. */
  say(json: string): void | Promise<void> {
    this.#room = this.#body.write(`event: message\ndata: ${json}\n\n`) ?? undefined;
    return this.#room;
  }

  /** Resolves when there is room: at once, unless what was said last has not been read. */
  get room(): Promise<void> | undefined {
    return this.#room;
  }

  /** Sends what is new. */
  read(): void {
    this.#isStale = true;
    if (this.#isReading || this.#isOver) return;
    void this.#readAll();
  }

  /** Ends the connection, not the stream. */
  close(): void {
    if (this.#isOver) return;
    if (this.#body.isOpen) this.#body.end("");
    else this.#body.discard();
    this.#leave();
  }

  async #readAll(): Promise<void> {
    const { store, session, stream } = this.#options;
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isOver) {
        this.#isStale = false;
        const messages = await store.read(session.id, stream, this.#after);
        for (const message of messages) await this.#send(message);
        if (messages.length > 0) await this.#dropSent();
      }
    } catch (thrown) {
      this.#options.onError(thrown);
      this.close();
    } finally {
      // At once: what comes after the last look must be looked at by another.
      this.#isReading = false;
    }
  }

  /** What nobody can take up again is not kept. */
  async #dropSent(): Promise<void> {
    const { store, session, stream, hasIds = true, onError } = this.#options;
    if (hasIds || this.#isOver) return;
    try {
      await store.drop?.(session.id, stream, this.#after);
    } catch (thrown) {
      onError(thrown);
    }
  }

  async #send({ number, json, isLast }: StoredMessage): Promise<void> {
    if (this.#isOver) return;
    const { stream, hasIds = true } = this.#options;
    this.#after = number;
    const block = `event: message\n${hasIds ? `id: ${stream}:${number}\n` : ""}data: ${json}\n\n`;
    if (isLast) {
      this.#body.end(block);
      this.#leave();
    } else await this.#body.write(block);
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unsubscribe();
    this.#options.onEnd();
  }
}

/** Whether a session's client takes a stream up again that was closed. */
export function canResume({ version }: McpSession): boolean {
  return version >= "2025-11-25";
}

/** First words of a stream that can be taken up again after a message. */
export function howToResume(stream: string, after: number, retryMs: number): string {
  return `id: ${stream}:${after}\nretry: ${retryMs}\ndata: \n\n`;
}
