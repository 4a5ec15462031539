/** Writes the file of a flag such as `--out`. */
import { resolve } from "node:path";
import type { CliContext } from "../context.ts";
import { printableLine } from "../terminal/terminal.ts";
import { writeFile, type WriteOptions, type WrittenFile } from "./write_file.ts";

/** Text near the start of files that a command generates, and can generate again. */
const MARK = /written by `toolwire \w+`/;

/**
 * Writes a file that the user has named, relative to the working directory, and names the copy of the old one. Text that a command of
 * Toolwire has generated is replaced without a copy.
 *
 * @throws {CliError} If the path is not that of a regular file, or it cannot be written.
 */
export async function writeOut(
  out: string,
  content: string | Uint8Array,
  { host, terminal }: CliContext,
  options: WriteOptions = {},
): Promise<WrittenFile> {
  const isDisposable = (old: Uint8Array) =>
    MARK.test(new TextDecoder().decode(old.subarray(0, 500))) || options.isDisposable?.(old) === true;
  const written = await writeFile(resolve(host.cwd, out), content, { ...options, isDisposable });
  if (written.backup !== undefined) terminal.note(`The old file is ${printableLine(written.backup)}`);
  return written;
}
