/**
 * Starts the bodies of tests before their turn, several at a time, for suites whose tests mostly wait.
 *
 * @param bodies The bodies, in the order of their tests. They share nothing.
 * @param atOnce How many run at a time.
 * @returns A body for each test: it starts the next ones, too, and ends as its own ends.
 */
export function overlap(
  bodies: readonly (() => Promise<void>)[],
  atOnce: number = 6,
): readonly (() => Promise<void>)[] {
  const started: Promise<void>[] = [];
  const start = (index: number): Promise<void> => {
    const running = started[index] ??= bodies[index]?.() ?? Promise.resolve();
    // A failure is reported by the test that it belongs to.
    running.catch(() => {});
    return running;
  };
  return bodies.map((_, index) => async () => {
    for (let ahead = index; ahead < Math.min(index + atOnce, bodies.length); ahead++) start(ahead);
    await start(index);
  });
}
