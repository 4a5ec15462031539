// Bundles a program for workerd.
import { build } from "esbuild";

/** Bundles a file, or `{ contents, resolveDir }`, into one module. */
export async function bundleWorker(source, outfile) {
  await build({
    ...(typeof source === "string" ? { entryPoints: [source] } : { stdin: source }),
    outfile,
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "error",
  });
}
