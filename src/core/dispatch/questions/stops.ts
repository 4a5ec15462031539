/** What a run throws into a handler that it ends, which is not an error of the work that the handler awaits. */

/**
 * Rejects questions without an answer, waits that are open, and steps that differ from those of the run before, while a step is running:
 * it may be the step's work that begins them, which would wait for itself. The run ends, even if the handler catches this.
 */
export const SUSPENDED: Error = new Error("The call stops here until its caller has answered, or its wait is over");

/** Whether a thrown value ends the run: it is not the outcome of a step whose work throws it. */
export function isStop(thrown: unknown): boolean {
  return thrown === SUSPENDED;
}
