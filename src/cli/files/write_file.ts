/**
 * Writes files: the only place where commands do. Regular files alone, with links resolved, under a lock, and at once: a reader sees
 * the old text or the new one. What is replaced stays as a copy.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { CliError } from "../cli_error.ts";
import { acquireLock, type FileLock, withLock } from "./lock.ts";
import { describeLink, type FilePlace, fileRefusal, locateFile, type PlaceLimits, readFileBytes } from "./place.ts";

/** How a file is written. */
export interface WriteOptions extends PlaceLimits {
  /** Mode of a new file. Default: what the process creates files with. */
  readonly mode?: number | undefined;
  /** Whether the copy of a linked file is beside the link, for links of the user's own. Default: beside the file that it leads to. */
  readonly copiesBesideLink?: boolean;
  /** Mode with which missing folders are created. Default: a missing folder is an error. */
  readonly folderMode?: number | undefined;
  /** Whether old content needs no copy: it can be made again, or the command owns the file. Default: it is copied. */
  readonly isDisposable?: ((old: Uint8Array) => boolean) | undefined;
}

/** Result of writing a file. */
export interface WrittenFile {
  /** `, a link to …` if the path is one; otherwise empty. For messages. */
  readonly link: string;
  /** Whether the content was another one. Otherwise nothing was written. */
  readonly isChanged: boolean;
  /** Path of the copy of the old content. */
  readonly backup: string | undefined;
}

/** Writes a file, as {@link updateFile} with content that does not depend on the old one. */
export function writeFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<WrittenFile> {
  return updateFile(path, () => content, options);
}

/**
 * Changes a file: no other process of Toolwire writes it between the reading and the writing.
 *
 * @param change Returns the new content of the old one; `undefined` to leave the file.
 * @throws {CliError} If the path is not that of a regular file, or it cannot be written. Exceptions of `change` are passed on.
 */
export async function updateFile(
  path: string,
  change: (old: Uint8Array | undefined) => MaybeContent | Promise<MaybeContent>,
  options: WriteOptions = {},
): Promise<WrittenFile> {
  const place = prepare(path, options);
  return await withLock(place.target, async () => {
    const old = readFileBytes(place.file, options);
    const after = await change(old);
    const bytes = typeof after === "string" ? new TextEncoder().encode(after) : after;
    if (bytes === undefined || (old !== undefined && isEqual(old, bytes))) {
      return { link: describeLink(place), isChanged: false, backup: undefined };
    }
    const now = readFileBytes(place.file, options);
    if (now === undefined ? old !== undefined : old === undefined || !isEqual(now, old)) {
      throw fileRefusal(place.file, "another program has changed it meanwhile; run the command again");
    }
    return attempt(place.file, () => replace(place, old, bytes, options));
  });
}

type MaybeContent = string | Uint8Array | undefined;

/**
 * Runs `work` while no other process does so for the same file. `work` may write the file: this lock is another one than that of writing.
 *
 * @throws {CliError} If another process has the lock for a minute.
 */
export async function whileUsed<Value>(
  path: string,
  work: () => Promise<Value>,
  options: WriteOptions = {},
): Promise<Value> {
  return await withLock(`${prepare(path, options).target}.used`, work);
}

/** Creates files in a folder that has none of them. @throws {CliError} If one exists, or cannot be written. */
export function createFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const { file, target } = locateFile(join(folder, path));
    attempt(file, () => {
      mkdirSync(dirname(target), { recursive: true });
      locateFile(file, { within: folder });
      writeFileSync(target, text, { flag: "wx" });
    });
  }
}

/** A file to which lines are appended while a command runs. */
export interface LineFile {
  /** Path of the copy of the file that it replaced. */
  readonly backup: string | undefined;
  write(text: string): void;
  close(): void;
}

/**
 * Creates a file for lines that only its owner can read. It has the lock until it is closed.
 *
 * @param replaces Whether an existing file is copied and replaced. Otherwise it is an error.
 * @throws {CliError} If the file exists, or another process writes it, or it cannot be created.
 */
