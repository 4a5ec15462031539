/**
 * The program: finds the command, and returns the exit code.
 *
 * The parser of the words is loaded with a command: the list of commands and the version need none.
 */
import process from "node:process";
import { VERSION } from "../../src/internal/version.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT } from "./exit_codes.ts";
import type { InterruptionSource } from "./run_command.ts";
import type { CliProcess } from "./terminal/process.ts";

/**
 * Runs the command that the words name, and prints its output or its error. Ends the process only at a second Ctrl+C.
 *
 * @param args Words after the program's name.
 * @returns The exit code.
 */
export async function runProgram(
  args: readonly string[],
  host: CliProcess,
  interruption: InterruptionSource,
): Promise<number> {
  const [name, ...words] = args;
  if (name === undefined) return fail(host, usage(), EXIT.usage);
  if (name === "--version") return print(host, `toolwire ${VERSION}`);
  if (isHelp(name)) {
    return words[0] === undefined ? print(host, usage()) : await runProgram([words[0], "--help"], host, interruption);
  }
  const entry = COMMANDS.get(name);
  const running = () => import("./run_command.ts");
  if (name === "__complete") return print(host, await (await running()).proposeWordsAfter(words, host, interruption));
  if (entry === undefined) {
    const { describeUnknownWord } = await running();
    return fail(host, `${describeUnknownWord("command", name, visibleNames())}\n\n${usage()}`, EXIT.usage);
  }
  if (Promise.withResolvers === undefined) {
    return fail(host, `Toolwire needs Node 22 or later; this is ${process.version}`, EXIT.found);
  }
  const [command, { runCommand }] = await Promise.all([entry.load(), running()]);
  return await runCommand(name, command, words[0] === "help" ? ["--help"] : words, host, interruption);
}

function visibleNames(): readonly string[] {
  return [...COMMANDS].filter(([, { isHidden }]) => isHidden !== true).map(([name]) => name).concat("help");
}

function usage(): string {
  const names = visibleNames();
  const width = Math.max(...names.map(({ length }) => length));
  return [
    "Usage: toolwire <command>",
    "",
    ...names.map((name) => `  ${name.padEnd(width)}  ${COMMANDS.get(name)?.about ?? "Show the help of a command"}`),
    "",
    "toolwire help <command> has its options and examples; toolwire --version prints the version.",
    "A target is a module (./server.ts), a URL, a gRPC address, a server of a host (cursor:weather), or a program",
    "(-- npx -y some-server).",
  ].join("\n");
}

function isHelp(word: string): boolean {
  return word === "help" || word === "--help" || word === "-h";
}

function print({ stdout }: CliProcess, text: string): number {
  stdout.write(`${text}\n`);
  return EXIT.ok;
}

function fail({ stderr }: CliProcess, text: string, code: number): number {
  stderr.write(`${text}\n`);
  return code;
}
