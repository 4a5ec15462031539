/**
 * A command of the program: its parameters for the parser, its help, and its function.
 *
 * Each command is a file of `apps/cli/commands/` that exports the result of {@link defineCommand}, with one entry in
 * `apps/cli/commands.ts`. The file is loaded when the command is used: import what only some calls need inside of `run`.
 */
import { buildCommand, type Command, type TypedCommandParameters } from "@stricli/core";
import { toReportedError } from "./cli_error.ts";
import type { CliContext } from "./context.ts";
import { EXIT, type ExitCode } from "./exit_codes.ts";
import { printError } from "./print_error.ts";
import { wrapText } from "./terminal/wrap.ts";

/** Width of descriptions, in columns. */
const HELP_COLUMNS = 90;

/** Any object type with flags, interfaces included. */
type FlagsOf<Flags> = Readonly<Partial<Record<keyof Flags, unknown>>>;

/** Definition of a command of `toolwire`, for {@link defineCommand}: its help, its parameters and its function. */
export interface CommandDefinition<Flags extends FlagsOf<Flags>, Words extends readonly string[]> {
  /** Arguments of the usage line, without the command's name: `<url> [--out <file>]`. */
  readonly usage: string;
  /** Description below the usage: what it does, in a few sentences. */
  readonly about: string;
  /** Calls to copy, with their meaning. */
  readonly examples: readonly (readonly [call: string, meaning: string])[];
  /** Flags and arguments, as @stricli/core takes them. */
  readonly parameters: TypedCommandParameters<Flags, Words, CliContext>;
  /** Whether the words after `--` are the program that is the target. Otherwise they are arguments. Default: `false`. */
  readonly takesProgram?: boolean;
  /**
   * Runs the command. Exceptions are printed and determine the exit code (`cli_error.ts`).
   *
   * @returns The exit code. Default: 0.
   */
  run(context: CliContext, flags: Flags, ...words: Words): Promise<ExitCode | void>;
}

/** What {@link defineCommand} returns: a command that the parser runs, and its flags for completions and error messages. */
export interface CliCommand {
  readonly usage: string;
  readonly takesProgram: boolean;
  /** Names of its flags, as they are written: `--bearer-env`. */
  readonly flags: readonly string[];
  /** Flags that take a value, with all of their values; an empty list if any text is one. */
  readonly flagValues: Readonly<Record<string, readonly string[]>>;
  /** The command for the parser. `process.exitCode` of the context receives the exit code. */
  readonly command: Command<CliContext>;
}

/** Creates a command from its definition. An exception of `run` is printed, as JSON with `--json` or `--ndjson`, and sets the exit code. */
export function defineCommand<Flags extends FlagsOf<Flags>, Words extends readonly string[] = readonly string[]>(
  definition: CommandDefinition<Flags, Words>,
): CliCommand {
  const { usage, about, examples, parameters, takesProgram = false } = definition;
  const command = buildCommand<Flags, Words, CliContext>({
    docs: {
      brief: about,
      fullDescription: `${wrapText(about, HELP_COLUMNS, 0).join("\n")}\n\n${formatExamples(examples)}`,
      customUsage: [usage],
    },
    parameters: parameters as never,
    async func(flags, ...words) {
      const exitCode = await runReported(this, flags, () => definition.run(this, flags, ...words));
      // The parser knows only success and failure.
      (this.process as { exitCode?: number }).exitCode = exitCode;
    },
  });
  const flags: FlagTable = parameters.flags ?? {};
  return { usage, takesProgram, flags: Object.keys(flags).map(flagName), flagValues: flagValuesOf(flags), command };
}

async function runReported(
  context: CliContext,
  flags: { readonly json?: unknown; readonly ndjson?: unknown },
  work: () => Promise<ExitCode | void>,
): Promise<ExitCode> {
  try {
    return await work() ?? EXIT.ok;
  } catch (thrown) {
    const error = toReportedError(thrown);
    printError(context.terminal, error, flags.json === true || flags.ndjson === true);
    return error.exitCode;
  } finally {
    context.terminal.status.end();
  }
}

function formatExamples(examples: CommandDefinition<object, readonly string[]>["examples"]): string {
  return ["Examples", ...examples.map(([call, meaning]) => `  ${call}\n      ${meaning}`)].join("\n");
}

/** Flags of a command by their names, as far as completions need them. */
type FlagTable = Readonly<Record<string, { readonly kind: string; readonly values?: readonly string[] }>>;

/** `bearerEnv`: `--bearer-env`. */
function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function flagValuesOf(flags: FlagTable): Readonly<Record<string, readonly string[]>> {
  const valued = Object.entries(flags).filter(([, { kind }]) => kind !== "boolean" && kind !== "counter");
  return Object.fromEntries(valued.map(([name, { values = [] }]) => [flagName(name), values]));
}
