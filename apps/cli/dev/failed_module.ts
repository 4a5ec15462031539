/**
 * Waits for a change after a module could not be loaded: Node 22 does not watch a file that it cannot parse, and Bun does not watch
 * one that was missing.
 */
import { readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Clock, systemClock } from "../../../src/internal/time.ts";

/** Time that the watcher of the runtime has to restart the program by itself, in milliseconds. */
const RESTART_MS = 500;

/** Folders whose files are not part of the program's source. */
const OTHER_FILES = /(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/;

/** Whether the watcher of this runtime may miss the change that mends a module: on Node and Bun, not on Deno. */
export function needsHelp(): boolean {
  return process.versions["deno"] === undefined;
}

/** Files that hold code. Others, such as a database, may be written by the module itself each time it is loaded. */
const CODE = /\.[cm]?[jt]sx?$/;

/** Entries of a folder that are looked at for a change. */
const MAX_ENTRIES = 5_000;

/**
 * Calls `restart` half a second after a file of the folder has changed, unless the wait is ended before.
 *
 * @param sinceMs Time before the module was loaded, in milliseconds since the Unix epoch: files may have changed before the wait.
 * @returns A function that ends the wait, when the watcher itself has restarted the program.
 */
export function awaitChange(
  folder: string,
  sinceMs: number,
  restart: () => void,
  clock: Clock = systemClock,
): () => void {
  let cancelRestart: (() => void) | undefined;
  const onChange = (_: string, file: string | null): void => {
    if (file !== null && !OTHER_FILES.test(file)) cancelRestart ??= clock.after(RESTART_MS, restart);
  };
  const watcher = openWatcher(folder, onChange);
  const cancelMissed = clock.after(RESTART_MS, () => findChanged(folder, sinceMs) && restart());
  return () => {
    cancelRestart?.();
    cancelMissed();
    watcher?.close();
  };
}

/** Whether a file of code in the folder has changed, or was renamed, since a time. */
function findChanged(folder: string, sinceMs: number): boolean {
  const folders = [folder];
  let seen = 0;
  for (let at = folders.pop(); at !== undefined && seen < MAX_ENTRIES; at = folders.pop()) {
    for (const entry of readFolder(at)) {
      seen++;
      const path = join(at, entry.name);
      if (OTHER_FILES.test(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (CODE.test(path) && changeMsOf(path) > sinceMs) return true;
    }
  }
  return false;
}

/** Time of the last change of a file; 0 if it cannot be read. */
function changeMsOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  } catch {
    return 0;
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It was removed.
    return [];
  }
}

function openWatcher(folder: string, onChange: (event: string, file: string | null) => void) {
  try {
    return watch(folder, { recursive: true }, onChange).on("error", () => {});
  } catch {
    // Too many files, or no permission: saving the module itself restarts it.
    return undefined;
  }
}
