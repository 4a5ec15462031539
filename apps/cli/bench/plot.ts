/** Draws the result of a measurement as lines of text: figures, and a histogram of latencies. */
import { escapeControls } from "../../../src/internal/text.ts";
import { wrapWords } from "../terminal/wrap.ts";
import type { HistogramRow } from "./histogram.ts";
import type { BenchResult } from "./run_bench.ts";

/** Quantiles that are shown, by name. */
const QUANTILES: readonly (readonly [name: string, share: number])[] = [["p50", 0.5], ["p95", 0.95], ["p99", 0.99]];

const ROWS = 12;

/** Eighths of a character. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const FULL = "█";

/** Minimum and maximum width of a bar, in columns. */
const MIN_BAR = 8;
const MAX_BAR = 60;

/** The figures of a measurement that `toolwire bench` prints, rounded to three decimals. */
export interface BenchFigures {
  readonly calls: number;
  readonly callsPerSecond: number;
  readonly tookMs: number;
  /** Latencies, in milliseconds. */
  readonly latencyMs: Readonly<Record<"min" | "mean" | "p50" | "p95" | "p99" | "max", number>>;
  /** Number of calls by result: `answer`, `failure sold_out`, `error unavailable`. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** Computes the figures of a measurement: calls a second, and quantiles of the latencies. All are rounded to three decimals. */
export function figuresOf({ latency, outcomes, tookMs }: BenchResult): BenchFigures {
  const [p50 = 0, p95 = 0, p99 = 0] = QUANTILES.map(([, share]) => round(latency.quantileMs(share)));
  return {
    calls: latency.count,
    callsPerSecond: tookMs === 0 ? 0 : round(latency.count * 1_000 / tookMs),
    tookMs: round(tookMs),
    latencyMs: { min: round(latency.minMs), mean: round(latency.meanMs), p50, p95, p99, max: round(latency.maxMs) },
    outcomes: Object.fromEntries(outcomes),
  };
}

/** Formats a measurement as lines of text: figures, outcomes, and a histogram of latencies. @param columns Width of the terminal. */
export function drawBench(result: BenchResult, columns: number): string[] {
  const { calls, callsPerSecond, tookMs, latencyMs, outcomes } = figuresOf(result);
  const shown = Object.entries(latencyMs).map(([name, value]) => `${name} ${formatMs(value)}`);
  return [
    `${callsPerSecond} calls a second: ${calls} in ${formatMs(tookMs)}`,
    ...wrapWords(shown, columns, "  "),
    ...wrapWords(Object.entries(outcomes).map(([kind, count]) => `${count} ${escapeControls(kind)}`), columns, "  "),
    "",
    ...drawRows(result.latency.rows(ROWS), columns),
  ];
}

/** One line a range: its start, a bar and its count. */
function drawRows(rows: readonly HistogramRow[], columns: number): string[] {
  const starts = rows.map(({ fromMs }) => formatMs(fromMs));
  const width = Math.max(...starts.map(({ length }) => length));
  const most = Math.max(...rows.map(({ count }) => count));
  const room = columns - width - String(most).length - 3;
  const barWidth = Math.max(MIN_BAR, Math.min(MAX_BAR, room));
  return rows.map(({ count }, index) => `${starts[index]?.padStart(width)} ${bar(count / most * barWidth)} ${count}`);
}

/** A bar of at least an eighth of a character, unless it is empty. */
function bar(length: number): string {
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return FULL.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Three significant digits, with a unit. */
function formatMs(durationMs: number): string {
  if (durationMs < 1) return `${Math.round(durationMs * 1_000)} µs`;
  return durationMs < 1_000
    ? `${Number(durationMs.toPrecision(3))} ms`
    : `${Number((durationMs / 1_000).toPrecision(3))} s`;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
