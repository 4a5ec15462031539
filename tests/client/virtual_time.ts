import { FakeClock } from "../../src/entries/testing.ts";

/** Time that passes only when a test says so. */
export interface VirtualTime {
  /** Advances the time in milliseconds, in steps of `stepMs`, and runs all that is ready after each. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Number of timers set so far. */
  readonly timers: number;
}

/**
 * Replaces the global timers and `performance.now()` while `work` runs, so that a busy machine cannot expire a limit.
 * For tests that expect a limit not to expire.
 */
export async function withVirtualTime(work: (time: VirtualTime) => Promise<void>): Promise<void> {
  const real = { setTimeout, clearTimeout, now: performance.now };
  const clock = new FakeClock(real.now.call(performance));
  const cancels = new Map<number, () => void>();
  let timers = 0;
  const setVirtual = (callback: () => void, delayMs = 0): number => {
    cancels.set(++timers, clock.after(delayMs, callback));
    return timers;
  };
  /** Real turns of the event loop. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => real.setTimeout(resolve, 0));
  };
  Object.assign(globalThis, { setTimeout: setVirtual, clearTimeout: (id?: number) => cancels.get(id ?? 0)?.() });
  performance.now = () => clock.now();
  try {
    await work({
      get timers() {
        return timers;
      },
      async pass(ms, stepMs = ms) {
        await settle();
        for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
          clock.tick(stepMs);
          await settle();
        }
      },
    });
  } finally {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    performance.now = real.now;
  }
}
