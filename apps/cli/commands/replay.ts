/** `toolwire replay <file>`: a recording as a server for tests, or as a check whether a server still answers alike. */
import { releasing } from "../../../src/internal/clean_up.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import type { Recording } from "../../../src/inspection/recording/recording.ts";
import type { ReplayedCall } from "../../../src/inspection/recording/replay_calls.ts";
import { PORT_FLAG, type ServeFlags } from "../record/serve_proxy.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { withLimits } from "../targets/limits.ts";
import { openTarget } from "../targets/open.ts";
import { loadRecording } from "../targets/recording.ts";
import { parseProgram, parseTarget, type Target } from "../targets/target.ts";
import { printable, printableLine } from "../terminal/terminal.ts";
import { cutToWidth } from "../terminal/width.ts";
import { createProxy } from "../record/proxy.ts";
import { serveProxy } from "../record/serve_proxy.ts";
import { recordingTransport } from "../../../src/testing/recording_transport.ts";
import { pretty } from "../../../src/entries/middleware.ts";
import { replayCalls } from "../../../src/inspection/recording/replay_calls.ts";

interface ReplayFlags extends TargetFlags, ServeFlags {
  readonly against?: string;
  readonly ignore?: readonly string[];
  readonly json?: boolean;
}

export const replayCommand: CliCommand = defineCommand<ReplayFlags, [file: string]>({
  usage: "<file> [--against <target> [--ignore <pointer>] [--json]] [--port <port>] [--stdio]",
  about:
    "Serves a recording: calls are answered by tool and arguments, as the recorded server answered them. With --against, or with a " +
    "program after --, sends the recorded calls to a target and compares the results; differences exit with 1.",
  examples: [
    ["toolwire replay calls.ndjson --port 9000", "A server for tests, which answers from the file"],
    ["toolwire replay calls.ndjson --against ./server.ts --ignore /value/at", "Does the server still answer alike?"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      against: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "target",
        brief: "Target to compare with",
      },
      ignore: {
        kind: "parsed",
        parse: parsePointer,
        optional: true,
        variadic: true,
        placeholder: "/value/at",
        brief: "JSON pointer of a place that is not compared, * for any member; may be repeated",
      },
      port: PORT_FLAG,
      stdio: { kind: "boolean", optional: true, brief: "Serve MCP over standard input and output" },
      json: { kind: "boolean", optional: true, brief: "The comparison as one JSON object on standard output" },
    },
    positional: { kind: "tuple", parameters: [{ brief: "File of the recording", parse: String, placeholder: "file" }] },
  },
  async run(context, flags, file) {
    const recording = loadRecording(file, context.host.cwd);
    const target = targetOf(flags, context);
    return target === undefined
      ? await serveRecording(recording, flags, context)
      : await compareWith(target, recording, flags, context);
  },
});

function targetOf({ against }: ReplayFlags, { program, host }: CliContext): Target | undefined {
  if (program !== undefined) return parseProgram(program);
  return against === undefined ? undefined : parseTarget(against, host.cwd);
}

function parsePointer(text: string): string {
  if (text === "" || text.startsWith("/")) return text;
  throw new TypeError(`${JSON.stringify(text)} is not a JSON pointer such as /value/at`);
}

async function serveRecording(recording: Recording, flags: ReplayFlags, context: CliContext): Promise<void> {
  const { terminal } = context;
  const proxy = await createProxy(recordingTransport(recording), {
    info: recording.head.server,
    logger: pretty({ write: (line) => terminal.note(line), colors: terminal.styleNote("red", "x") !== "x" }),
  });
  await releasing(() => serveProxy(proxy, flags, context), () => proxy.close(0));
}

async function compareWith(
  target: Target,
  recording: Recording,
  flags: ReplayFlags,
  context: CliContext,
): Promise<ExitCode> {
  const signal = context.interruption();
  const connection = await openTarget(target, flags, context, { signal });
  const calls: ReplayedCall[] = [];
  try {
    const options = {
      ignore: flags.ignore ?? [],
      limited: <Value>(work: Parameters<typeof withLimits<Value>>[2]) => withLimits<Value>(flags, signal, work),
    };
    for await (const call of replayCalls(recording, connection.transport, options)) {
      calls.push(call);
      if (flags.json !== true) printCall(call, context);
    }
  } finally {
    await connection.close();
  }
  const counts = countsOf(calls);
  if (flags.json === true) context.terminal.printJson({ ...counts, calls });
  else context.terminal.print(formatCounts(counts));
  return counts.different > 0 ? EXIT.found : EXIT.ok;
}

/** Results of a replay against a target. */
interface Counts {
  readonly same: number;
  readonly different: number;
  readonly skipped: number;
  /** Places that count as equal, because the recording has no secret. */
  readonly redacted: number;
}

function countsOf(calls: readonly ReplayedCall[]): Counts {
  const count = (status: ReplayedCall["status"]) => calls.filter((call) => call.status === status).length;
  const redacted = calls.reduce((sum, call) => sum + call.redacted, 0);
  return { same: count("same"), different: count("different"), skipped: count("skipped"), redacted };
}

function formatCounts({ same, different, skipped, redacted }: Counts): string {
  const places = redacted === 0 ? "" : `; ${redacted} places without their secrets count as equal`;
  return `${same} same, ${different} different, ${skipped} skipped${places}`;
}

function printCall({ n, tool, status, reason, differences }: ReplayedCall, { terminal }: CliContext): void {
  const title = `call ${n} of ${printableLine(tool)}`;
  if (status === "skipped") terminal.note(terminal.styleNote("dim", `– ${title} is skipped: ${reason}`));
  if (status !== "different") return;
  terminal.print(`${terminal.style("red", "✕")} ${title}`);
  for (const { path, recorded, now } of differences) {
    terminal.print(`  ${printable(path === "" ? "/" : path)}`);
    terminal.print(cutToWidth(`    recorded ${show(recorded)}`, terminal.columns));
    terminal.print(cutToWidth(`    now      ${show(now)}`, terminal.columns));
  }
}

function show(value: unknown): string {
  return value === undefined ? "absent" : printableLine(JSON.stringify(value));
}
