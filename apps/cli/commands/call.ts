/** `toolwire call <target> <tool> [name=value…]`: calls a tool and prints its answer. */
import { isSystemTool, type ListedTool } from "../../../src/core/call/transport.ts";
import type { Members } from "../../../src/internal/json.ts";
import { closestMatch } from "../../../src/internal/closest_match.ts";
import { buildArguments, parseObject } from "../arguments/build.ts";
import { RESULT_FLAGS, type ResultFlags } from "../calls/call_flags.ts";
import { CallPrinter } from "../calls/call_printer.ts";
import type { CallRunner } from "../calls/run_call.ts";
import { writeAnswer } from "../calls/write_answer.ts";
import { createRunner, openForCalls, untilInterrupted } from "../calls/with_calls.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { readTextFile } from "../targets/flags.ts";
import { takeTarget } from "../targets/target.ts";
import { readInput } from "../terminal/read_input.ts";

interface CallFlags extends ResultFlags {
  readonly args?: string;
  readonly input?: string;
  readonly detach?: boolean;
  readonly key?: string;
  readonly out?: string;
}

export const callCommand: CliCommand = defineCommand<CallFlags>({
  usage: "<target> <tool> [name=value]... [--args <json>] [--out <file>] [--detach] [--json]",
  about:
    "Calls a tool. Values are converted by the tool's schema: name=value is text where text fits, else JSON; name:=json is exactly " +
    "that JSON; name=@file is the text of a file; a.b=1 and list[]=x reach into objects and lists. Pieces of the answer are printed " +
    "as they come. Questions are asked in the terminal, promises are waited for. Ctrl+C cancels the call; one that is promised " +
    "continues at its server, unless Ctrl+C is pressed again.",
  examples: [
    ["toolwire call ./server.ts add a=1 b=2", "A tool of a module"],
    ["toolwire call https://example.com/mcp search query=mcp filter.year=2026 tags[]=a tags[]=b", "Nested arguments"],
    [
      "echo '{\"a\": 1}' | toolwire call ./server.ts add --args - b=2",
      "Arguments of standard input; words override them",
    ],
    [
      "toolwire call https://example.com/mcp analyze id=movies --detach",
      "The token of a promise, for `toolwire redeem`",
    ],
    ["toolwire call ./server.ts plot year=2026 -o chart.png", "The picture of the answer, as a file"],
    ["toolwire call get-sum a=1 b=2 -- npx -y @modelcontextprotocol/server-everything", "A tool of a program"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...RESULT_FLAGS,
      args: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "json",
        brief: "All arguments as a JSON object, @file, or - for standard input",
      },
      input: { kind: "parsed", parse: String, optional: true, placeholder: "file", brief: "The same as --args @file" },
      detach: { kind: "boolean", optional: true, brief: "Print the token of a promise in place of waiting" },
      key: { kind: "parsed", parse: String, optional: true, placeholder: "key", brief: "Idempotency key" },
      out: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief: "File for the picture, sound, resource or text of the answer",
      },
    },
    aliases: { o: "out" },
    positional: {
      kind: "array",
      parameter: { brief: "Target, tool and arguments", parse: String, placeholder: "words" },
    },
  },
  async run(context, flags, ...words) {
    const { target, rest: [name, ...rest] } = takeTarget(words, context);
    if (name === undefined) {
      throw new CliError(EXIT.usage, "The name of the tool is missing", { hint: "toolwire list <target> has them" });
    }
    const whole = await wholeOf(flags, context);
    const connection = await openForCalls(target, flags, context);
    try {
      const tool = findTool(name, await connection.tools());
      const warn = (message: string) => context.terminal.note(message);
      const args = buildArguments(rest, whole, tool?.inputSchema ?? {}, { cwd: context.host.cwd, warn });
      const printer = new CallPrinter(context.terminal, flags, name, flags.detach !== true);
      const runner = createRunner(connection, flags, context, printer);
      const send = flags.detach === true ? detach : callAndPrint;
      const call: CallOnce = { name, args, runner, printer, wire: connection.wire, context, flags };
      // The work of a module or a program ends with this process.
      const detachesFrom = connection.url === undefined ? undefined : words[0];
      return await untilInterrupted(() => send(call), runner, context, { tool, detachesFrom });
    } finally {
      await connection.close();
    }
  },
});

/** What one call needs: its arguments, and where its answer goes. */
interface CallOnce {
  readonly name: string;
  readonly args: Members;
  readonly runner: CallRunner;
  readonly printer: CallPrinter;
  readonly wire: string;
  readonly context: CliContext;
  readonly flags: CallFlags;
}

async function callAndPrint({ name, args, runner, printer, wire, context, flags: { out } }: CallOnce): Promise<void> {
  const startedMs = performance.now();
  printer.begin();
  const answer = await runner.call(name, args);
  const summary = { wire, tookMs: performance.now() - startedMs };
  if (out === undefined) return printer.end(answer, summary);
  const rest = await writeAnswer(answer, out, context);
  printer.endWritten(rest, summary);
}

async function detach({ name, args, runner, wire, context: { terminal }, flags }: CallOnce): Promise<void> {
  const token = await runner.start(name, args);
  if (wire === "memory") terminal.note("The module's work ends with this process, unless its engine stores jobs");
  if (flags.json === true || flags.ndjson === true) terminal.printJson({ outcome: "promise", token, wire });
  else terminal.print(token);
}

/** The object of `--args` or `--input`. */
async function wholeOf({ args, input }: CallFlags, { host }: CliContext): Promise<Members | undefined> {
  if (args !== undefined && input !== undefined) {
    throw new CliError(EXIT.usage, "Give one of --args and --input", {
      hint: "--input file is the same as --args @file",
    });
  }
  const file = input ?? (args?.startsWith("@") ? args.slice(1) : undefined);
  if (file === "-" || args === "-") return parseObject(await readInput(host), "Standard input");
  if (file === undefined) return args === undefined ? undefined : parseObject(args, "--args");
  const option = input === undefined ? "--args" : "--input";
  return parseObject(readTextFile(file, host.cwd, option), `The file ${file} of ${option}`);
}

/**
 * Returns a tool by its name; `undefined` if it is not listed beside `search_tools` and `call_tool`, which reach unlisted tools.
 *
 * @throws {CliError} If there is no such tool.
 */
function findTool(name: string, tools: readonly ListedTool[]): ListedTool | undefined {
  const found = tools.find((tool) => tool.name === name);
  const hasSearch = ["search_tools", "call_tool"].every((system) => tools.some((tool) => tool.name === system));
  if (found !== undefined || hasSearch) return found;
  const names = tools.filter((tool) => !isSystemTool(tool)).map((tool) => tool.name);
  const similar = closestMatch(name, names);
  throw new CliError(EXIT.refused, `There is no tool ${JSON.stringify(name)}`, {
    code: "tool_not_found",
    hint: similar === undefined ? `There are: ${names.join(", ")}` : `Did you mean ${similar}?`,
    data: { requested_tool: name, available_tools: names },
  });
}
