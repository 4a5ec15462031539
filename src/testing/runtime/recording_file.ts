/** Files of recordings, on the runtimes that have files. */

/** The function of `node:fs` that is used here, so that no types of Node are needed. */
interface Files {
  readFileSync(path: string | URL, encoding: "utf8"): string;
}

/** Members of the global scope that only some runtimes have. Read as values, so that bundles for pages import no module of a runtime. */
interface Runtime {
  readonly process?: { getBuiltinModule?(name: "node:fs"): Files | undefined };
}

/** Reads a file as text. @throws {Error} If it cannot be read, or if the runtime has no files. */
export function readRecordingFile(file: string | URL): string {
  const files = (globalThis as Runtime).process?.getBuiltinModule?.("node:fs");
  if (files === undefined) throw new Error("this runtime has no files; pass the text of the recording");
  try {
    return files.readFileSync(file, "utf8");
  } catch (cause) {
    const isMissing = (cause as { readonly code?: unknown }).code === "ENOENT";
    const problem = isMissing ? "there is no such file" : (cause as Error).message;
    throw new Error(`${problem}; make one with: toolwire record <target> --out calls.ndjson`, { cause });
  }
}
