/**
 * Long computations that leave room for others: JavaScript has one thread, and a server has other callers.
 *
 * @module
 */

/** Called often. Gives a promise when it is others' turn, and nothing while there is time left. */
export type Pause = () => Promise<void> | undefined;

/** How long to compute without a pause, in milliseconds: short enough to go unnoticed. */
const sliceMs = 10;

/** @param signal When it aborts, the next pause throws its reason: the result is no longer wanted. */
export function createPause(signal: AbortSignal): Pause {
  let sliceEndMs = performance.now() + sliceMs;
  const rest = async () => {
    // A timer and not a resolved promise: those come before whatever waits outside.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    sliceEndMs = performance.now() + sliceMs;
  };
  return () => (performance.now() < sliceEndMs ? undefined : rest());
}
