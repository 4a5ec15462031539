/** `toolwire types <target>`: the contract of a server, as types for `createClient<Contract>(…)`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { CliError, outFileError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { writeContract, type WrittenContract } from "../contract/contract.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { assertNoMore, readSource } from "../targets/sources.ts";
import { printableLine } from "../terminal/terminal.ts";

interface TypesFlags extends TargetFlags {
  readonly out?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

export const typesCommand: CliCommand = defineCommand<TypesFlags>({
  usage: "<target> [--out <file>] [--check] [--json]",
  about:
    "Writes the types of a server's tools, resources and prompts as one file, for createClient<Contract>(…). The text depends on the " +
    "lists alone. With --check the file is compared and not written; a difference ends with exit code 1. The target may also be a " +
    "file or URL that ends in .json: an OpenAPI document, or the output of toolwire list --json.",
  examples: [
    ["toolwire types https://example.com/mcp -o contract.ts", "Write the contract"],
    ["toolwire types https://example.com/mcp -o contract.ts --check", "In CI: has the server changed?"],
    ["toolwire types ./openapi.json -o api.ts", "Types of the tools that toolsFromOpenApi() makes"],
  ],
  takesProgram: true,
  parameters: {
    aliases: { o: "out" },
    flags: {
      ...TARGET_FLAGS,
      out: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief: "File to write. Default: standard output",
      },
      check: { kind: "boolean", optional: true, brief: "Compare the file of --out, and write nothing" },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" } },
  },
  async run(context, flags, ...words) {
    const { out, check = false } = flags;
    if (check && out === undefined) {
      throw new CliError(EXIT.usage, "--check has no file to compare", { hint: "Name it: --out contract.ts --check" });
    }
    const { source, rest } = await readSource(words, flags, context);
    assertNoMore(rest);
    const contract = await writeContract(source);
    for (const name of contract.leftOut) {
      context.terminal.note(`The tool ${printableLine(name)} has no typed function: call it by client.$.call()`);
    }
    if (out === undefined) return print(contract, flags, context);
    return check ? compare(contract, out, flags, context) : write(contract, out, flags, context);
  },
});

function print({ text, ...contract }: WrittenContract, { json }: TypesFlags, { terminal }: CliContext): ExitCode {
  if (json === true) terminal.printJson({ ...contract, text });
  else terminal.write(text);
  return EXIT.ok;
}

function write(
  { text, ...contract }: WrittenContract,
  out: string,
  { json }: TypesFlags,
  context: CliContext,
): ExitCode {
  const { terminal, host } = context;
  const file = resolve(host.cwd, out);
  const isChanged = readText(file) !== text;
  try {
    if (isChanged) writeFileSync(file, text);
  } catch (cause) {
    throw outFileError(file, cause);
  }
  if (json === true) terminal.printJson({ ...contract, file: out, isChanged });
  else terminal.note(`${out}: ${isChanged ? "written" : "nothing has changed"}, digest ${contract.digest}`);
  return EXIT.ok;
}

/** Compares the file with the contract. Line ends may be those of Windows. */
function compare(
  { text, ...contract }: WrittenContract,
  out: string,
  { json }: TypesFlags,
  context: CliContext,
): ExitCode {
  const { terminal, host } = context;
  const before = readText(resolve(host.cwd, out))?.replaceAll("\r\n", "\n");
  const isChanged = before !== text;
  if (json === true) terminal.printJson({ ...contract, file: out, isChanged });
  else if (before === undefined) terminal.note(`There is no file ${out}: write it without --check`);
  else if (isChanged) {
    terminal.note(
      `${out} differs from the server, from line ${firstDifference(before, text)}: write it without --check`,
    );
  } else terminal.note(`${out} is up to date`);
  return isChanged ? EXIT.found : EXIT.ok;
}

/** `undefined` if there is no file. */
function readText(file: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  } catch (cause) {
    throw outFileError(file, cause);
  }
}

function firstDifference(one: string, other: string): number {
  const lines = other.split("\n");
  return one.split("\n").findIndex((line, index) => line !== lines[index]) + 1 || lines.length;
}
