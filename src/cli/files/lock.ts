/** A lock for a file, between processes: a file beside it that only one of them can create. */
import {
  closeSync,
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
import { fileRefusal } from "./place.ts";

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

let locks = 0;

/**
 * Runs `work` while no other process, and no other caller in this one, has the lock of the file. The lock of a process that has ended
 * is taken over.
 *
 * @param target Path without links; its folder exists.
 * @throws {CliError} If another process has it for a minute, or it cannot be created.
 */
export async function withLock<Value>(target: string, work: () => Value | Promise<Value>): Promise<Value> {
  const lock = await acquireLock(target);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Takes the lock of a file, until it is released. @param waitMs Maximum time to wait for another process. */
export async function acquireLock(target: string, waitMs: number = WAIT_MS): Promise<FileLock> {
  const lock = join(dirname(target), `.${basename(target)}.toolwire-lock`);
  const owner = JSON.stringify({ pid: process.pid, host: hostname(), lock: locks++ });
  const endMs = performance.now() + waitMs;
  while (!create(lock, owner)) {
    if (takeOver(lock)) continue;
    if (performance.now() >= endMs) {
      throw fileRefusal(target, `another process is writing it; if there is none, delete ${lock}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  const beat = setInterval(() => touch(lock), BEAT_MS);
  (beat as { unref?(): void }).unref?.();
  return {
    release() {
      clearInterval(beat);
      if (read(lock) === owner) rmSync(lock, { force: true });
    },
  };
}

function create(lock: string, owner: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(lock, "wx", 0o600);
  } catch (cause) {
    // Deno and Bun name this error differently.
    if (statSync(lock, { throwIfNoEntry: false }) !== undefined || /EEXIST|exists/i.test(String(cause))) return false;
    throw fileRefusal(lock, (cause as Error).message, cause);
  }
  writeFileSync(descriptor, owner);
  closeSync(descriptor);
  return true;
}

/** Removes the lock of a process that has ended. Of several processes that try it, one succeeds. */
function takeOver(lock: string): boolean {
  const owner = read(lock);
  if (owner === undefined) return true;
  if (isAlive(owner, lock)) return false;
  const aside = `${lock}-${process.pid}`;
  try {
    renameSync(lock, aside);
    // Another process was faster, and this is its lock: it is given back.
    if (read(aside) !== owner) linkSync(aside, lock);
  } catch {
    // Another process has removed it, or has created its own.
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

function isAlive(owner: string, lock: string): boolean {
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  try {
    const { pid, host } = JSON.parse(owner) as { readonly pid: number; readonly host: string };
    if (host !== hostname()) return ageMs < STALE_MS;
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // A lock without an owner is being created now, or its process has ended meanwhile.
    if (cause instanceof SyntaxError) return ageMs < BEAT_MS;
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
