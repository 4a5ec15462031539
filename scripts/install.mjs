// Installs the locked dependencies when they are missing or stale, so that `npm start` and `npm test` work on a fresh clone.
// Not by `npm ci`: it insists on optional packages of other platforms, which not every registry has.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const stamp = "node_modules/.installed-lock";
const lock = readFileSync("package-lock.json", "utf8");
const POLL_MS = 200;
/** An installation takes minutes at most: after ten, its file is one that was left, whatever process has its number now. */
const MOST_POLLS = 10 * 60_000 / POLL_MS;

if (read(stamp) !== lock) {
  const release = acquire();
  try {
    // Another process may have installed them in the meantime.
    if (read(stamp) !== lock) install();
  } finally {
    release();
  }
}

function install() {
  console.error("Installing dependencies …");
  const { status } = spawnSync("npm install --no-save --no-audit --no-fund --loglevel=error", {
    stdio: "inherit",
    shell: true,
  });
  if (status === 0) writeFileSync(stamp, lock);
  else process.exitCode = status ?? 1;
}

/** Waits until no other process installs into this folder: two at once delete each other's files. @returns Lets the next one install. */
function acquire() {
  const folder = createHash("sha256").update(process.cwd()).digest("hex").slice(0, 16);
  const file = join(tmpdir(), `toolwire-install-${folder}.pid`);
  for (let polls = 0;; polls++) {
    try {
      writeFileSync(file, `${process.pid}`, { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const pid = Number(read(file));
      if (polls === 0 && pid > 0) console.error(`Waiting for process ${pid}, which installs here …`);
      // A process that was killed leaves its file.
      if (polls >= MOST_POLLS || !isAlive(pid)) removeLeft(file, pid);
      else pause();
    }
  }
}

/**
 * Removes the file of a process that was killed. One process at a time, which reads it once more: another one may have removed it, and
 * the file that is there now is of a process that installs.
 */
function removeLeft(file, pid) {
  const turn = `${file}.turn`;
  try {
    writeFileSync(turn, "", { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    // A turn takes a moment. One that was left by a killed process is over after a minute.
    if (Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > 60_000) {
      rmSync(turn, { force: true });
    }
    return pause();
  }
  try {
    if (Object.is(Number(read(file)), pid)) rmSync(file, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
}

function isAlive(pid) {
  // The other process creates the file before it writes to it.
  if (pid === 0 || Number.isNaN(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
