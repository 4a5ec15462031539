/**
 * Body of a streamed reply: chunks are written on one side, bytes are read on the other.
 *
 * While the reader keeps up, each chunk is enqueued at once. Otherwise chunks are held up to a limit and sent as one when the
 * reader wants more; beyond the limit the writer is asked to wait.
 *
 * @module
 */

/** Maximum length of the chunks that are held for a slow reader before its writer has to wait. */
const MAX_HELD = 16_384;

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Options of a {@link PushStream}. */
export interface PushStreamOptions<Chunk, Held> {
  /** Converts a chunk to bytes. */
  readonly encode: (chunk: Chunk) => Uint8Array;
  /** Adds a chunk to those that are held; may change them. */
  readonly merge: (held: Held | undefined, chunk: Chunk) => Held;
  /** Converts held chunks to bytes. */
  readonly encodeHeld: (held: Held) => Uint8Array;
  /** Called once with the body, when the first chunk is written. Default: the writer calls {@link PushStream.open}. */
  readonly onOpen?: (body: ReadableStream<Uint8Array>) => void;
}

/** Body of a streamed reply: the writer pushes chunks, the reader pulls bytes. A slow reader gets waiting chunks merged into one. */
export class PushStream<Chunk extends { readonly length: number }, Held> {
  readonly #options: PushStreamOptions<Chunk, Held>;
  readonly #reader = new AbortController();
  #controller: Controller | undefined;
  #held: Held | undefined;
  #heldLength = 0;
  /** Pending while the reader may want more than there is. */
  #wanted: PromiseWithResolvers<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  #isEnded = false;

  constructor(options: PushStreamOptions<Chunk, Held>) {
    this.#options = options;
  }

  /** Aborts when the reader disconnects. */
  get closed(): AbortSignal {
    return this.#reader.signal;
  }

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  /** Whether the stream has ended, or its reader has disconnected. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether chunks wait for the reader. */
  get hasHeld(): boolean {
    return this.#held !== undefined;
  }

  open(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#pull(),
      cancel: () => {
        this.finish();
        this.#reader.abort();
      },
    });
  }

  /** Sends a chunk, opening the stream if needed; ignored after the end. A returned promise resolves when there is room for the next. */
  write(chunk: Chunk): void | Promise<void> {
    if (this.#isEnded) return;
    const controller = this.#controller ?? this.#start();
    if (this.#held === undefined && (controller.desiredSize ?? 0) > 0) {
      return controller.enqueue(this.#options.encode(chunk));
    }
    this.#held = this.#options.merge(this.#held, chunk);
    this.#heldLength += chunk.length;
    if (this.#wanted !== undefined) {
      this.#wanted.resolve();
      this.#wanted = undefined;
    }
    if (this.#heldLength > MAX_HELD) return (this.#room ??= Promise.withResolvers()).promise;
  }

  /** Sends the last chunk, if there is one, and closes the stream. */
  end(last?: Chunk): void {
    if (this.#isEnded) return;
    const held = last === undefined ? this.#held : this.#options.merge(this.#held, last);
    const controller = this.#controller ?? this.#start();
    this.finish();
    if (held !== undefined) this.#enqueue(controller, held);
    // Deno cancels while it takes a chunk for a caller that has disconnected: then the stream is closed.
    if (!this.closed.aborted) controller.close();
  }

  /** Ends the stream with an error for its reader, and aborts {@link closed}: the writer is to stop. */
  breakOff(error: Error): void {
    if (this.#isEnded) return;
    const controller = this.#controller ?? this.#start();
    this.finish();
    controller.error(error);
    this.#reader.abort();
  }

  /** Releases what the stream holds. Called when it ends, for any reason; by the writer of one that was never opened. */
  finish(): void {
    this.#isEnded = true;
    this.#held = undefined;
    this.#heldLength = 0;
    this.#release();
  }

  #start(): Controller {
    const body = this.open();
    this.#options.onOpen?.(body);
    return this.#controller as unknown as Controller;
  }

  /** Resolves when chunks are held again: each pull costs a promise, and there would be one for each chunk. */
  #pull(): Promise<void> {
    const held = this.#held;
    if (held !== undefined) {
      // Taken first: enqueue may pull again before it returns.
      this.#held = undefined;
      this.#heldLength = 0;
      this.#enqueue(this.#controller as Controller, held);
      this.#release();
    }
    return (this.#wanted = Promise.withResolvers()).promise;
  }

  /** Enqueues held chunks as one. Nothing is enqueued if they are empty. */
  #enqueue(controller: Controller, held: Held): void {
    const bytes = this.#options.encodeHeld(held);
    if (bytes.length > 0) controller.enqueue(bytes);
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
