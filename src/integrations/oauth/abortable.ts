/** What a promise gives, unless the signal aborts before: then its reason is thrown, and the promise left to itself. */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | null | undefined,
): Promise<Value> {
  if (signal === null || signal === undefined) return await promise;
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
    // Whichever of them comes too late is nobody's.
    promise.catch(() => {});
  }
}
