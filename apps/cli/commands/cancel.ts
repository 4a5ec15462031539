/** `toolwire cancel <target> <token>`: cancels the work of a promise. */
import { createCoreClient } from "../../../src/client/core_client.ts";
import { takeToken } from "../calls/with_calls.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { openTarget } from "../targets/open.ts";

interface CancelFlags extends TargetFlags {
  readonly json?: boolean;
}

export const cancelCommand: CliCommand = defineCommand<CancelFlags>({
  usage: "<target> <token> [--json]",
  about: "Cancels the work of a promise. Prints whether it was still running. The token - is read from standard input.",
  examples: [["toolwire cancel https://example.com/mcp prom_…", "Cancel it"]],
  takesProgram: true,
  parameters: {
    flags: { ...TARGET_FLAGS, json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" } },
    positional: { kind: "array", parameter: { brief: "Target and token", parse: String, placeholder: "words" } },
  },
  async run(context, flags, ...words) {
    const { target, token } = await takeToken(words, context);
    const signal = context.interruption();
    const connection = await openTarget(target, flags, context, { signal });
    try {
      const { timeout: timeoutMs } = flags;
      const limits = timeoutMs === undefined ? { signal } : { signal, timeoutMs };
      const isCancelled = await createCoreClient(connection.transport).$.redeem(token).cancel(limits);
      if (flags.json === true) context.terminal.printJson({ cancelled: isCancelled });
      else context.terminal.print(isCancelled ? "cancelled" : "had already ended");
    } finally {
      await connection.close();
    }
  },
});
