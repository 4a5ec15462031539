/**
 * The body of a streamed answer as text: blocks on one side, bytes on the other. What the blocks say is the wire's business.
 *
 * The stream opens at its first block, so that a refusal before that keeps its HTTP status. While the reader keeps up, each
 * block goes out at once; when it does not, text is held up to a limit, sent in one piece at the next pull, and whoever
 * writes is asked to wait.
 *
 * @module
 */
import type { Deadline, Deadlines } from "../../../internal/deadlines.ts";

/** How often a stream shows that it lives, in milliseconds. Bun cuts a quiet connection after 10 s. */
const HEARTBEAT_MS = 8_000;

/** How much text waits for a slow reader before the writer has to, in UTF-16 code units. */
const MAX_HELD = 16_384;

const encoder = new TextEncoder();

/** Headers of a stream. The last one tells nginx, the others tell everything else, not to keep events back. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** What a stream needs. */
export interface SseBodyOptions {
  /** For heartbeats. */
  readonly heartbeats: Deadlines;
  /** What a heartbeat is: a whole block. */
  readonly heartbeat: string;
  /** Called once, when the stream opens, with its bytes. */
  readonly onOpen: (body: ReadableStream<Uint8Array>) => void;
}

/** The text of one stream. */
export class SseBody {
  readonly #options: SseBodyOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined;
  readonly #reader = new AbortController();
  #heartbeat: Deadline;
  #held = "";
  /** Pending while the reader may want more than there is. */
  #wanted: PromiseWithResolvers<void> | undefined = undefined;
  #room: PromiseWithResolvers<void> | undefined = undefined;
  #isEnded = false;

  constructor(options: SseBodyOptions) {
    this.#options = options;
    this.#heartbeat = this.#armHeartbeat();
  }

  /** Aborts when nobody reads any more. */
  get left(): AbortSignal {
    return this.#reader.signal;
  }

  /** Whether anything was sent. */
  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  /** Sends a block; a returned promise resolves when there is room for the next. */
  write(text: string): void | Promise<void> {
    if (this.#isEnded) return;
    const controller = this.#open();
    if (this.#held === "" && (controller.desiredSize ?? 0) > 0) {
      controller.enqueue(encoder.encode(text));
      return;
    }
    this.#held += text;
    this.#wanted?.resolve();
    if (this.#held.length > MAX_HELD) return (this.#room ??= Promise.withResolvers()).promise;
  }

  /** Sends the last block and closes the stream. */
  end(text: string): void {
    if (this.#isEnded) return;
    const last = this.#held + text;
    const controller = this.#open();
    this.#finish();
    if (last !== "") controller.enqueue(encoder.encode(last));
    controller.close();
  }

  /** Ends without a word, for a stream that never opened. */
  discard(): void {
    this.#finish();
  }

  #open(): ReadableStreamDefaultController<Uint8Array> {
    if (this.#controller !== undefined) return this.#controller;
    let opened: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        opened = controller;
      },
      pull: () => this.#pull(),
      cancel: () => {
        this.#finish();
        this.#reader.abort();
      },
    });
    this.#controller = opened as unknown as ReadableStreamDefaultController<Uint8Array>;
    this.#options.onOpen(body);
    return this.#controller;
  }

  /** Answers once there is held text again: each question costs a promise, and there would be one for each block. */
  #pull(): Promise<void> {
    this.#flush();
    return (this.#wanted = Promise.withResolvers()).promise;
  }

  #flush(): void {
    if (this.#held === "" || this.#isEnded) return;
    // Emptied first: enqueue may pull again before it returns.
    const text = this.#held;
    this.#held = "";
    this.#controller?.enqueue(encoder.encode(text));
    this.#release();
  }

  #finish(): void {
    this.#isEnded = true;
    this.#held = "";
    this.#heartbeat.clear();
    this.#release();
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #armHeartbeat(): Deadline {
    return this.#options.heartbeats.add(HEARTBEAT_MS, () => {
      this.#heartbeat = this.#armHeartbeat();
      if (this.#held === "") void this.write(this.#options.heartbeat);
    });
  }
}
