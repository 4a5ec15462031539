// Installs the locked dependencies when they are missing or stale, so that `npm start` and `npm test` work on a fresh clone.
// Not by `npm ci`: it insists on optional packages of other platforms, which not every registry has.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const stamp = "node_modules/.installed-lock";
const lock = readFileSync("package-lock.json", "utf8");

if (read(stamp) !== lock) {
  console.error("Installing dependencies …");
  const { status } = spawnSync("npm install --no-save --no-audit --no-fund --loglevel=error", {
    stdio: "inherit",
    shell: true,
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, lock);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
