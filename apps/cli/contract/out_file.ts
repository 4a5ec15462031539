/** Prints a text that a command made of a server's lists, writes it to a file, or compares the file with it. */
import { resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit_codes.ts";
import { readFileBytes } from "../files/place.ts";
import { writeOut } from "../files/write_out.ts";
import { printableLine } from "../terminal/terminal.ts";

/** Flags of `types` and `proto`: the file, whether to compare it in place of writing, and output as JSON. */
export interface OutFlags {
  readonly out?: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** A flag without a value, as the parser of arguments takes it. */
interface BooleanFlag {
  readonly kind: "boolean";
  readonly optional: true;
  readonly brief: string;
}

/** Flags of {@link OutFlags}, for the parser. */
export const OUT_FLAGS: {
  readonly out: {
    readonly kind: "parsed";
    readonly parse: (text: string) => string;
    readonly optional: true;
    readonly placeholder: string;
    readonly brief: string;
  };
  readonly check: BooleanFlag;
  readonly json: BooleanFlag;
} = {
  out: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "File to write. Default: standard output",
  },
  check: { kind: "boolean", optional: true, brief: "Compare the file of --out, and write nothing" },
  json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
};

/** A text, and further members for `--json`. With `--out` the JSON has `file` and `isChanged` in place of the text. */
export interface OutText {
  readonly text: string;
  readonly [member: string]: unknown;
}

/** @throws {CliError} If `--check` is given without `--out`. Its hint names `example` as the file. */
export function assertComparable({ out, check }: OutFlags, example: string): void {
  if (check === true && out === undefined) {
    throw new CliError(EXIT.usage, "--check has no file to compare", { hint: `Name it: --out ${example} --check` });
  }
}

/**
 * Prints a text, writes it to the file of `--out` if that differs, or compares it with `--check`: a difference is exit code 1.
 *
 * @param note Text that follows the message about the written file, such as the digest.
 */
export async function putText(
  written: OutText,
  flags: OutFlags,
  context: CliContext,
  note: string = "",
): Promise<ExitCode> {
  const { out, check = false } = flags;
  if (out === undefined) return print(written, flags, context);
  return check ? compare(written, out, flags, context) : await write(written, out, flags, context, note);
}

function print({ text, ...members }: OutText, { json }: OutFlags, { terminal }: CliContext): ExitCode {
  if (json === true) terminal.printJson({ ...members, text });
  else terminal.write(text);
  return EXIT.ok;
}

async function write(
  { text, ...members }: OutText,
  out: string,
  { json }: OutFlags,
  context: CliContext,
  note: string,
): Promise<ExitCode> {
  const { terminal } = context;
  const { isChanged, link } = await writeOut(out, text, context);
  if (json === true) terminal.printJson({ ...members, file: out, isChanged });
  else {terminal.note(
      `${printableLine(out)}${printableLine(link)}: ${isChanged ? "written" : "nothing has changed"}${note}`,
    );}
  return EXIT.ok;
}

/** Compares the file with the text. Line ends may be those of Windows. */
function compare(
  { text, ...members }: OutText,
  out: string,
  { json }: OutFlags,
  { terminal, host }: CliContext,
): ExitCode {
  const before = readText(resolve(host.cwd, out))?.replaceAll("\r\n", "\n");
  const isChanged = before !== text;
  if (json === true) terminal.printJson({ ...members, file: out, isChanged });
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
  const bytes = readFileBytes(file);
  return bytes && new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function firstDifference(one: string, other: string): number {
  const lines = other.split("\n");
  return one.split("\n").findIndex((line, index) => line !== lines[index]) + 1 || lines.length;
}
