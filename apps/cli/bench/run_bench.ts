/** Calls one tool again and again, over several lanes at once, and measures latency and throughput. */
import { type CallResult, toToolError, type UnknownOutcome } from "../../../src/core/call/outcome.ts";
import type { ActivityMonitor, Transport } from "../../../src/core/call/transport.ts";
import { Histogram } from "./histogram.ts";

/** Options of {@link runBench}. */
export interface BenchOptions {
  readonly tool: string;
  readonly args: unknown;
  /** Calls that are under way at once. */
  readonly connections: number;
  /** Maximum number of measured calls. */
  readonly calls: number;
  /** Time after which no call is started, in milliseconds. Running calls are awaited. At least one call is measured. */
  readonly durationMs: number;
  /** Ends the measurement. What was measured so far is the result. */
  readonly signal: AbortSignal;
  /** Runs one call with a time limit, and rejects if it is exceeded or `signal` aborts. */
  limited<Value>(work: (limit: ActivityMonitor) => Promise<Value>): Promise<Value>;
  /** Called after each measured call. */
  onCall?(result: BenchResult): void;
}

/** Measurements of {@link runBench}: so far for `onCall`, all of them at the end. */
export interface BenchResult {
  /** Latencies of all measured calls, also of those that ended in an error. */
  readonly latency: Histogram;
  /** Number of calls by result: `answer`, `failure sold_out`, `error unavailable`. After 32 kinds, further ones are `other`. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Time from the first measured call to the end of the last one, in milliseconds. */
  readonly tookMs: number;
}

/** Maximum number of kinds of results that are counted apart. */
const MAX_KINDS = 32;

/**
 * Measures calls of one tool. Each lane first makes one call that is not measured: connections are opened and code is compiled.
 *
 * @throws {ToolError} If the first call of a lane ends in an error. Later errors are counted.
 */
export async function runBench(transport: Transport, options: BenchOptions): Promise<BenchResult> {
  const { connections, signal } = options;
  const callOnce = () => callTool(transport, options);
  for (const first of await Promise.all(Array.from({ length: connections }, callOnce))) {
    if (first.kind === "error") throw toToolError(first);
  }
  const bench = new Bench(options);
  const lane = async (): Promise<void> => {
    while (!signal.aborted && bench.take()) {
      const startedMs = performance.now();
      const kind = await callOnce().then(kindOf, errorKindOf);
      if (!signal.aborted) bench.add(kind, performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return bench;
}

/** Counts and times of the calls of a measurement. */
class Bench implements BenchResult {
  readonly latency: Histogram = new Histogram();
  readonly outcomes = new Map<string, number>();
  readonly #options: BenchOptions;
  readonly #startedMs = performance.now();
  #taken = 0;
  #endedMs = performance.now();

  constructor(options: BenchOptions) {
    this.#options = options;
  }

  get tookMs(): number {
    return this.#endedMs - this.#startedMs;
  }

  /** Whether there is another call to make. At least one is measured. */
  take(): boolean {
    const { calls, durationMs } = this.#options;
    const taken = this.#taken++;
    return taken === 0 || (taken < calls && performance.now() - this.#startedMs < durationMs);
  }

  add(kind: string, durationMs: number): void {
    const known = this.outcomes.has(kind) || this.outcomes.size < MAX_KINDS ? kind : "other";
    this.outcomes.set(known, (this.outcomes.get(known) ?? 0) + 1);
    this.#endedMs = performance.now();
    this.latency.add(durationMs);
    this.#options.onCall?.(this);
  }
}

function callTool(
  transport: Transport,
  { tool, args, limited }: BenchOptions,
): Promise<CallResult | UnknownOutcome> {
  return limited(async (limit) => await transport.call({ tool, args, meta: undefined, limit }));
}

function kindOf(result: CallResult | UnknownOutcome): string {
  return "code" in result ? `${result.kind} ${result.code}` : result.kind;
}

function errorKindOf(thrown: unknown): string {
  const { code } = Object(thrown) as { readonly code?: unknown };
  return typeof code === "string" ? `error ${code}` : "error";
}
