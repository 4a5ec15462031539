/** `toolwire redeem <target> <token>`: waits for the answer of a promise, which any process may have begun. */
import { createCoreClient } from "../../../src/client/core_client.ts";
import type { PromiseOutcome } from "../../../src/core/call/outcome.ts";
import { RESULT_FLAGS, type ResultFlags } from "../calls/call_flags.ts";
import { CallPrinter } from "../calls/call_printer.ts";
import { createRunner, openForCalls, takeToken, untilInterrupted } from "../calls/with_calls.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { parseDuration } from "../targets/flags.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { formatProgress } from "../terminal/progress.ts";

interface RedeemFlags extends ResultFlags {
  readonly wait?: number;
  readonly status?: boolean;
}

export const redeemCommand: CliCommand = defineCommand<RedeemFlags>({
  usage: "<target> <token> [--wait <duration>] [--status] [--json]",
  about:
    "Waits for the answer of a promise, with its progress, and prints it. Questions of the work are asked in the terminal. Ctrl+C " +
    "stops waiting; the work continues. The token - is read from standard input.",
  examples: [
    ["toolwire redeem https://example.com/mcp prom_…", "Wait for the answer"],
    ["toolwire redeem ./server.ts prom_… --wait 60s", "Wait for at most a minute; then exit code 4"],
    ["toolwire redeem https://example.com/mcp prom_… --status --json", "The current state, at once"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...RESULT_FLAGS,
      wait: { kind: "parsed", parse: parseDuration, optional: true, placeholder: "60s", brief: "Longest time to wait" },
      status: { kind: "boolean", optional: true, brief: "Print the current state in place of waiting" },
    },
    positional: { kind: "array", parameter: { brief: "Target and token", parse: String, placeholder: "words" } },
  },
  async run(context, flags, ...words) {
    const { target, token } = await takeToken(words, context);
    const connection = await openForCalls(target, flags, context);
    try {
      if (flags.status === true) return await printStatus(connection, token, flags, context);
      return await redeemAndPrint(connection, token, flags, context);
    } finally {
      await connection.close();
    }
  },
});

async function redeemAndPrint(
  connection: TargetConnection,
  token: string,
  flags: RedeemFlags,
  context: CliContext,
): Promise<ExitCode> {
  const printer = new CallPrinter(context.terminal, flags, "waiting", false);
  const limits = { ...flags, ...(flags.wait !== undefined && { timeout: flags.wait }) };
  const runner = createRunner(connection, limits, context, printer);
  const startedMs = performance.now();
  printer.begin();
  return await untilInterrupted(
    async () => {
      const answer = await runner.redeem(token);
      printer.end(answer, { wire: connection.wire, tookMs: performance.now() - startedMs });
    },
    runner,
    context,
    { stopsWaiting: true },
  );
}

/** Prints the state: the outcome with `--json`, else a line. */
async function printStatus(
  { transport, wire }: TargetConnection,
  token: string,
  { json, ndjson }: RedeemFlags,
  { terminal, interruption }: CliContext,
): Promise<ExitCode> {
  const outcome = await createCoreClient(transport).$.redeem(token).status({ signal: interruption() });
  if (json === true || ndjson === true) {
    const { kind, ...members } = outcome;
    terminal.printJson({ outcome: kind, ...members, wire });
  } else {
    terminal.print(outcome.kind === "promise" ? describeRunning(outcome) : outcome.kind);
  }
  return EXIT.ok;
}

function describeRunning({ progress, ttlMs }: PromiseOutcome): string {
  const expiry = `expires in ${Math.round(ttlMs / 1000)} s`;
  return progress === undefined
    ? `running, ${expiry}`
    : `running, ${expiry}: ${formatProgress("", progress, 60, 0).trim()}`;
}
