/** `toolwire complete <target> <prompt or template> <argument> [start]`: completes an argument. */
import { openForCalls } from "../calls/with_calls.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT } from "../exit_codes.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { requestLimits, requireMcp } from "../targets/mcp_features.ts";
import { takeTarget } from "../targets/target.ts";
import { printableLine } from "../terminal/terminal.ts";
import { textArguments } from "./prompt.ts";

interface CompleteFlags extends TargetFlags {
  readonly json?: boolean;
  readonly with?: readonly string[];
}

export const completeCommand: CliCommand = defineCommand<CompleteFlags>({
  usage: "<target> <prompt or template> <argument> [start] [--with name=value]... [--json]",
  about: "Completes an argument of a prompt, or a variable of a resource template. Prints a value a line.",
  examples: [
    ["toolwire complete ./server.ts review language Ty", "Values that begin with Ty"],
    ["toolwire complete ./server.ts 'files://{folder}/{name}' name --with folder=src", "A variable of a template"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      with: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name=value",
        brief: "Another argument, whose value is known; may be repeated",
      },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "Target, prompt, argument, start", parse: String, placeholder: "words" },
    },
  },
  async run(context, flags, ...words) {
    const { target, rest: [name, argument, value = ""] } = takeTarget(words, context);
    if (name === undefined || argument === undefined) {
      throw new CliError(EXIT.usage, "Name a prompt or a template, and its argument", {
        hint: "toolwire list <target> has them",
      });
    }
    const known = textArguments(flags.with ?? [], context.host.cwd);
    const connection = await openForCalls(target, flags, context);
    try {
      const mcp = await requireMcp(connection);
      const ref = name.includes("{") || name.includes("://")
        ? { type: "ref/resource" as const, uri: name }
        : { type: "ref/prompt" as const, name };
      const completed = await mcp.complete(
        { ref, argument: { name: argument, value }, context: { arguments: known } },
        requestLimits(flags, context.interruption()),
      );
      if (flags.json === true) context.terminal.printJson(completed);
      else for (const one of completed.values) context.terminal.print(printableLine(one));
    } finally {
      await connection.close();
    }
  },
});
