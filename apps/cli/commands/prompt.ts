/** `toolwire prompt <target> <name> [argument=text…]`: fills in a prompt and prints its messages. */
import { asObject } from "../../../src/internal/json.ts";
import { buildArguments } from "../arguments/build.ts";
import { formatBlock } from "../calls/answer_text.ts";
import { openForCalls } from "../calls/with_calls.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT } from "../exit_codes.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { requestLimits, requireMcp } from "../targets/mcp_features.ts";
import { takeTarget } from "../targets/target.ts";
import { printableLine, type Terminal } from "../terminal/terminal.ts";

interface PromptFlags extends TargetFlags {
  readonly json?: boolean;
}

export const promptCommand: CliCommand = defineCommand<PromptFlags>({
  usage: "<target> <name> [argument=text]... [--json]",
  about:
    "Fills in a prompt and prints its messages. Arguments of prompts are text; argument=@file is the text of a file.",
  examples: [["toolwire prompt ./server.ts review language=TypeScript code=@main.ts", "The messages of a prompt"]],
  takesProgram: true,
  parameters: {
    flags: { ...TARGET_FLAGS, json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" } },
    positional: {
      kind: "array",
      parameter: { brief: "Target, name and arguments", parse: String, placeholder: "words" },
    },
  },
  async run(context, flags, ...words) {
    const { target, rest: [name, ...rest] } = takeTarget(words, context);
    if (name === undefined) {
      throw new CliError(EXIT.usage, "The name of the prompt is missing", {
        hint: "toolwire list <target> --prompts has them",
      });
    }
    const args = textArguments(rest, context.host.cwd);
    const connection = await openForCalls(target, flags, context);
    try {
      const mcp = await requireMcp(connection);
      const result = await mcp.prompts.get(name, args, requestLimits(flags, context.interruption()));
      if (flags.json === true) context.terminal.printJson(result);
      else for (const message of result.messages) printMessage(message, context.terminal);
    } finally {
      await connection.close();
    }
  },
});

/** Parses words such as `name=text` to the arguments of a prompt or template, which are text. @throws {CliError} If one is not. */
export function textArguments(words: readonly string[], cwd: string): Readonly<Record<string, string>> {
  const args = buildArguments(words, undefined, { type: "object" }, { cwd, warn() {} });
  const other = Object.entries(args).find(([, value]) => typeof value !== "string");
  if (other === undefined) return args as Readonly<Record<string, string>>;
  throw new CliError(EXIT.usage, `The argument ${other[0]} is not text`, {
    hint: "Arguments of prompts are text: name=text",
  });
}

function printMessage(
  { role, content }: { readonly role: string; readonly content: unknown },
  terminal: Terminal,
): void {
  terminal.print(terminal.style("bold", `${printableLine(role)}:`));
  terminal.print(`${terminal.foreign(formatBlock(asObject(content)))}\n`);
}