export async function openLines(path: string, replaces: boolean): Promise<LineFile> {
  const place = prepare(path, { folderMode: 0o700 });
  const lock = await acquireLock(place.target, 0);
  try {
    return attempt(place.file, () => startLines(place, replaces, lock));
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function startLines({ file, target }: FilePlace, replaces: boolean, lock: FileLock): LineFile {
  const old = readFileBytes(file);
  if (old !== undefined && !replaces) throw fileRefusal(file, "it exists");
  const backup = old === undefined || old.length === 0 ? undefined : copyAside(target, target);
  publish(target, new Uint8Array(), 0o600, old !== undefined);
  const descriptor = openSync(target, constants.O_WRONLY | constants.O_APPEND);
  return {
    backup,
    write: (text) => void writeSync(descriptor, text),
    close() {
      closeSync(descriptor);
      lock.release();
    },
  };
}

/** Finds the place of a file, whose folder then exists. */
function prepare(path: string, { folderMode: mode, ...limits }: WriteOptions): FilePlace {
  const place = locateFile(path, limits);
  const folder = dirname(place.target);
  if (existsSync(folder)) return place;
  if (mode === undefined) throw fileRefusal(place.file, "its folder does not exist");
  attempt(place.file, () => mkdirSync(folder, { recursive: true, mode }));
  return locateFile(path, limits);
}

function replace(
  place: FilePlace,
  old: Uint8Array | undefined,
  bytes: Uint8Array,
  { isDisposable, mode, copiesBesideLink = false }: WriteOptions,
): WrittenFile {
  const { file, target } = place;
  const isKept = old !== undefined && old.length > 0 && isDisposable?.(old) !== true;
  const backup = isKept ? copyAside(target, copiesBesideLink ? file : target) : undefined;
  publish(target, bytes, old === undefined ? mode : statSync(target).mode & 0o777, old !== undefined);
  return { link: describeLink(place), isChanged: true, backup };
}

/** Maximum number of copies of the same second. */
const MAX_COPIES = 1_000;

/** Copies a file to a new name. An earlier copy is never overwritten: it may be the last one of the user's own text. */
function copyAside(target: string, beside: string): string {
  const stem = `${beside}.toolwire-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}`;
  for (let number = 1;; number++) {
    const copy = `${stem}${number === 1 ? "" : `-${number}`}.bak`;
    try {
      copyFileSync(target, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (thrown) {
      // Deno gives this error no code.
      if (!existsSync(copy) || number >= MAX_COPIES) throw thrown;
    }
  }
}

/** Writes a file beside the target and gives it the target's name. A new file does not replace one that appeared meanwhile. */
function publish(target: string, bytes: Uint8Array, mode: number | undefined, replaces: boolean): void {
  const neighbour = join(dirname(target), `.${basename(target)}.toolwire-${process.pid}`);
  rmSync(neighbour, { force: true });
  try {
    const descriptor = openSync(neighbour, "wx", mode ?? 0o666);
    try {
      writeFileSync(descriptor, bytes);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // The mode of the process may have taken bits away.
    if (mode !== undefined) chmodSync(neighbour, mode);
    if (replaces) keepOwner(neighbour, statSync(target));
    if (replaces) renameSync(neighbour, target);
    else placeNew(neighbour, target);
  } finally {
    rmSync(neighbour, { force: true });
  }
}

/** A file that root replaces stays its owner's. */
function keepOwner(neighbour: string, { uid, gid }: Stats): void {
  if (process.getuid?.() === 0) chownSync(neighbour, uid, gid);
}

function placeNew(neighbour: string, target: string): void {
  try {
    linkSync(neighbour, target);
  } catch (cause) {
    if (existsSync(target)) throw fileRefusal(target, "another program has created it meanwhile", cause);
    // Some file systems have no links.
    renameSync(neighbour, target);
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Runs a step whose exceptions are those of the file system. */
function attempt<Value>(file: string, step: () => Value): Value {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw fileRefusal(file, (cause as Error).message, cause);
  }
}
