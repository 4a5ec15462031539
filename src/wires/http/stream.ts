/**
 * The body of a streamed answer: a sink on one side, bytes on the other.
 *
 * The stream opens at its first event, so that a refusal before that keeps its HTTP status. While the reader keeps up, each
 * event goes out at once; when it does not, text is held up to a limit, sent in one piece at the next pull, and whoever
 * pushes is asked to wait.
 *
 * @module
 */
import { encodeSseEvent } from "../../codec/sse/encode.ts";
import type { CallEvent, Sink } from "../../call/outcome.ts";
import type { Deadline, Deadlines } from "../../internal/deadlines.ts";
import { encodeEvent } from "./encode.ts";

/** How often a quiet stream shows that it lives, in milliseconds. Bun cuts a quiet connection after 10 s. */
const HEARTBEAT_MS = 8_000;

/** How much text waits for a slow reader before the handler has to, in UTF-16 code units. */
const MAX_HELD = 16_384;

const encoder = new TextEncoder();

/** What a stream needs. */
export interface EventStreamOptions {
  /** For heartbeats. */
  readonly heartbeats: Deadlines;
  /** Called once, when the stream opens, with its bytes. */
  readonly onOpen: (body: ReadableStream<Uint8Array>) => void;
}

/** One streamed answer. */
export class EventStream implements Sink {
  readonly #options: EventStreamOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined;
  readonly #reader = new AbortController();
  #heartbeat: Deadline;
  #held = "";
  #room: PromiseWithResolvers<void> | undefined = undefined;
  #isEnded = false;

  constructor(options: EventStreamOptions) {
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

  push(event: CallEvent): void | Promise<void> {
    return this.#write(encodeSseEvent("message", encodeEvent(event)));
  }

  /** Sends the last event and closes the stream. */
  end(event: "done" | "error", json: string): void {
    if (this.#isEnded) return;
    const text = this.#held + encodeSseEvent(event, json);
    const controller = this.#open();
    this.#finish();
    controller.enqueue(encoder.encode(text));
    controller.close();
  }

  /** Ends without a word, for a stream that never opened. */
  discard(): void {
    this.#finish();
  }

  #write(text: string): void | Promise<void> {
    if (this.#isEnded) return;
    this.#heartbeat.renew();
    const controller = this.#open();
    if (this.#held === "" && (controller.desiredSize ?? 0) > 0) {
      controller.enqueue(encoder.encode(text));
      return;
    }
    this.#held += text;
    if (this.#held.length > MAX_HELD) return (this.#room ??= Promise.withResolvers()).promise;
  }

  #open(): ReadableStreamDefaultController<Uint8Array> {
    if (this.#controller !== undefined) return this.#controller;
    let opened: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        opened = controller;
      },
      pull: () => this.#flush(),
      cancel: () => {
        this.#finish();
        this.#reader.abort();
      },
    });
    this.#controller = opened as unknown as ReadableStreamDefaultController<Uint8Array>;
    this.#options.onOpen(body);
    return this.#controller;
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
      if (this.#held === "") void this.#write(HEARTBEAT);
    });
  }
}

const HEARTBEAT: string = encodeSseEvent("heartbeat", "{}");
