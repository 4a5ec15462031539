/**
 * A streamed answer by gRPC itself: envelopes are written on one side, bytes are read on the other.
 *
 * While the reader keeps up, each envelope goes out at once; when it does not, they are held up to a limit, sent in one piece
 * at the next pull, and whoever writes is asked to wait.
 *
 * @module
 */
import { concatBytes } from "../messages/envelope.ts";

/** How much waits for a slow reader before the writer has to, in bytes. */
const MAX_HELD = 16_384;

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** One streamed answer. */
export class NativeStream {
  /** What the reader gets. */
  readonly body: ReadableStream<Uint8Array>;
  /** What ended the stream, if anything was thrown; known when the body is at its end. */
  thrown: unknown = undefined;
  readonly #reader = new AbortController();
  // The stream calls `start` at once.
  #controller!: Controller;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #room: PromiseWithResolvers<void> | undefined = undefined;
  #isEnded = false;

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#flush(),
      cancel: () => {
        this.#finish();
        this.#reader.abort();
      },
    });
  }

  /** Aborts when nobody reads any more. */
  get left(): AbortSignal {
    return this.#reader.signal;
  }

  /** Sends an envelope; a returned promise means that there is no room for more, and resolves when there is. */
  write(envelope: Uint8Array): void | Promise<void> {
    if (this.#isEnded) return;
    if (this.#held.length === 0 && (this.#controller.desiredSize ?? 0) > 0) return this.#controller.enqueue(envelope);
    this.#held.push(envelope);
    this.#heldBytes += envelope.length;
    if (this.#heldBytes > MAX_HELD) return (this.#room ??= Promise.withResolvers()).promise;
  }

  /** Ends the stream: well, unless something was thrown. */
  end(thrown?: unknown): void {
    if (this.#isEnded) return;
    this.thrown = thrown;
    const rest = this.#take();
    this.#finish();
    if (rest !== undefined) this.#controller.enqueue(rest);
    this.#controller.close();
  }

  #flush(): void {
    // Emptied first: enqueue may pull again before it returns.
    const rest = this.#take();
    if (rest !== undefined) this.#controller.enqueue(rest);
    this.#release();
  }

  #take(): Uint8Array | undefined {
    if (this.#held.length === 0) return undefined;
    const rest = concatBytes(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return rest;
  }

  #finish(): void {
    this.#isEnded = true;
    this.#held = [];
    this.#release();
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
