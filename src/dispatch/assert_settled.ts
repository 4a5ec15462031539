import type { Settled } from "../call/outcome.ts";

/**
 * Gives what middleware returned, if it is how a call ends.
 *
 * @throws {TypeError} If it is not.
 */
export function assertSettled(settled: Settled | undefined): Settled {
  if (typeof settled?.kind === "string") return settled;
  throw new TypeError("Middleware must return how the call ended: end it with `return next()`");
}
