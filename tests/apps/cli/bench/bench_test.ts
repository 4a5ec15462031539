/** `toolwire bench`: the histogram, the lanes of calls, and the plot. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { ToolError } from "../../../../mod.ts";
import { Histogram } from "../../../../apps/cli/bench/histogram.ts";
import { drawBench, figuresOf } from "../../../../apps/cli/bench/plot.ts";
import { type BenchOptions, runBench } from "../../../../apps/cli/bench/run_bench.ts";
import type { CallResult } from "../../../../src/core/call/outcome.ts";
import { monitorFromSignal } from "../../../../src/core/call/time_limit.ts";
import type { Transport } from "../../../../src/core/call/transport.ts";

const OPTIONS: BenchOptions = {
  tool: "add",
  args: {},
  connections: 1,
  calls: 10,
  durationMs: 60_000,
  signal: new AbortController().signal,
  limited: (work) => work(monitorFromSignal(OPTIONS.signal)),
};

function transportOf(call: (n: number) => CallResult | Promise<CallResult>): Transport {
  let calls = 0;
  return { call: () => call(++calls), list: () => [] };
}

test("quantiles of a histogram are within 1.6 % of those of the sorted durations", () => {
  const histogram = new Histogram();
  const durations: number[] = [];
  let seed = 7;
  for (let count = 0; count < 20_000; count++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const durationMs = 0.05 + Math.exp((seed / 2_147_483_647) * 9);
    durations.push(durationMs);
    histogram.add(durationMs);
  }
  durations.sort((one, other) => one - other);
  for (const share of [0.01, 0.5, 0.9, 0.95, 0.99, 1]) {
    const exact = durations[Math.ceil(share * durations.length) - 1] ?? 0;
    const found = histogram.quantileMs(share);
    ok(Math.abs(found - exact) <= exact * 0.016, `${share}: ${found}, sorted: ${exact}`);
  }
  strictEqual(histogram.count, 20_000);
  strictEqual(histogram.rows(12).reduce((sum, { count }) => sum + count, 0), 20_000);
  ok(histogram.rows(12).length <= 12);
});

test("a histogram takes any duration: none, one, too short and too long ones", () => {
  const histogram = new Histogram();
  deepStrictEqual([histogram.quantileMs(0.5), histogram.meanMs, histogram.minMs, histogram.rows(5)], [0, 0, 0, []]);
  histogram.add(3);
  strictEqual(histogram.quantileMs(0.99), 3);
  histogram.add(0);
  histogram.add(1e12);
  strictEqual(histogram.quantileMs(1), 1e12);
});

test("as many calls are under way as there are connections, and no more calls are made than asked for", async () => {
  let underWay = 0;
  let most = 0;
  let made = 0;
  const transport = transportOf(async () => {
    made++;
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 1));
    underWay--;
    return { kind: "answer", value: 1 };
  });
  const result = await runBench(transport, { ...OPTIONS, connections: 4, calls: 30 });
  strictEqual(most, 4);
  strictEqual(result.latency.count, 30);
  strictEqual(made, 34, "one call a connection is not measured");
  const { callsPerSecond, latencyMs, outcomes } = figuresOf(result);
  ok(callsPerSecond > 0 && latencyMs.p50 >= 0.9 && latencyMs.p99 <= latencyMs.max);
  deepStrictEqual(outcomes, { answer: 30 });
});

test("failures and errors are counted by code, and thrown errors too", async () => {
  const transport = transportOf((n) => {
    if (n % 3 === 0) throw new ToolError("unavailable", "Down");
    return n % 2 === 0 ? { kind: "error", code: "rate_limited", message: "Later" } : { kind: "answer", value: n };
  });
  const { outcomes } = figuresOf(await runBench(transport, { ...OPTIONS, calls: 12 }));
  deepStrictEqual(outcomes, { "error rate_limited": 4, "error unavailable": 4, answer: 4 });
});

test("the first call has to succeed: its error is the result", async () => {
  const transport = transportOf(() => {
    throw new ToolError("unavailable", "Down");
  });
  await rejects(runBench(transport, OPTIONS), { code: "unavailable" });
});

test("a measurement ends with its duration, and with its signal; the figures so far are kept", async () => {
  const transport = transportOf(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { kind: "answer", value: 1 };
  });
  const timed = await runBench(transport, { ...OPTIONS, calls: Infinity, durationMs: 20 });
  ok(timed.latency.count > 0);
  const interruption = new AbortController();
  const result = await runBench(transport, {
    ...OPTIONS,
    calls: Infinity,
    signal: interruption.signal,
    onCall: ({ latency }) => latency.count === 5 && interruption.abort(),
  });
  strictEqual(result.latency.count, 5);
});

test("the plot fits the terminal, and escapes codes of the server", async () => {
  const transport = transportOf(async (n) => {
    await new Promise((resolve) => setTimeout(resolve, n % 7));
    return { kind: "failure", code: "a\u001b[2J", message: "", data: undefined };
  });
  const result = await runBench(transport, { ...OPTIONS, calls: 40, connections: 4 });
  for (const columns of [40, 80, 200]) {
    const lines = drawBench(result, columns);
    for (const line of lines) ok([...line].length <= columns, `${columns}: ${line}`);
    match(lines[0] ?? "", /^[\d.]+ calls a second: 40 in [\d.]+ (m|µ)?s$/);
    ok(!lines.join("").includes("\u001b"));
    ok(lines.some((line) => line.includes("█")));
  }
});
