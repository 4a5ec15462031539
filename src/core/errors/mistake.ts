/** Mistakes of a handler that no further attempt mends, such as a key that is used twice. */
const MISTAKES = new WeakSet<object>();

/** Marks an error as a mistake of the handler, which ends a job at once. */
export function mistake<Thrown extends Error>(error: Thrown): Thrown {
  MISTAKES.add(error);
  return error;
}

/** Whether a thrown value was marked by {@link mistake}. */
export function isMistake(thrown: unknown): thrown is Error {
  return typeof thrown === "object" && thrown !== null && MISTAKES.has(thrown);
}
