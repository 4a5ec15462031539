/** `toolwire migrate` over files of a test. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { runHere } from "../run_here.ts";

/** Writes files into a folder, converts it, and returns what was printed with the files as they are then. */
export async function migrate(files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, name, ".."), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
  const result = await runHere({ cwd: folder.path }, "migrate", ...flags);
  const read = Object.fromEntries(
    Object.keys(files).map((name) => [name, readFileSync(join(folder.path, name), "utf8")]),
  );
  return { ...result, files: read };
}
