/** `toolwire bench <target> <tool>`: calls a second and latencies of one tool. */
import { buildArguments } from "../arguments/build.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import type { BenchResult } from "../bench/run_bench.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { parseDuration, TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { withLimits } from "../targets/limits.ts";
import { openTarget } from "../targets/open.ts";
import { takeTarget } from "../targets/target.ts";
import { drawBench, figuresOf } from "../bench/plot.ts";
import { runBench } from "../bench/run_bench.ts";

interface BenchFlags extends TargetFlags {
  readonly connections?: number;
  readonly calls?: number;
  readonly duration?: number;
  readonly json?: boolean;
}

/** Duration of a measurement without `--calls` and `--duration`, in milliseconds. */
const DEFAULT_DURATION_MS = 5_000;

/** Width of the plot if the output is not a terminal. */
const PLOT_COLUMNS = 80;

export const benchCommand: CliCommand = defineCommand<BenchFlags>({
  usage: "<target> <tool> [name=value]... [--connections <n>] [--calls <n>] [--duration <5s>] [--json]",
  about:
    "Calls one tool again and again and measures calls a second and latencies: p50, p95, p99, and a histogram. The first call of each " +
    "connection is not measured. Ctrl+C ends the measurement and shows what it has.",
  examples: [
    ["toolwire bench ./server.ts add a=1 b=2", "In process: what dispatch and handler cost"],
    ["toolwire bench http://localhost:8000/mcp add a=1 b=2 --connections 16 --duration 10s", "Over a wire"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      connections: {
        kind: "parsed",
        parse: parseCount,
        optional: true,
        placeholder: "n",
        brief: "Calls under way at once. Default: 1",
      },
      calls: { kind: "parsed", parse: parseCount, optional: true, placeholder: "n", brief: "Number of calls" },
      duration: {
        kind: "parsed",
        parse: parseDuration,
        optional: true,
        placeholder: "5s",
        brief: "Longest duration. Default: 5s, unless --calls is given",
      },
      json: { kind: "boolean", optional: true, brief: "The figures as one JSON object on standard output" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "Target, tool, arguments", parse: String, placeholder: "target tool" },
    },
  },
  async run(context, flags, ...words) {
    const { target, rest } = takeTarget(words, context);
    const [tool, ...args] = rest;
    if (tool === undefined) {
      throw new CliError(EXIT.usage, "The tool is missing", { hint: "toolwire list <target> names the tools" });
    }
    const connection = await openTarget(target, flags, context, { signal: context.interruption() });
    try {
      return await bench(connection, tool, await argumentsOf(args, tool, connection, context), flags, context);
    } finally {
      await connection.close();
    }
  },
});

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new TypeError(`${JSON.stringify(text)} is not a positive whole number`);
}

/** Arguments of each call, converted by the schema of the tool as `call` does. */
async function argumentsOf(
  words: readonly string[],
  name: string,
  connection: TargetConnection,
  { host, terminal }: CliContext,
): Promise<unknown> {
  const tool = (await connection.tools()).find((listed) => listed.name === name);
  const warn = (message: string) => terminal.note(message);
  return buildArguments(words, undefined, tool?.inputSchema ?? {}, { cwd: host.cwd, warn });
}

async function bench(
  connection: TargetConnection,
  tool: string,
  args: unknown,
  flags: BenchFlags,
  context: CliContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const result = await measure(connection, tool, args, flags, context);
  terminal.status.end();
  const columns = Number.isFinite(terminal.columns) ? terminal.columns : PLOT_COLUMNS;
  if (flags.json === true) terminal.printJson({ wire: connection.wire, tool, ...figuresOf(result) });
  else for (const line of drawBench(result, columns)) terminal.print(line);
  return result.outcomes.has("answer") || result.latency.count === 0 ? EXIT.ok : EXIT.refused;
}

async function measure(
  { transport }: TargetConnection,
  tool: string,
  args: unknown,
  flags: BenchFlags,
  { terminal, interruption }: CliContext,
): Promise<BenchResult> {
  const { connections = 1, calls = Infinity } = flags;
  const durationMs = flags.duration ?? (flags.calls === undefined ? DEFAULT_DURATION_MS : Infinity);
  const signal = interruption();
  let measured = 0;
  if (terminal.isInteractive) terminal.status.show(() => `${measured} calls`);
  return await runBench(transport, {
    tool,
    args,
    connections,
    calls,
    durationMs,
    signal,
    limited: (work) => withLimits(flags, signal, work),
    onCall: ({ latency }) => measured = latency.count,
  });
}
