// Imports the examples named as arguments one after another, and says of each whether it went well. The process then has to
// end by itself, as it would for a reader who runs one.
import process from "node:process";
import { endPrinted, keepPrinted, shown } from "./shown_values.mjs";

// What `checkShown()` of `shown.ts` writes into examples.
Object.assign(globalThis, { __shown: shown, __printed: keepPrinted, __endPrinted: endPrinted });

for (const url of process.argv.slice(2)) {
  let error;
  try {
    await import(url);
  } catch (thrown) {
    error = String(thrown?.stack ?? thrown);
  }
  console.log(`::example ${JSON.stringify({ url, error })}`);
}
console.log("::end");
