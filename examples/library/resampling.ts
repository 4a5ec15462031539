/**
 * What a sample says of more than itself, found by chance instead of by formula.
 *
 * The bootstrap draws the sample again and again from itself, and sees how far its mean and median wander. The permutation
 * test shuffles one of two columns again and again, and sees how often chance alone ties them together as closely.
 *
 * @module
 */
import type { Pause } from "./pauses.ts";
import type { Draw } from "./random.ts";

/** What was found, and between which bounds 95 of 100 resamples find it. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** How closely two columns go together. */
export interface Correlation {
  /** Spearman's rank correlation: from -1 (one falls as the other rises) over 0 to 1. */
  readonly coefficient: number;
  /** Share of shuffles that tie the columns together as closely; the fewer, the less it looks like chance. */
  readonly p_value: number;
}

/** Chance, how often to try it, and when to let others have a turn. */
export interface Trials {
  readonly count: number;
  readonly draw: Draw;
  readonly pause: Pause;
}

/** Estimates the mean and the median of numbers, of which there has to be one at least. */
export async function estimateMiddle(
  numbers: readonly number[],
  { count, draw, pause }: Trials,
): Promise<{ mean: Estimate; median: Estimate }> {
  const sorted = Float64Array.from(numbers).sort();
  const means = new Float64Array(count);
  const medians = new Float64Array(count);
  const times = new Uint32Array(sorted.length);
  for (let trial = 0; trial < count; trial++) {
    times.fill(0);
    for (let drawn = 0; drawn < sorted.length; drawn++) {
      const index = draw(sorted.length);
      times[index] = (times[index] ?? 0) + 1;
    }
    means[trial] = meanOf(sorted, times);
    medians[trial] = medianOf(sorted, times);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  times.fill(1);
  return { mean: toEstimate(meanOf(sorted, times), means), median: toEstimate(medianOf(sorted, times), medians) };
}

/** Tests how closely two columns of the same rows go together; undefined if one of them never changes. */
export async function correlate(
  left: readonly number[],
  right: readonly number[],
  { count, draw, pause }: Trials,
): Promise<Correlation | undefined> {
  const leftRanks = toCentredRanks(left);
  const rightRanks = toCentredRanks(right);
  const spread = Math.sqrt(productOf(leftRanks, leftRanks) * productOf(rightRanks, rightRanks));
  if (spread === 0) return undefined;
  const observed = productOf(leftRanks, rightRanks);
  let asClose = 0;
  for (let trial = 0; trial < count; trial++) {
    shuffle(rightRanks, draw);
    if (Math.abs(productOf(leftRanks, rightRanks)) >= Math.abs(observed)) asClose++;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  // The order that was observed is one of those that chance could give.
  return { coefficient: observed / spread, p_value: (asClose + 1) / (count + 1) };
}

/** Mean of numbers that were drawn so many times each. */
function meanOf(sorted: Float64Array, times: Uint32Array): number {
  let sum = 0;
  for (let index = 0; index < sorted.length; index++) sum += (sorted[index] ?? 0) * (times[index] ?? 0);
  return sum / sorted.length;
}

/** Median of sorted numbers that were drawn so many times each, without writing them out. */
function medianOf(sorted: Float64Array, times: Uint32Array): number {
  const lower = Math.ceil(sorted.length / 2);
  const upper = Math.floor(sorted.length / 2) + 1;
  let seen = 0;
  let lowerValue: number | undefined;
  for (let index = 0; index < sorted.length; index++) {
    seen += times[index] ?? 0;
    if (lowerValue === undefined && seen >= lower) lowerValue = sorted[index];
    if (seen >= upper) return ((lowerValue ?? 0) + (sorted[index] ?? 0)) / 2;
  }
  return lowerValue ?? 0;
}

/** The middle 95 of 100 of what the trials gave. */
function toEstimate(value: number, trials: Float64Array): Estimate {
  const sorted = trials.toSorted();
  const outside = Math.floor(sorted.length * 0.025);
  return { value, low: sorted[outside] ?? value, high: sorted.at(-1 - outside) ?? value };
}

/**
 * Ranks with their mean taken off; equals share theirs. All are multiples of a half, so sums of their products are exact, and
 * "as close" means just that.
 */
function toCentredRanks(numbers: readonly number[]): Float64Array {
  const order = numbers.map((_, index) => index).sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0));
  const ranks = new Float64Array(numbers.length);
  const middle = (numbers.length - 1) / 2;
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && numbers[order[end] ?? 0] === numbers[order[start] ?? 0]) end++;
    for (const index of order.slice(start, end)) ranks[index] = (start + end - 1) / 2 - middle;
    start = end;
  }
  return ranks;
}

function productOf(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

/** Puts the values into any order, each as likely as the others. */
function shuffle(values: Float64Array, draw: Draw): void {
  for (let last = values.length - 1; last > 0; last--) {
    const chosen = draw(last + 1);
    const value = values[last] ?? 0;
    values[last] = values[chosen] ?? 0;
    values[chosen] = value;
  }
}
