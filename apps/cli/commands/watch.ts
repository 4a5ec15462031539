/** `toolwire watch <target> <token>`: prints the progress of a promise, a line a change, until its work ends. */
import type { Progress } from "../../../src/core/call/outcome.ts";
import { Failure } from "../../../src/core/errors/failure.ts";
import { ToolError } from "../../../src/core/errors/tool_error.ts";
import { RESULT_FLAGS, type ResultFlags } from "../calls/call_flags.ts";
import { createRunner, openForCalls, takeToken, untilInterrupted } from "../calls/with_calls.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT } from "../exit_codes.ts";
import { parseDuration } from "../targets/flags.ts";
import { formatProgress } from "../terminal/progress.ts";

interface WatchFlags extends ResultFlags {
  readonly wait?: number;
}

/** Width of the printed progress, in columns. */
const LINE_COLUMNS = 80;

export const watchCommand: CliCommand = defineCommand<WatchFlags>({
  usage: "<target> <token> [--wait <duration>] [--ndjson]",
  about:
    "Prints each progress of a promise as a line, and at the end how the work ended, without the answer. Ctrl+C stops watching; the work " +
    "continues.",
  examples: [
    ["toolwire watch https://example.com/mcp prom_…", "Progress as it comes"],
    ["toolwire watch ./server.ts prom_… --ndjson --wait 10m", "For scripts, for at most ten minutes"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...RESULT_FLAGS,
      wait: {
        kind: "parsed",
        parse: parseDuration,
        optional: true,
        placeholder: "60s",
        brief: "Longest time to watch",
      },
    },
    positional: { kind: "array", parameter: { brief: "Target and token", parse: String, placeholder: "words" } },
  },
  async run(context, flags, ...words) {
    const { target, token } = await takeToken(words, context);
    const { terminal } = context;
    const isJson = flags.json === true || flags.ndjson === true;
    const print = (event: Readonly<Record<string, unknown>>, line: string) =>
      isJson ? terminal.printJson(event) : terminal.print(line);
    const connection = await openForCalls(target, flags, context);
    const limits = { ...flags, ...(flags.wait !== undefined && { timeout: flags.wait }) };
    const runner = createRunner(connection, limits, context, {
      onPartial() {},
      onPromise() {},
      onProgress: (progress: Progress) => print({ progress }, formatProgress("", progress, LINE_COLUMNS, 0).trim()),
    });
    try {
      return await untilInterrupted(
        async () => {
          const outcome = await endOf(runner.redeem(token));
          print({ outcome }, `ended with ${outcome === "answer" ? "an answer" : "a failure"}`);
        },
        runner,
        context,
        { stopsWaiting: true },
      );
    } finally {
      await connection.close();
    }
  },
});

/** How the work ended. Rejects with errors other than failures; cancelled work is not an interruption of this program. */
async function endOf(answer: Promise<unknown>): Promise<"answer" | "failure"> {
  try {
    await answer;
    return "answer";
  } catch (thrown) {
    if ((thrown instanceof Failure || thrown instanceof ToolError) && thrown.code === "cancelled") {
      throw new CliError(EXIT.refused, "The work was cancelled", { code: "cancelled", cause: thrown });
    }
    if (thrown instanceof Failure) return "failure";
    throw thrown;
  }
}
