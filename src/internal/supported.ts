/** Refuses runtimes that lack what the package needs: they would fail at the first stream or job, with a message that names no runtime. */

/** @param action Failed action for the error message: `create server`. @throws {TypeError} If the runtime is too old. */
export function assertSupported(action: string): void {
  if (Promise.withResolvers !== undefined) return;
  throw new TypeError(
    `Cannot ${action}: this runtime is too old; Toolwire needs Node 22 or later, or a browser of 2024`,
  );
}
