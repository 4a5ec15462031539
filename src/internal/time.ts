/**
 * The value of `work`, if it comes in time. What comes later is dropped, a rejection too.
 *
 * @throws {Error} If it does not.
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

/** A pause that can be cut short. */
export class Pause {
  readonly #ended = Promise.withResolvers<void>();

  /** Waits so long, or until {@link end}. */
  async wait(delayMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    await Promise.race([passed, this.#ended.promise]);
    clearTimeout(timer);
  }

  /** Ends all waits, now and later. */
  end(): void {
    this.#ended.resolve();
  }
}

/** Where time comes from, so that a test can hold it still. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since some moment, never set forward or back: what durations are measured by. */
  elapsed(): number;
  /** Runs `callback` once, `delayMs` from now; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
  /** Whether a timer ends with the request that set it, so that requests cannot share one. Default: `false`. */
  readonly isPerRequest?: boolean;
}

const MAX_TIMER_MS = 2_147_483_647;

/** The machine's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    // Timers of longer than 24.8 days would fire at once.
    const timer = setTimeout(callback, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
  isPerRequest: globalThis.navigator?.userAgent === "Cloudflare-Workers",
};

let lastMs = Number.NaN;
let lastText = "";

/** RFC 3339 text of a moment, kept for as long as the millisecond lasts: formatting costs more than most calls. */
export function formatTimestamp(epochMs: number): string {
  if (epochMs !== lastMs) {
    lastText = new Date(epochMs).toISOString();
    lastMs = epochMs;
  }
  return lastText;
}
