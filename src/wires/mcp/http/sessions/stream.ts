/** One connection that reads a stream of a session. The stream outlives the connection: another one can resume it. */
import { SseBody, STREAM_HEADERS } from "../../../framing/sse.ts";
import type { Deadlines } from "../../../../internal/deadlines.ts";
import type { Reply } from "../../../wire.ts";
import { KEEP_ALIVE } from "../server/exchange.ts";
import type { McpSession, SessionStore, StoredMessage } from "./store.ts";

/** Options of {@link SessionStreamReader}. */
export interface SessionStreamReaderOptions {
  readonly store: SessionStore;
  readonly session: McpSession;
  /** Name of the stream in the session. */
  readonly stream: string;
  /** Number of the last message that the client has. */
  readonly after: number;
  readonly heartbeats: Deadlines;
  /** Interval of heartbeats that the client wants, in milliseconds. Default: that of event streams. */
  readonly heartbeatMs?: number | undefined;
  /** Whether messages have event ids, with which the stream can be resumed. Default: `true`. */
  readonly hasIds?: boolean | undefined;
  /** Called with errors of the store. */
  readonly onError: (thrown: unknown) => void;
  /** Called once, when the connection ends. */
  readonly onEnd: () => void;
}

/** Sends the stored messages of a session's stream to one connection: those after a position, then later ones. */
export class SessionStreamReader {
  readonly #options: SessionStreamReaderOptions;
  readonly #body: SseBody;
  readonly #opened = Promise.withResolvers<Reply | undefined>();
  #unsubscribe: (() => void) | undefined;
  #after: number;
  #room: Promise<void> | undefined;
  #isReading = false;
  #isStale = false;
  #isOver = false;
  #sentCount = 0;
  /** Resolves when a message was sent or the connection has ended. */
  #moved: PromiseWithResolvers<void> | undefined;

  constructor(options: SessionStreamReaderOptions) {
    const { after, heartbeats, heartbeatMs } = options;
    this.#options = options;
    this.#after = after;
    this.#body = new SseBody({
      heartbeats,
      heartbeat: KEEP_ALIVE,
      heartbeatMs,
      onOpen: (body) => this.#opened.resolve({ status: 200, headers: STREAM_HEADERS, body }),
    });
    this.#body.closed.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** The reply, once there is something to send; `undefined` if the connection has ended before. */
  get opened(): Promise<Reply | undefined> {
    return this.#opened.promise;
  }

  /** Sends messages as they are stored, and ends with the session. If the store fails, the error is reported, and the connection is closed. */
  follow(): void {
    const { store, session, stream, onError } = this.#options;
    try {
      this.#unsubscribe = store.subscribe(session.id, (event) => {
        if (event.kind === "message" && event.stream === stream) this.read();
        else if (event.kind === "ended") this.close();
      });
    } catch (thrown) {
      onError(thrown);
      this.close();
    }
  }

  /** Shortens the interval of heartbeats for a client that wants `heartbeatMs`. */
  beatWithin(heartbeatMs: number): void {
    this.#body.beatWithin(heartbeatMs);
  }

  /** Whether anything was sent. */
  get isOpen(): boolean {
    return this.#body.isOpen;
  }

  /** Opens the connection with a first block. */
  open(block: string): void {
    void this.#body.write(block);
  }

  /** Sends a message that is not stored. A returned promise resolves when there is room for the next one. */
  send(json: string): void | Promise<void> {
    this.#room = this.#body.write(`event: message\ndata: ${json}\n\n`) ?? undefined;
    return this.#room;
  }

  /** Resolves when there is room; `undefined` if there was room after the last {@link send}. */
  get room(): Promise<void> | undefined {
    return this.#room;
  }

  /** Resolves once so many messages of the stream were sent, or the connection has ended; `undefined` if that is so. */
  untilSent(count: number): Promise<void> | undefined {
    return this.#isOver || this.#sentCount >= count ? undefined : this.#waitUntilSent(count);
  }

  async #waitUntilSent(count: number): Promise<void> {
    while (!this.#isOver && this.#sentCount < count) await (this.#moved ??= Promise.withResolvers()).promise;
  }

  #move(): void {
    this.#moved?.resolve();
    this.#moved = undefined;
  }

  /** Sends the new messages of the stream. */
  read(): void {
    this.#isStale = true;
    if (this.#isReading || this.#isOver) return;
    void this.#readAll();
  }

  /** Closes the connection. The stream continues. */
  close(): void {
    if (this.#isOver) return;
    if (this.#body.isOpen) this.#body.end("");
    else this.#body.finish();
    this.#end();
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
      // Synchronously after the last check: the next message starts a new read.
      this.#isReading = false;
    }
  }

  /** Deletes the sent messages of a stream that cannot be resumed. */
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
      this.#end();
    } else {
      await this.#body.write(block);
      this.#sentCount++;
      this.#move();
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#move();
    this.#unsubscribe?.();
    this.#opened.resolve(undefined);
    this.#options.onEnd();
  }
}

/** Whether the server may close streams of a session early, since its client resumes them: with 2025-11-25. */
export function canResume({ version }: McpSession): boolean {
  return version >= "2025-11-25";
}

/** First event of a stream, without data: the id with which the client resumes it, and the delay before that in milliseconds. */
export function resumeBlock(stream: string, after: number, retryMs: number): string {
  return `id: ${stream}:${after}\nretry: ${retryMs}\ndata: \n\n`;
}
