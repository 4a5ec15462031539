/** Reads and replaces configuration files. A copy of the old file is kept, and a reader never sees half of the new one. */
import { Buffer } from "node:buffer";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { ConfigError } from "./edit_jsonc.ts";

/** Text of a file; `undefined` if it does not exist. @throws {ConfigError} If it cannot be read, or is not UTF-8. */
export function readConfig(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    // A byte order mark stays, as the file is written back.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (thrown) {
    const reason = thrown instanceof TypeError ? "it is not UTF-8" : (thrown as Error).message;
    throw new ConfigError(`Cannot read ${file}: ${reason}`);
  }
}

/**
 * Replaces or creates a file: writes a new one beside it and renames it. The old file is copied to `<file>.toolwire-<time>.bak`.
 * A symbolic link stays one, and the file keeps its mode. Missing folders are created.
 *
 * @param before The text that the change was planned for.
 * @returns The copy of the old file; `undefined` if the file did not exist.
 * @throws {ConfigError} If the file was changed meanwhile, or cannot be written.
 */
export function writeConfig(file: string, before: string, after: string, now: Date): string | undefined {
  if ((readConfig(file) ?? "") !== before) {
    throw new ConfigError(`Cannot write ${file}: another program has changed it meanwhile; run the command again`);
  }
  try {
    return replaceFile(file, after, now);
  } catch (thrown) {
    throw new ConfigError(`Cannot write ${file}: ${(thrown as Error).message}`);
  }
}

function replaceFile(file: string, after: string, now: Date): string | undefined {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeAndRename(file, after, 0o600);
    return undefined;
  }
  const target = realpathSync(file);
  const copy = copyAside(target, `${file}.toolwire-${now.toISOString().replace(/[-:]|\.\d+/g, "")}`);
  writeAndRename(target, after, statSync(target).mode & 0o777);
  return copy;
}

/** Maximum number of copies of the same second. */
const MAX_COPIES = 1_000;

/** Copies a file to a new name. An earlier copy is never overwritten: it may be the last one of the user's own text. */
function copyAside(file: string, stem: string): string {
  for (let number = 1;; number++) {
    const copy = `${stem}${number === 1 ? "" : `-${number}`}.bak`;
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (thrown) {
      // Deno gives this error no code.
      if (!existsSync(copy) || number >= MAX_COPIES) throw thrown;
    }
  }
}

function writeAndRename(file: string, text: string, mode: number): void {
  const neighbour = join(dirname(file), `.${basename(file)}.toolwire-${process.pid}`);
  try {
    const descriptor = openSync(neighbour, "w", mode);
    writeFileSync(descriptor, Buffer.from(text));
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(neighbour, file);
  } finally {
    rmSync(neighbour, { force: true });
  }
}
