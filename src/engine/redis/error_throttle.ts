/** Tells of failures of the store: of one in a row, since a store that is down fails everything, again and again. */
export class ErrorThrottle {
  readonly #onError: (error: unknown) => void;
  #hasFailed = false;
  #isOver = false;

  /** @param onError Told of them. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Something has failed. Bound: it may be given away alone. */
  readonly report = (error: unknown): void => {
    if (!this.#hasFailed && !this.#isOver) this.#onError(error);
    this.#hasFailed = true;
  };

  /** The store has answered: the next failure is news again. */
  succeed(): void {
    this.#hasFailed = false;
  }

  /** What fails from now on fails because it was ended. */
  end(): void {
    this.#isOver = true;
  }
}
