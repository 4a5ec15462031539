/** How often work is tried, and after which delays. */
import type { AttemptOptions, BackoffOptions } from "../handler/steps.ts";
import type { Complete } from "../../internal/json.ts";

/** {@link AttemptOptions} with their defaults. */
export type RetryPolicy = Complete<AttemptOptions>;

const BACKOFF: Complete<BackoffOptions> = { minMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0 };

/** The policy of the option `retries` of `.promise()`: a number of retries, or options. */
export function retryPolicyOf(retries: number | AttemptOptions): RetryPolicy {
  if (typeof retries === "number") return { ...BACKOFF, attempts: retries + 1 };
  const { attempts = 3, ...backoff } = retries;
  return { attempts, ...withDefaults(backoff, BACKOFF) };
}

/** The delays of `options`, and for those that are absent the ones of `defaults`. */
export function withDefaults(options: BackoffOptions, defaults: Complete<BackoffOptions>): Complete<BackoffOptions> {
  const { minMs = defaults.minMs, maxMs = defaults.maxMs, factor = defaults.factor } = options;
  return { minMs, maxMs, factor, jitter: options.jitter ?? defaults.jitter };
}

/**
 * Delay after a failed try, in milliseconds.
 *
 * @param tries Number of tries so far.
 * @param seed Text from which the jitter is made, so that each process computes the same delay.
 */
export function backoffMs(
  { minMs, maxMs, factor, jitter }: Complete<BackoffOptions>,
  tries: number,
  seed: string,
): number {
  const delayMs = Math.min(maxMs, minMs * factor ** (tries - 1));
  return Math.round(delayMs * (1 - jitter * shareOf(`${seed} ${tries}`)));
}

/** A number from 0 to 1 that depends on the text alone (FNV-1a). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) / 0x1_0000_0000;
}
