/**
 * Waits for a change after a module could not be loaded: Node 22 does not watch a file that it cannot parse, and Bun does not watch
 * one that was missing.
 */
import { watch } from "node:fs";
import process from "node:process";

/** Time that the watcher of the runtime has to restart the program by itself, in milliseconds. */
const RESTART_MS = 500;

/** Folders whose files are not part of the program's source. */
const OTHER_FILES = /(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/;

/** Whether the watcher of this runtime needs help. */
export function needsHelp(): boolean {
  return process.versions["deno"] === undefined;
}

/**
 * Calls `restart` once, shortly after a file of the folder has changed.
 *
 * @returns Ends the wait: the program was restarted.
 */
export function awaitChange(folder: string, restart: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (_: string, file: string | null): void => {
    if (file !== null && !OTHER_FILES.test(file)) timer ??= setTimeout(restart, RESTART_MS);
  };
  const watcher = openWatcher(folder, onChange);
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };
}

function openWatcher(folder: string, onChange: (event: string, file: string | null) => void) {
  try {
    return watch(folder, { recursive: true }, onChange).on("error", () => {});
  } catch {
    // Too many files, or no permission: saving the module itself restarts it.
    return undefined;
  }
}
