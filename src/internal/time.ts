/**
 * Waits for `work`, with a time limit. Later results and rejections are ignored.
 *
 * @throws {Error} If the limit expires.
 */
export async function within<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** A wait that can be ended early. */
export class Pause {
  readonly #ended = Promise.withResolvers<void>();

  /** Waits for a duration, or until {@link end}. */
  async wait(delayMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    await Promise.race([passed, this.#ended.promise]);
    clearTimeout(timer);
  }

  /** Ends all current and future waits. */
  end(): void {
    this.#ended.resolve();
  }
}

/** Source of time. Tests use one that they control. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic time in milliseconds, for measuring durations. */
  elapsed(): number;
  /** Calls `callback` once after `delayMs`. The returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
  /** Whether a timer ends with the request that set it, so that requests cannot share timers. Default: `false`. */
  readonly isPerRequest?: boolean;
}

const MAX_TIMER_MS = 2_147_483_647;

/** The system's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    // Timers of more than 24.8 days fire immediately.
    const timer = setTimeout(callback, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
  isPerRequest: globalThis.navigator?.userAgent === "Cloudflare-Workers",
};

let lastMs = Number.NaN;
let lastText = "";

/** RFC 3339 text of a time, cached for a millisecond, because formatting costs more than most calls. */
export function formatTimestamp(epochMs: number): string {
  if (epochMs !== lastMs) {
    lastText = new Date(epochMs).toISOString();
    lastMs = epochMs;
  }
  return lastText;
}
