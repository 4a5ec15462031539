// Builds the package create-toolwire: one file without dependencies. `node scripts/build_create.mjs`.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licencesOf } from "./licences.mjs";

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

writeFileSync(join(folder, "dist/NOTICES.txt"), licencesOf(metafile));
