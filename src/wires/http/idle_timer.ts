/** Aborts when nothing happens for a while, or when the caller's signal does. */
export class IdleTimer {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #idleMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #isOver = false;

  /**
   * @param caller The caller's signal.
   * @param idleMs How long nothing may happen, in milliseconds; `Infinity` for ever.
   */
  constructor(caller: AbortSignal | undefined, idleMs: number) {
    this.#caller = caller;
    this.#idleMs = idleMs;
    if (caller?.aborted) this.#leave();
    else caller?.addEventListener("abort", this.#leave, { once: true });
    this.touch();
  }

  /** Aborts at the timeout and with the caller. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something happened: the time starts anew. */
  touch(): void {
    this.pause();
    if (!Number.isFinite(this.#idleMs)) return;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#controller.abort();
    }, this.#idleMs);
  }

  /** Whoever reads is busy: that is not the server's silence. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** It is done. */
  stop(): void {
    this.pause();
    this.#caller?.removeEventListener("abort", this.#leave);
  }

  readonly #leave = (): void => this.#controller.abort(this.#caller?.reason);
}
