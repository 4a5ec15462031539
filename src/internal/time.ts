/** Longest delay of a timer, in milliseconds: 24.8 days. Longer delays are cut to it, since a timer would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * The value of `work`. After `timeoutMs` its result is ignored.
 *
 * @throws {Error} After `timeoutMs`.
 */
export async function within<Value>(timeoutMs: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`No answer within ${timeoutMs} ms`));
    timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for `delayMs`, or until the signal aborts. Returns whether the whole time has passed. */
export function delay(delayMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, Math.min(delayMs, MAX_TIMER_MS));
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/**
 * The value of `promise`. When the signal aborts first, the result of the promise is ignored.
 *
 * @throws The reason of the signal.
 */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | null | undefined,
): Promise<Value> {
  if (signal === null || signal === undefined) return await promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    // A later rejection is handled here, so that no runtime reports it.
    promise.catch(() => {});
  }
}

/** Source of time. Tests replace it with one that they control. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic time in milliseconds, for durations. */
  elapsed(): number;
  /** Runs `callback` once after `delayMs`. The returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
  /** Whether a timer is cancelled with the request that set it, so that requests cannot share one. Default: `false`. */
  readonly isPerRequest?: boolean | undefined;
}

/** Timers one after the other: a single one would fire at once. */
function afterLong(delayMs: number, callback: () => void): () => void {
  let cancel = systemClock.after(MAX_TIMER_MS, () => {
    cancel = systemClock.after(delayMs - MAX_TIMER_MS, callback);
  });
  return () => cancel();
}

/** Whether this is workerd, where timers end with their request and the clock stops while a program runs. */
export const IS_WORKERD: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Clock and timers of the runtime. A longer delay than {@link MAX_TIMER_MS} is waited for by several timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, callback) {
    if (delayMs > MAX_TIMER_MS) return afterLong(delayMs, callback);
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  isPerRequest: IS_WORKERD,
};

let lastMs = NaN;
let lastText = "";

/** Formats milliseconds since the Unix epoch as RFC 3339 in UTC. The last text is cached (docs/decisions/one-entry-caches.md). */
export function formatTimestamp(epochMs: number): string {
  if (epochMs !== lastMs) {
    lastText = new Date(epochMs).toISOString();
    lastMs = epochMs;
  }
  return lastText;
}
