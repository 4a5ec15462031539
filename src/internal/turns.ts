/** Turns of the event loop for a loop whose awaits may all have settled already. */
import { IS_WORKERD } from "./time.ts";

/** Time that a loop may take before timers and sockets get a turn, in milliseconds. */
const SLICE_MS = 20;
/** Number of steps between two readings of the clock. */
const STEPS = 32;
/** Number of steps after which a loop waits where the clock stops while a program runs, as on workerd. */
const STEPS_WITHOUT_CLOCK = 4_096;

/**
 * Lets a loop wait for a turn of the event loop once it has run for 20 ms; on workerd also after {@link STEPS_WITHOUT_CLOCK} steps. An `await`
 * of a settled promise runs microtasks only, so that a loop of them keeps timers, sockets and all other callers waiting.
 */
export class LoopTurns {
  #steps = 0;
  #startedMs = performance.now();

  /** To be called once a step. Returns a promise to await if it is time for a turn of the event loop. */
  next(): Promise<void> | undefined {
    if (++this.#steps % STEPS !== 0) return undefined;
    const isOver = performance.now() - this.#startedMs >= SLICE_MS || this.#steps >= STEPS_WITHOUT_CLOCK && IS_WORKERD;
    return isOver ? this.#wait() : undefined;
  }

  async #wait(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#steps = 0;
    this.#startedMs = performance.now();
  }
}
