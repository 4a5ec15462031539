// Measures what the tap of the console adds to the front door: `node scripts/tap_size.mjs`. The front door is bundled as it is, and without the
// code through which a console observes calls.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ROOT as root } from "./sources.mjs";

/** All code of the tap that is not types: file, text, and what the file has without it. */
const TAP = [
  ["src/core/dispatch/dispatcher.ts", "  #observer: GuardedObserver | undefined = undefined;\n", ""],
  [
    "src/core/dispatch/dispatcher.ts",
    `    const observer = this.#observer;
    if (observer === undefined) return this.#runWithMiddleware(run);
    return observe(observer, observer.begin(run, undefined), run, this.#runWithMiddleware(run));`,
    "    return this.#runWithMiddleware(run);",
  ],
  [
    "src/core/dispatch/dispatcher.ts",
    `  get observer(): CallObserver | undefined {
    return this.#observer;
  }

  set observer(observer: CallObserver | undefined) {
    this.#observer = observer && new GuardedObserver(observer, (thrown) => this.mask(thrown, { during: "observer" }));
  }\n`,
    "",
  ],
  ["src/core/dispatch/dispatcher.ts", "    this.#observer?.refuse(call, error);\n", ""],
  [
    "src/jobs/promises/job_runner.ts",
    `    const { observer } = this.#services;
    const began = observer?.begin(run, job.attempt);\n`,
    "",
  ],
  [
    "src/jobs/promises/job_runner.ts",
    "    if (observer !== undefined) ended.into({ receive: (result) => observer.end(began, run, result), fail: () => {} });\n",
    "",
  ],
  ["src/server/fetch_request.ts", "      this.dispatch.observer?.reply(this, reply.status);\n", ""],
  ["src/server/reply_sender.ts", "      this.#dispatch.observer?.reply(this.#head, reply.status);\n", ""],
  [
    "src/server/discovery/view_dispatch.ts",
    `    get observer() {
      return dispatch.observer;
    },
    set observer(observer) {
      dispatch.observer = observer;
    },\n`,
    "",
  ],
];

/** Files that have code of the tap. */
export const TAP_FILES = [...new Set(TAP.map(([file]) => file))];

const withoutTap = {
  name: "without-tap",
  setup({ onLoad }) {
    for (const file of TAP_FILES) {
      onLoad({ filter: new RegExp(`/${file.replaceAll(".", "\\.")}$`) }, () => ({
        loader: "ts",
        contents: readWithoutTap(file),
      }));
    }
  },
};

/** Reads a file without its code of the tap. */
export function readWithoutTap(file) {
  return TAP.filter(([of]) => of === file).reduce(remove, readFileSync(join(root, file), "utf8"));
}

function remove(code, [file, text, without]) {
  if (code.split(text).length !== 2) throw new Error(`scripts/tap_size.mjs: ${file} does not have once: ${text}`);
  return code.replace(text, without);
}

/** Bytes of min + gzip that the tap adds. */
export async function measureTap() {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const weigh = async (plugins) => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "./mod.ts";`, resolveDir: root },
      bundle: true,
      splitting: true,
      outdir: root,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
      external: Object.keys(peerDependencies),
      target: "es2023",
      plugins,
    });
    return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  };
  return await weigh([]) - await weigh([withoutTap]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.log(`The tap of the console takes ${await measureTap()} bytes of the front door, min + gzip`);
}
