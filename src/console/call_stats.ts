/** Counts of calls and their times, per tool: histograms, which need no kept calls. */

const BUCKETS = 64;
/** Buckets for each doubling of the time; the first one ends at 1/16 ms. */
const PER_OCTAVE = 3;
const SECONDS = 60;

/** Counts of one tool. */
export interface ToolStats {
  /** Name of the tool. */
  readonly tool: string;
  /** Calls since the start of the server. */
  readonly calls: number;
  /** Number of calls that ended in a failure or an error. */
  readonly errors: number;
  /** Times in milliseconds that 50, 95 and 99 percent of the timed calls did not exceed; 0 without calls. At most 26 % too high. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Calls that ended in each of the last 60 seconds, the oldest first. */
  readonly perSecond: readonly number[];
}

/** Counts calls, errors and times of each tool, for the console. */
export class CallStats {
  readonly #tools = new Map<string, ToolCounts>();
  /** The counts of the last tool: calls often come in series. */
  #lastTool = "";
  #last: ToolCounts = new ToolCounts();

  /**
   * Counts a call that ended.
   *
   * @param second Second of its end, since the Unix epoch.
   * @param tookMs Its time in milliseconds; `undefined` if it was not measured.
   */
  count(tool: string, second: number, tookMs?: number, isError: boolean = false): void {
    if (tool !== this.#lastTool) this.#select(tool);
    this.#last.add(second, tookMs, isError);
  }

  #select(tool: string): void {
    this.#lastTool = tool;
    this.#last = this.#tools.get(tool) ?? new ToolCounts();
    this.#tools.set(tool, this.#last);
  }

  /** The counts, the busiest tool first. */
  read(nowMs: number): ToolStats[] {
    const second = Math.floor(nowMs / 1_000);
    return [...this.#tools].map(([tool, counts]) => counts.read(tool, second))
      .sort((one, other) => other.calls - one.calls);
  }
}

/** Counts and times of one tool, for a percentile and for the last seconds. */
class ToolCounts {
  readonly #buckets = new Uint32Array(BUCKETS);
  readonly #seconds = new Uint32Array(SECONDS);
  #second = 0;
  #calls = 0;
  #timed = 0;
  #errors = 0;

  add(second: number, tookMs: number | undefined, isError: boolean): void {
    if (second > this.#second) this.#advance(second);
    this.#seconds[second % SECONDS]!++;
    this.#calls++;
    if (isError) this.#errors++;
    if (tookMs === undefined) return;
    this.#timed++;
    this.#buckets[Math.min(BUCKETS - 1, Math.floor(PER_OCTAVE * Math.log2(Math.max(0, tookMs) * 16 + 1)))]!++;
  }

  read(tool: string, second: number): ToolStats {
    this.#advance(second);
    const perSecond = Array.from(this.#seconds, (_, index) => this.#seconds[(second + 1 + index) % SECONDS] ?? 0);
    return {
      tool,
      calls: this.#calls,
      errors: this.#errors,
      p50: this.#quantile(0.5),
      p95: this.#quantile(0.95),
      p99: this.#quantile(0.99),
      perSecond,
    };
  }

  /** Clears the seconds that have passed without a call. */
  #advance(second: number): void {
    const passed = Math.min(SECONDS, second - this.#second);
    for (let ago = 0; ago < passed; ago++) this.#seconds[(second - ago) % SECONDS] = 0;
    this.#second = Math.max(second, this.#second);
  }

  /** Upper end of the bucket that the share of all calls reaches, in milliseconds. */
  #quantile(share: number): number {
    let left = this.#timed * share;
    if (left === 0) return 0;
    const bucket = this.#buckets.findIndex((count) => (left -= count) <= 0);
    return Math.round((2 ** ((bucket + 1) / PER_OCTAVE) - 1) / 16 * 100) / 100;
  }
}
