/** Finds what a path names: links are resolved, and only regular files are read or replaced. */
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { CliError } from "../cli_error.ts";
import { EXIT } from "../exit_codes.ts";

/** A regular file, or the place of one that does not exist yet. */
export interface FilePlace {
  /** Absolute path, as the user named it. */
  readonly file: string;
  /** Absolute path of the file itself, with all links resolved. */
  readonly target: string;
  readonly exists: boolean;
}

/** Limits of the places that {@link locateFile} accepts. */
export interface PlaceLimits {
  /** Folder that the file has to be in when links are resolved: for names that the user did not write. Default: any folder. */
  readonly within?: string | undefined;
}

/**
 * Finds the file at a path.
 *
 * @throws {CliError} If it is a folder, a device, a pipe, a link to nothing, or outside of the folder that was named.
 */
export function locateFile(path: string, limits: PlaceLimits = {}, verb: FileVerb = "write"): FilePlace {
  const file = resolve(path);
  return attemptOn(file, () => locate(file, limits, verb), verb);
}

function locate(file: string, { within }: PlaceLimits, verb: FileVerb): FilePlace {
  const refuse = (reason: string) => fileRefusal(file, reason, undefined, verb);
  const stats = statOf(file, verb);
  if (stats === undefined && isLink(file, verb)) throw refuse("it is a link to a file that does not exist");
  if (stats !== undefined && !stats.isFile()) throw refuse(`it is ${kindOf(stats)}, not a regular file`);
  const target = stats === undefined ? targetOfNew(file) : realpathSync(file);
  if (within !== undefined && !isWithin(target, within)) throw refuse(`it leads to ${target}, outside of ${within}`);
  return { file, target, exists: stats !== undefined };
}

/** Bytes of a regular file; `undefined` if it does not exist. @throws {CliError} As {@link locateFile}, or if it cannot be read. */
export function readFileBytes(path: string, limits?: PlaceLimits): Uint8Array | undefined {
  const { exists, target } = locateFile(path, limits, "read");
  return attemptOn(path, () => exists ? readFileSync(target) : undefined, "read");
}

/** `, a link to …` if the file is one, for messages; otherwise empty. @throws {CliError} If its folder cannot be read. */
export function describeLink({ file, target }: FilePlace): string {
  const isSame = attemptOn(file, () => targetOfNew(file), "read") === target;
  return isSame ? "" : `, a link to ${target}`;
}

/** What a command does with a file, for the messages of errors. */
export type FileVerb = "read" | "write" | "delete";

/** Runs a step whose exceptions are those of the file system. @throws {CliError} For each of them. */
export function attemptOn<Value>(file: string, step: () => Value, verb: FileVerb = "write"): Value {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw fileRefusal(file, (cause as Error).message, cause, verb);
  }
}

/** Creates the error of a file that is not read or written. */
export function fileRefusal(file: string, reason: string, cause?: unknown, verb: FileVerb = "write"): CliError {
  return new CliError(EXIT.usage, `Cannot ${verb} the file ${file}: ${reason}`, { code: "file", cause });
}

/** Reads what is at a path. Node throws for a folder that is a file with `lstatSync` only, Bun and Deno with both. */
function statOf(file: string, verb: FileVerb, read: typeof statSync = statSync): Stats | undefined {
  try {
    return read(file, { throwIfNoEntry: false });
  } catch (cause) {
    const { code } = cause as { readonly code?: string };
    throw fileRefusal(file, code === "ENOTDIR" ? "its folder is a file" : (cause as Error).message, cause, verb);
  }
}

function isLink(file: string, verb: FileVerb): boolean {
  return statOf(file, verb, lstatSync)?.isSymbolicLink() === true;
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** The folders that exist are resolved, the others are created as they are named. */
function targetOfNew(file: string): string {
  return join(realpathOf(dirname(file)), basename(file));
}

function realpathOf(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return realpathSync(folder);
  return dirname(folder) === folder ? folder : join(realpathOf(dirname(folder)), basename(folder));
}

function isWithin(target: string, folder: string): boolean {
  const inside = relative(realpathOf(resolve(folder)), target);
  return inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
