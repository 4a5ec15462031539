// Builds the package create-toolwire: one file without dependencies. `node scripts/build_create.mjs`.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("../apps/create-toolwire/", import.meta.url));
const outfile = join(folder, "dist/main.js");
const { metafile } = await build({
  metafile: true,
  entryPoints: [join(folder, "main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "eof",
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module";\n' +
      "const require = createRequireOfBundle(import.meta.url);",
  },
});
chmodSync(outfile, 0o755);

// The packages that are in the file, with their licences.
const names = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const notices = [...names].sort().map((name) => {
  const installed = fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url));
  const { version, license } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const file = readdirSync(installed).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version}, ${license}\n\n${file === undefined ? "" : readFileSync(join(installed, file), "utf8")}`;
});
writeFileSync(join(folder, "dist/NOTICES.txt"), notices.join("\n\n"));
