// The licences of the packages that esbuild has put into its output.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Name, version and licence of each package that is in the output of a build, from its metafile. */
export function licencesOf(metafile) {
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  );
  const names = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  return [...names].sort().map((name) => {
    const folder = fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url));
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version}, ${license}\n\n${file === undefined ? "" : readFileSync(join(folder, file), "utf8")}`;
  }).join("\n\n");
}
