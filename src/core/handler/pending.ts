import type { Progress } from "../call/outcome.ts";

/** What {@link Pending} says. */
export interface PendingOptions {
  /** How long the caller should wait before it asks again, in milliseconds. Default: 1,000. */
  readonly retryAfterMs?: number;
  /** How far the work has come. */
  readonly progress?: Progress;
  /** When it may be done, in milliseconds since the Unix epoch. */
  readonly estimatedMs?: number;
}

/** What the `check` of an external tool returns while the work goes on; `ctx.pending()` makes it. */
export class Pending {
  /** What is known of the work. */
  readonly options: PendingOptions;

  /** Says that the work goes on. */
  constructor(options: PendingOptions) {
    this.options = options;
  }
}
