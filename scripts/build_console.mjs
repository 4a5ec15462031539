// Bundles apps/console/ into one page, and writes src/console/page.ts: `node scripts/build_console.mjs [--check]`.
// With `--check` it writes nothing, and fails if the file is not what the sources make.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { root } from "./runtimes.mjs";

const OUT = join(root, "src/console/page.ts");
const BANNER = "Contains preact, @preact/signals and eventsource-parser, each under the MIT License.";
/** Largest page, in bytes of gzip. */
const MAX_GZIP = 61_440;

const common = {
  bundle: true,
  minify: true,
  write: false,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};
const [script, style] = await Promise.all([
  build({
    ...common,
    entryPoints: [join(root, "apps/console/main.tsx")],
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
  }).then(textOf),
  build({ ...common, entryPoints: [join(root, "apps/console/style.css")], target: "es2022" }).then(textOf),
]);
const template = readFileSync(join(root, "apps/console/page.html"), "utf8");
// The hashes count every character between the tags.
const html = template.replace(/(<style>)[^]*?(<\/style>)/, (_, open, close) => open + style + close)
  .replace(/(<script type="module">)[^]*?(<\/script>)/, (_, open, close) => open + script + close);
const policy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "connect-src 'self'",
  "img-src 'self' data:",
  // The frames of views, which have another policy and no origin.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const code = `/** The page of the console. Generated from apps/console/ by scripts/build_console.mjs. ${BANNER} */

// deno-fmt-ignore
export const PAGE: string = ${JSON.stringify(html)};

/** The Content-Security-Policy of the page, with the hashes of its script and style. */
// deno-fmt-ignore
export const PAGE_POLICY: string = ${JSON.stringify(policy)};
`;
const size = gzipSync(html, { level: 9 }).length;
console.log(`console page: ${(size / 1_024).toFixed(1)} KiB gzip, ${(html.length / 1_024).toFixed(1)} KiB`);
if (size > MAX_GZIP) throw new Error(`The page is ${size} bytes of gzip; at most ${MAX_GZIP}`);
if (!process.argv.includes("--check")) writeFileSync(OUT, code);
else if (readFileSync(OUT, "utf8") !== code) throw new Error("page.ts is stale: run node scripts/build_console.mjs");

/** A script must not contain the end tag of a script. */
function textOf({ outputFiles: [file] }) {
  return file.text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

function hashOf(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
