/** A histogram of durations in bounded memory: buckets of equal relative width. */

/** Buckets between a value and its double: a quantile is off by at most 1.6 %. */
const BUCKETS_PER_DOUBLING = 32;

/** From 1 µs to 2^32 µs, which is 71 minutes. */
const BUCKETS = 32 * BUCKETS_PER_DOUBLING;

/** A bar of the printed histogram: a range of durations, with the number of calls in it. */
export interface HistogramRow {
  /** Start of the range, in milliseconds. */
  readonly fromMs: number;
  /** End of the range, in milliseconds. */
  readonly toMs: number;
  readonly count: number;
}

/** Counts durations in buckets of 1 µs to 71 minutes, for quantiles that are off by at most 1.6 %. Single durations are not kept. */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #sumMs = 0;
  #minMs = Infinity;
  #maxMs = 0;

  /** Adds a duration in milliseconds. */
  add(durationMs: number): void {
    const index = indexOf(durationMs);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count++;
    this.#sumMs += durationMs;
    this.#minMs = Math.min(this.#minMs, durationMs);
    this.#maxMs = Math.max(this.#maxMs, durationMs);
  }

  /** Number of durations. */
  get count(): number {
    return this.#count;
  }

  /** Mean in milliseconds; 0 without durations. */
  get meanMs(): number {
    return this.#count === 0 ? 0 : this.#sumMs / this.#count;
  }

  /** Shortest duration in milliseconds; 0 without durations. */
  get minMs(): number {
    return this.#count === 0 ? 0 : this.#minMs;
  }

  /** Longest duration in milliseconds; 0 without durations. */
  get maxMs(): number {
    return this.#maxMs;
  }

  /** Approximate duration in milliseconds that a share of all durations does not exceed: 0.99 for p99. 0 without durations. */
  quantileMs(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    // The last bucket has no end.
    for (let index = 0; index < BUCKETS - 1; index++) {
      seen += this.#counts[index] ?? 0;
      // The middle of the bucket, but never outside of what was measured.
      if (seen >= rank) return Math.min(this.#maxMs, Math.max(this.minMs, startMs(index + 0.5)));
    }
    return this.#maxMs;
  }

  /** Sums the counts up into at most `rows` ranges of equal relative width, from the first count to the last. */
  rows(rows: number): HistogramRow[] {
    if (this.#count === 0) return [];
    const [first, last] = [indexOf(this.#minMs), indexOf(this.#maxMs)];
    const width = Math.max(1, Math.ceil((last - first + 1) / rows));
    const found: HistogramRow[] = [];
    for (let from = first; from <= last; from += width) {
      const count = this.#counts.subarray(from, from + width).reduce((sum, one) => sum + one, 0);
      found.push({ fromMs: startMs(from), toMs: startMs(from + width), count });
    }
    return found;
  }
}

function indexOf(durationMs: number): number {
  const index = Math.floor(Math.log2(Math.max(1, durationMs * 1_000)) * BUCKETS_PER_DOUBLING);
  return Math.min(BUCKETS - 1, index);
}

function startMs(index: number): number {
  return 2 ** (index / BUCKETS_PER_DOUBLING) / 1_000;
}
