/**
 * Builds the programs of the page `/play`: `frame.html`, in whose sandbox the code runs, and `frame.js` with the SDK, the console and
 * the compiler that strips types.
 *
 * @module
 */
import { build } from "esbuild";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ENTRIES } from "./playground_modules.mjs";

const folder = fileURLToPath(new URL("playground", import.meta.url));

/** Writes the programs below `out`. */
export async function bundlePlayground(root, out) {
  const { default: manifest } = await import(join(root, "deno.json"), {
    with: { type: "json" },
  });
  mkdirSync(out, { recursive: true });
  await build({
    entryPoints: [join(folder, "frame.ts")],
    outfile: join(out, "frame.js"),
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    logLevel: "error",
    nodePaths: [fileURLToPath(new URL("node_modules", import.meta.url))],
    tsconfigRaw: {},
    alias: Object.fromEntries(
      ENTRIES.map((
        entry,
      ) => [
        entry,
        join(root, manifest.exports[entry.replace("toolwire", ".")]),
      ]),
    ),
    plugins: [entriesModule(), withoutPage()],
  });
  writeFileSync(join(out, "frame.html"), await frameHtml(root));
}

/** `entries`: the modules that code can import, by name. */
function entriesModule() {
  const lines = ENTRIES.map((entry, at) => `import * as m${at} from "${entry}";`);
  const members = ENTRIES.map((entry, at) => `"${entry}": m${at}`);
  const contents = `${lines.join("\n")}\nexport const entries = {${members.join(", ")}};`;
  return {
    name: "entries",
    setup({ onResolve, onLoad }) {
      onResolve(
        { filter: /^virtual:entries$/ },
        () => ({ path: "entries", namespace: "entries" }),
      );
      onLoad(
        { filter: /.*/, namespace: "entries" },
        () => ({ contents, resolveDir: folder, loader: "js" }),
      );
    },
  };
}

/** The page of the console is in `frame.html`, and not in the program, too. */
function withoutPage() {
  return {
    name: "without-page",
    setup({ onLoad }) {
      onLoad(
        { filter: /src\/console\/page\.ts$/ },
        () => ({ contents: 'export const PAGE = "", PAGE_POLICY = "";' }),
      );
    },
  };
}

/** Requests to anything but the page's own programs are refused by the browser. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The page of the console, with the program of the sandbox before its own. */
async function frameHtml(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/console/page.ts")],
    bundle: true,
    format: "esm",
    write: false,
    tsconfigRaw: {},
  });
  const { PAGE } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
  const head = `<meta http-equiv="content-security-policy" content="${POLICY}"><script src="frame.js"></script>`;
  return PAGE.replace(/<meta charset="utf-8">/, (charset) => charset + head);
}
