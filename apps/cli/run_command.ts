/**
 * Runs one command: the parser reads its words.
 *
 * The parser, @stricli/core, gets one command at a time, so that only the file of that command is loaded.
 */
import {
  type ApplicationText,
  ArgumentScannerError,
  buildApplication,
  formatMessageForArgumentScannerError,
  run,
  text_en,
} from "@stricli/core";
import { closestMatch } from "../../src/internal/closest_match.ts";
import { cutText } from "../../src/internal/text.ts";
import type { CliCommand } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import type { CliContext } from "./context.ts";
import { EXIT } from "./exit_codes.ts";
import type { CliProcess } from "./terminal/process.ts";
import { printable, printableLine, Terminal } from "./terminal/terminal.ts";

/** Receives Ctrl+C for {@link runProgram}, and ends the process. Tests pass another one. */
export interface InterruptionSource {
  /** Calls the listener at each Ctrl+C, in place of ending the process. */
  onInterrupt(listener: () => void): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Runs one command: splits off the program after `--`, and hands the rest to the parser. */
export async function runCommand(
  name: string,
  command: CliCommand,
  words: readonly string[],
  host: CliProcess,
  interruption: InterruptionSource,
): Promise<number> {
  const split = command.takesProgram ? words.indexOf("--") : -1;
  const program = split < 0 ? undefined : words.slice(split + 1);
  const ownWords = withHeaders(split < 0 ? words : words.slice(0, split), command);
  const app = buildApplication<CliContext>(command.command, {
    name: `toolwire ${name}`,
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { disableAnsiColor: true, caseStyle: "convert-camel-to-kebab" },
    localization: { text: textOf(name, command, ownWords.some((word) => word === "--json" || word === "--ndjson")) },
  });
  const { context, streams } = createContext(host, interruption, program);
  await run(app, [...ownWords], context);
  const code = streams.exitCode ?? EXIT.ok;
  // Negative codes are those of the parser.
  return code < 0 ? EXIT.usage : code;
}

/** `-H name:value` of other programs is `--header`. The parser would print its help. */
function withHeaders(words: readonly string[], { flags }: CliCommand): readonly string[] {
  if (!flags.includes("--header")) return words;
  return words.flatMap((word) =>
    word.startsWith("-H") ? ["--header", ...word === "-H" ? [] : [word.slice(2)]] : [word]
  );
}

/** What may follow the words, one a line, for the scripts of `toolwire completions`: `__complete [--next] -- <words>`. */
export async function proposeWordsAfter(
  [first, ...rest]: readonly string[],
  host: CliProcess,
  interruption: InterruptionSource,
): Promise<string> {
  const words = first === "--next" ? [...rest.slice(1), ""] : rest;
  const { proposeWords } = await import("./completions/propose.ts");
  const proposals = await proposeWords(words, COMMANDS, createContext(host, interruption, undefined).context);
  return proposals.map(({ value, about = "" }) => `${value}\t${cutText(printableLine(about), 100)}`).join("\n");
}

function createContext(host: CliProcess, interruption: InterruptionSource, program: readonly string[] | undefined) {
  const streams = {
    stdout: host.stdout,
    stderr: host.stderr,
    env: host.env,
    exitCode: undefined as number | undefined,
  };
  const terminal = new Terminal(host);
  const context: CliContext = {
    process: streams,
    host,
    terminal,
    program,
    ...interruptions(interruption, terminal),
  };
  return { context, streams };
}

/** Creates the signal of Ctrl+C on first use, and passes the next one to its listener, if there is one. */
function interruptions(
  { onInterrupt, exit }: InterruptionSource,
  terminal: Terminal,
): Pick<CliContext, "interruption" | "onNextInterruption"> {
  let controller: AbortController | undefined;
  let next: (() => void) | undefined;
  const interruption = () => {
    if (controller !== undefined) return controller.signal;
    const created = controller = new AbortController();
    onInterrupt(() => {
      if (!created.signal.aborted) return created.abort(new DOMException("Interrupted", "AbortError"));
      const listener = next;
      next = undefined;
      if (listener !== undefined) return listener();
      terminal.status.end();
      exit(EXIT.interrupted);
    });
    return created.signal;
  };
  const onNextInterruption = (listener: () => void) => {
    next = listener;
    return () => {
      if (next === listener) next = undefined;
    };
  };
  return { interruption, onNextInterruption };
}

/** Texts of the parser: errors name the option and a similar one, and show the usage. */
function textOf(name: string, command: CliCommand, isJson: boolean): ApplicationText {
  return {
    ...text_en,
    headers: {
      usage: "Usage:",
      aliases: "Aliases",
      commands: "Commands",
      flags: "Options",
      arguments: "Arguments",
    },
    briefs: {
      ...text_en.briefs,
      help: "Print this help",
      argumentEscapeSequence: command.takesProgram ? "The program that is the target follows" : "Only arguments follow",
    },
    exceptionWhileParsingArguments: (thrown) => {
      const message = thrown instanceof ArgumentScannerError ? describeParserError(thrown, command) : String(thrown);
      if (isJson) return printable(JSON.stringify({ error: { code: "usage", message } }));
      return `${printable(message)}\n\nUsage: toolwire ${name} ${command.usage}\nMore: toolwire help ${name}`;
    },
  };
}

function describeParserError(error: ArgumentScannerError, { flags }: CliCommand): string {
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input }) => describeUnknownWord("option", `--${input}`, flags),
    AliasNotFoundError: ({ input }) => describeUnknownWord("option", `-${input}`, flags),
    UnsatisfiedFlagError: ({ externalFlagName }) => `The option --${externalFlagName} needs a value`,
    UnsatisfiedPositionalError: ({ placeholder }) => `The argument <${placeholder}> is missing`,
    UnexpectedPositionalError: ({ input }) => `There is one argument too many: ${JSON.stringify(input)}`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: option, exception }) =>
      `The option --${option} is invalid: ${exception instanceof Error ? exception.message : String(exception)}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `The option --${externalFlagName} is one of ${values.join(", ")}, not ${JSON.stringify(input)}`,
  });
}

/** States that a command or an option does not exist, and names a similar one. */
export function describeUnknownWord(kind: "command" | "option", name: string, known: readonly string[]): string {
  const similar = closestMatch(name, known);
  const shown = printable(JSON.stringify(name));
  return `There is no ${kind} ${shown}${similar === undefined ? "" : `: did you mean "${similar}"?`}`;
}
