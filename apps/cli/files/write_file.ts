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
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { releasingSync, undoing } from "../../../src/internal/clean_up.ts";
import { acquireLock, type FileLock, withLock } from "./lock.ts";
import {
  attemptOn,
  describeLink,
  type FilePlace,
  fileRefusal,
  locateFile,
  type PlaceLimits,
  readFileBytes,
} from "./place.ts";

/** Options of a write. */
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
  const link = describeLink(place);
  return await withLock(place.target, async () => {
    const old = readFileBytes(place.file, options);
    const after = await change(old);
    const bytes = typeof after === "string" ? new TextEncoder().encode(after) : after;
    if (bytes === undefined || (old !== undefined && isEqual(old, bytes))) {
      return { link, isChanged: false, backup: undefined };
    }
    const now = readFileBytes(place.file, options);
    if (now === undefined ? old !== undefined : old === undefined || !isEqual(now, old)) {
      throw fileRefusal(place.file, "another program has changed it meanwhile; run the command again");
    }
    return { link, isChanged: true, backup: attemptOn(place.file, () => replace(place, old, bytes, options)) };
  });
}

/** Content of a file; `undefined` if there is no such file. */
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

/**
 * Creates files in a folder that has none of them. If one cannot be created, none is left, so that the command can be run again.
 *
 * @throws {CliError} If one exists, or cannot be written.
 */
export function createFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const created: Created = { files: [], folders: [] };
  undoing(() => {
    for (const [path, text] of Object.entries(files)) createFile(folder, path, text, created);
  }, () => {
    for (const file of created.files.toReversed()) rmSync(file, { force: true });
    for (const made of created.folders.toReversed()) if (existsSync(made)) rmdirSync(made);
  });
}

/** What a write has created, and removes again if it fails. */
interface Created {
  readonly files: string[];
  readonly folders: string[];
}

function createFile(folder: string, path: string, text: string, created: Created): void {
  const { file, target } = locateFile(join(folder, path));
  attemptOn(file, () => {
    for (const missing of missingFolders(dirname(target))) {
      mkdirSync(missing);
      created.folders.push(missing);
    }
    locateFile(file, { within: folder });
    const descriptor = openSync(target, "wx");
    created.files.push(target);
    releasingSync(() => writeFileSync(descriptor, text), () => closeSync(descriptor));
  });
}

/** Folders that have to be created for a folder, the outermost first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder];
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
  return undoing(() => attemptOn(place.file, () => startLines(place, replaces, lock)), () => lock.release());
}

function startLines({ file, target }: FilePlace, replaces: boolean, lock: FileLock): LineFile {
  const old = readFileBytes(file);
  if (old !== undefined && !replaces) throw fileRefusal(file, "it exists");
  const kept = old && { text: old, copy: target };
  const backup = publish(target, new Uint8Array(), 0o600, old !== undefined, kept);
  const descriptor = openSync(target, constants.O_WRONLY | constants.O_APPEND);
  return {
    backup,
    // Unlike writeSync(), it writes all of the text, or throws.
    write: (text) => attemptOn(file, () => writeFileSync(descriptor, text)),
    close() {
      attemptOn(file, () => releasingSync(() => closeSync(descriptor), () => lock.release()));
    },
  };
}

/** Finds the place of a file, whose folder then exists. */
function prepare(path: string, { folderMode: mode, ...limits }: WriteOptions): FilePlace {
  const place = locateFile(path, limits);
  const folder = dirname(place.target);
  if (existsSync(folder)) return place;
  if (mode === undefined) throw fileRefusal(place.file, "its folder does not exist");
  attemptOn(place.file, () => mkdirSync(folder, { recursive: true, mode }));
  return locateFile(path, limits);
}

/** Replaces a file. Returns the path of the copy of the old one. */
function replace(
  { file, target }: FilePlace,
  old: Uint8Array | undefined,
  bytes: Uint8Array,
  { isDisposable, mode, copiesBesideLink = false }: WriteOptions,
): string | undefined {
  const isKept = old !== undefined && isDisposable?.(old) !== true;
  const kept = isKept ? { text: old, copy: copiesBesideLink ? file : target } : undefined;
  const modeAfter = old === undefined ? mode : statSync(target).mode & 0o777;
  return publish(target, bytes, modeAfter, old !== undefined, kept);
}

/** Old text of a file, and the path beside which its copy is to be. */
interface Kept {
  readonly text: Uint8Array;
  readonly copy: string;
}

/** Replaces or creates a file. Returns the path of the copy of the old text, if that is kept and not empty. */
function publish(
  target: string,
  bytes: Uint8Array,
  mode: number | undefined,
  replaces: boolean,
  kept: Kept | undefined,
): string | undefined {
  if (kept === undefined || kept.text.length === 0) return void putInPlace(target, bytes, mode, replaces);
  const copy = copyAside(target, kept.copy);
  // The copy may be the last of the old text, if the file system failed after it had renamed the file.
  const undo = () => isEqual(readFileSync(target), kept.text) && rmSync(copy);
  undoing(() => putInPlace(target, bytes, mode, replaces), undo);
  return copy;
}

/** Maximum number of copies of the same second. */
const MAX_COPIES = 1_000;

/** Copies a file to a new name. An earlier copy is never overwritten: it may be the last one of the user's own text. */
function copyAside(target: string, beside: string): string {
  const stem = `${beside}.toolwire-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}`;
  for (let number = 1;; number++) {
    const copy = `${stem}${number === 1 ? "" : `-${number}`}.bak`;
    if (existsSync(copy) && number < MAX_COPIES) continue;
    undoing(() => copyFileSync(target, copy, constants.COPYFILE_EXCL), () => rmSync(copy, { force: true }));
    return copy;
  }
}

/** Writes a file beside the target and gives it the target's name. A new file does not replace one that appeared meanwhile. */
function putInPlace(target: string, bytes: Uint8Array, mode: number | undefined, replaces: boolean): void {
  const neighbour = join(dirname(target), `.${basename(target)}.toolwire-${process.pid}`);
  const remove = () => rmSync(neighbour, { force: true });
  remove();
  undoing(() => {
    const descriptor = openSync(neighbour, "wx", mode ?? 0o666);
    releasingSync(() => {
      writeFileSync(descriptor, bytes);
      fsyncSync(descriptor);
    }, () => closeSync(descriptor));
    // The mode of the process may have taken bits away.
    if (mode !== undefined) chmodSync(neighbour, mode);
    if (replaces) keepOwner(neighbour, statSync(target));
    if (replaces) renameSync(neighbour, target);
    else placeNew(neighbour, target);
  }, remove);
}

/** Gives the new file the owner of the replaced one, if root writes it. */
function keepOwner(neighbour: string, { uid, gid }: Stats): void {
  if (process.getuid?.() === 0) chownSync(neighbour, uid, gid);
}

function placeNew(neighbour: string, target: string): void {
  try {
    linkSync(neighbour, target);
  } catch (cause) {
    if (existsSync(target)) throw fileRefusal(target, "another program has created it meanwhile", cause);
    // Some file systems have no links.
    return renameSync(neighbour, target);
  }
  rmSync(neighbour, { force: true });
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
