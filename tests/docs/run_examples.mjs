// Imports the examples named as arguments one after another, and says of each whether it went well. The process then has to
// end by itself, as it would for a reader who runs one.
import process from "node:process";
import { endPrinted, keepPrinted, shown } from "./shown_values.mjs";

// What `checkShown()` of `shown.ts` writes into examples.
Object.assign(globalThis, { __shown: shown, __printed: keepPrinted, __endPrinted: endPrinted });

/** After this time an example counts as one that never ends, in milliseconds. The slowest takes a second. */
const HANG_MS = 200_000;
let hasFailed = false;

for (const url of process.argv.slice(2)) {
  const startMs = performance.now();
  let error;
  try {
    await Promise.race([import(url), refuseHang(url)]);
  } catch (thrown) {
    error = String(thrown?.stack ?? thrown);
    hasFailed = true;
  }
  console.log(`::example ${JSON.stringify({ url, error, ms: Math.round(performance.now() - startMs) })}`);
}
console.log("::end");
// An example that failed has not closed what it opened.
if (hasFailed) process.exit(1);

/** Rejects with the name of an example that does not end; its timer keeps no process alive. */
function refuseHang(url) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${url} does not end within ${HANG_MS / 1000} s`)), HANG_MS).unref();
  });
}
