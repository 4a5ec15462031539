// When handlers begin, by the number of their call.

/** Lets a caller wait until a handler has begun. */
export class Begins {
  #waiting = new Map();

  /** Called by the handler of call `a`. */
  note(a) {
    this.#waiting.get(a)?.(performance.now());
    this.#waiting.delete(a);
  }

  /** @returns the time at which the handler of call `a` begins. */
  when(a) {
    return new Promise((resolve) => this.#waiting.set(a, resolve));
  }
}
