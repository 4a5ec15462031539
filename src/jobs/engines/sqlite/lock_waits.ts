import type { MaybePromise } from "../../../internal/async.ts";

/** First and maximum pause between two attempts, in milliseconds. The pause doubles, and half of it is random. */
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 50;

/** Maximum time of the waiting requests that run in one turn of the event loop, in milliseconds. */
const TURN_MS = 10;

/** A write that waits until another process has unlocked the file. */
interface WaitingRequest {
  readonly attempt: () => void;
  readonly reject: (error: unknown) => void;
  readonly endsAtMs: number;
}

/**
 * Repeats requests while another process has the file locked. Between attempts a timer waits, so that the event loop does not.
 *
 * Only the oldest request is attempted after a pause; the others follow when it succeeds. Without that, thousands of waiting
 * requests would occupy the event loop with attempts.
 */
export class LockWaits {
  readonly #limitMs: number;
  /** Requests that wait for the file, in the order of their arrival. */
  readonly #waiting = new Set<WaitingRequest>();
  #pauseMs = FIRST_PAUSE_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param limitMs Time limit of each request, in milliseconds. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Runs a request that changes the file, after those that wait already. At once if the file is not locked. */
  write<Result>(request: () => Result): MaybePromise<Result> {
    return this.#waiting.size === 0 ? this.read(request) : this.#wait(request);
  }

  /** Runs a request without regard to those that wait: while another process writes, the file can be read. */
  read<Result>(request: () => Result): MaybePromise<Result> {
    try {
      return request();
    } catch (error) {
      if (!isLocked(error)) throw error;
      return this.#wait(request);
    }
  }

  /** Rejects the requests that still wait. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting) reject(new Error("The SQLite engine is closed"));
    this.#waiting.clear();
  }

  #wait<Result>(request: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const attempt = (): void => resolve(request());
    this.#waiting.add({ attempt, reject, endsAtMs: performance.now() + this.#limitMs });
    if (this.#waiting.size === 1) this.#pause();
    return promise;
  }

  /** Schedules the next attempt. */
  #pause(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS);
    this.#attemptIn(Math.min(pauseMs, Math.max(0, oldest.endsAtMs - performance.now())));
  }

  #attemptIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#attemptAll(), delayMs);
  }

  #attemptAll(): void {
    const turnEndsAtMs = performance.now() + TURN_MS;
    for (const waiting of this.#waiting) {
      if (!this.#attempt(waiting)) return this.#pause();
      this.#pauseMs = FIRST_PAUSE_MS;
      if (performance.now() > turnEndsAtMs) break;
    }
    if (this.#waiting.size > 0) this.#attemptIn(0);
  }

  /** Returns `false` if the file is still locked. */
  #attempt(waiting: WaitingRequest): boolean {
    try {
      waiting.attempt();
    } catch (error) {
      if (isLocked(error)) {
        this.#rejectEnded(error);
        return false;
      }
      waiting.reject(error);
    }
    this.#waiting.delete(waiting);
    return true;
  }

  /** Rejects the requests whose time is over. */
  #rejectEnded(cause: unknown): void {
    const nowMs = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.endsAtMs > nowMs) return;
      this.#waiting.delete(waiting);
      waiting.reject(
        new Error(
          `Cannot use the SQLite file: another process has had it locked for ${this.#limitMs} ms; end its transaction, or raise busyTimeoutMs`,
          { cause },
        ),
      );
    }
  }
}

/** Whether a statement failed because another connection has the file locked. */
export function isLocked(error: unknown): boolean {
  return /database is locked|busy/i.test(String(error));
}
