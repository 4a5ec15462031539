/** A lock for a file, between processes: a file beside it that only one of them can create. */
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { CleanUp, releasing, releasingSync, undoing } from "../../../src/internal/clean_up.ts";
import { attemptOn, fileRefusal } from "./place.ts";

/** A held lock. */
export interface FileLock {
  release(): void;
}

/** Time between two attempts, in milliseconds. */
const RETRY_MS = 20;

/** Maximum time to wait for another process, in milliseconds. */
const WAIT_MS = 60_000;

/** Time between two signs of life of the holder, and the age at which a lock of another machine counts as left, in milliseconds. */
const [BEAT_MS, STALE_MS] = [5_000, 60_000];

/** Ids of the locks that this process has; ids and paths of those that it could not delete, in which there may be no id. */
const [held, left] = [new Set<string>(), new Set<string>()];

/**
 * Runs `work` while no other process, and no other caller in this one, has the lock of the file. The lock of a process that has ended
 * is taken over.
 *
 * @param target Path without links; its folder exists.
 * @throws {CliError} If another process has it for a minute, or it cannot be created.
 */
export async function withLock<Value>(target: string, work: () => Value | Promise<Value>): Promise<Value> {
  const lock = await acquireLock(target);
  return await releasing(work, () => lock.release());
}

/** Takes the lock of a file, until it is released. @param waitMs Maximum time to wait for another process. */
export async function acquireLock(target: string, waitMs: number = WAIT_MS): Promise<FileLock> {
  const lock = join(dirname(target), `.${basename(target)}.toolwire-lock`);
  const id = crypto.randomUUID();
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), lock: id });
  const endMs = performance.now() + waitMs;
  while (!create(lock, id, owner)) {
    if (attemptOn(lock, () => takeOver(lock), "delete")) continue;
    if (performance.now() >= endMs) {
      throw fileRefusal(target, `another process is writing it; if there is none, delete ${lock}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  held.add(id);
  const beat = setInterval(() => touch(lock), BEAT_MS);
  (beat as { unref?(): void }).unref?.();
  return {
    release() {
      clearInterval(beat);
      held.delete(id);
      remove(lock, id, () => existsSync(lock) && readFileSync(lock, "utf8") === owner);
    },
  };
}

function create(lock: string, id: string, owner: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(lock, "wx", 0o600);
  } catch (cause) {
    // Deno and Bun name this error differently.
    if (existsSync(lock) || /EEXIST|exists/i.test(String(cause))) return false;
    throw fileRefusal(lock, (cause as Error).message, cause);
  }
  attemptOn(lock, () =>
    undoing(
      () => releasingSync(() => writeFileSync(descriptor, owner), () => closeSync(descriptor)),
      () => remove(lock, id),
    ));
  left.delete(lock);
  return true;
}

/** Deletes a lock of this process. One that cannot be deleted is taken over by the next caller in it. */
function remove(lock: string, id: string, isOwn: () => boolean = () => true): void {
  left.add(id).add(lock);
  attemptOn(lock, () => isOwn() && rmSync(lock, { force: true }), "delete");
  left.delete(id);
  left.delete(lock);
}

/**
 * Removes the lock of a process that has ended. Of several processes that try it, one succeeds. Returns whether there is no lock now:
 * one that cannot be read or removed is waited for, as it may be that of another user.
 */
function takeOver(lock: string): boolean {
  const owner = read(lock);
  if (owner !== undefined && !isAlive(owner, lock)) {
    const aside = `${lock}-${process.pid}`;
    const removing = new CleanUp();
    // It fails if another process has removed the lock, or has created its own.
    removing.try(() => {
      renameSync(lock, aside);
      // Another process was faster, and this is its lock: it is given back.
      if ((read(aside) ?? owner) !== owner) linkSync(aside, lock);
    });
    // One that stays is overwritten by the next.
    removing.try(() => rmSync(aside, { force: true }));
  }
  return !existsSync(lock);
}

/** Content of a lock, as JSON. */
interface LockOwner {
  readonly pid: number;
  readonly host: string;
  readonly lock: string;
}

function isAlive(owner: string, lock: string): boolean {
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  try {
    const { pid, host, lock: id } = JSON.parse(owner) as LockOwner;
    if (host !== hostname()) return ageMs < STALE_MS;
    // The id of this process may be that of one before it, as in a container that was restarted. Another copy of this module touches its lock.
    if (pid === process.pid) return held.has(id) || (!left.has(id) && ageMs < 2 * BEAT_MS);
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // A lock without an owner is being created now, or its process has ended meanwhile.
    if (cause instanceof SyntaxError) return !left.has(lock) && ageMs < BEAT_MS;
    // A process of another user cannot be signalled.
    return (cause as { readonly code?: string }).code === "EPERM";
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function touch(lock: string): void {
  try {
    utimesSync(lock, new Date(), new Date());
  } catch {
    // It was deleted by hand.
  }
}
