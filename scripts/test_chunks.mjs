// Test files that share a process. Node and Deno load the sources again for each file that they are given, which takes longer than
// most tests: in process, files are run together, as Bun runs them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./runtimes.mjs";

const FILES_AT_ONCE = 20;
/** Hooks of a file's top level, which would be those of all files beside it. */
const HOOKS = /^(before|after|beforeEach|afterEach)\(/m;

/** What to run for these files: those by themselves that start processes or have hooks, and modules that import the others. */
export function inChunks(files, folder) {
  if (files.length <= 2) return files;
  const alone = files.filter((file) =>
    file.endsWith("_full_test.ts") || HOOKS.test(readFileSync(join(root, file), "utf8"))
  );
  const shared = files.filter((file) => !alone.includes(file));
  mkdirSync(folder, { recursive: true });
  const count = Math.ceil(shared.length / FILES_AT_ONCE);
  const chunks = Array.from({ length: count }, (_, index) => {
    const path = join(folder, `chunk_${index}.mjs`);
    // Files of one folder are in different chunks, so that all take about the same time.
    const part = shared.filter((_, at) => at % count === index);
    writeFileSync(
      path,
      part.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`).join(""),
    );
    return path;
  });
  return [...chunks, ...alone];
}
