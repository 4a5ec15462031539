// Writes apps/cli/init/gen/templates.ts, the projects of apps/create-toolwire/templates/ as a module: `node scripts/templates.mjs`.
// Folders reach neither JSR's importers nor a package of one file. Versions of packages that this repository uses are filled in.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const OUT = join(ROOT, "apps/cli/init/gen/templates.ts");

/** Texts by template and path. The folder `shared` is part of each. */
export function readTemplates() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const folders = readdirSync(join(ROOT, "apps/create-toolwire/templates")).sort();
  const texts = Object.fromEntries(
    folders.map((name) => [name, readFolder(join(ROOT, "apps/create-toolwire/templates", name), devDependencies)]),
  );
  const { shared, ...own } = texts;
  return { shared, own };
}

function readFolder(folder, versions) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => statSync(join(folder, file)).isFile()).sort();
  return Object.fromEntries(files.map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return [file.replaceAll("\\", "/"), text.replace(/\{\{([@\w/-]+)\}\}/g, (all, name) => versions[name] ?? all)];
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { shared, own } = readTemplates();
  writeFileSync(
    OUT,
    `/** Generated from apps/create-toolwire/templates/ by scripts/templates.mjs. */
type Texts = Readonly<Record<string, string>>;
/** Files of every template, by path. */
export const SHARED_FILES: Texts = ${JSON.stringify(shared, undefined, 2)};
/** Files of each template, by path. */
export const TEMPLATE_FILES: Readonly<Record<string, Texts>> = ${JSON.stringify(own, undefined, 2)};
`,
  );
}
