// Bundles that use one name of an entry, from the packed package and from its sources: what the package keeps in one file must not
// reach a program that does not use it.
import { join } from "node:path";
import { build } from "esbuild";

/** The package's own order of names and helpers of esbuild. More than that is code that was not removed. */
const ALLOWED_BYTES = 250;
const ALLOWED_SHARE = 0.01;

/** Bundles that are larger from the package, one a line. */
export async function findLargerBundles({ entries, packed, root, external }) {
  const problems = [];
  let bundles = 0;
  for (const { name, source, built } of entries) {
    for (const exported of await valuesOf(join(root, source), external)) {
      const before = await weigh(join(root, source), exported, external);
      const after = await weigh(join(packed, built), exported, external);
      bundles++;
      if (after <= before * (1 + ALLOWED_SHARE) + ALLOWED_BYTES) continue;
      problems.push(`${exported} of ${name}: ${after} bytes from the package, ${before} from the sources`);
    }
  }
  if (bundles < 100) problems.push(`Only ${bundles} names were bundled`);
  console.log(`     ${bundles} names`);
  return problems;
}

async function valuesOf(file, external) {
  const { metafile } = await bundle(`export * from ${JSON.stringify(file)};`, external);
  const [{ exports }] = Object.values(metafile.outputs);
  return exports;
}

async function weigh(file, exported, external) {
  const { outputFiles: [{ contents }] } = await bundle(
    `export { ${exported} } from ${JSON.stringify(file)};`,
    external,
  );
  return contents.byteLength;
}

/** Bundles a text for browsers. Modules of the platform and peers are not part of it. */
async function bundle(contents, external) {
  return await build({
    stdin: { contents, resolveDir: "/" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    external: [...external, "node:*", "bun:*"],
    target: "es2023",
    logLevel: "error",
  });
}
