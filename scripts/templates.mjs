// Writes apps/cli/init/gen/templates.ts, the files of new projects as a module: `node scripts/templates.mjs`. They are the folders of apps/create-toolwire/templates/,
// and the projects of tests/projects/, which CI installs and tests as they are created. Folders reach neither JSR's importers nor a package of
// one file. Versions of packages that this repository uses are filled in.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const OUT = join(ROOT, "apps/cli/init/gen/templates.ts");

/** Texts by template and path. The folder `shared` is part of each of the first; of a project, its `_gitignore` alone is. */
export function readTemplates() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const starters = readFolders("apps/create-toolwire/templates", (text) => {
    return text.replace(/\{\{([@\w/-]+)\}\}/g, (all, name) => devDependencies[name] ?? all);
  });
  const { shared, ...own } = starters;
  return { shared, own: { ...own, ...readFolders("tests/projects", forUsers) } };
}

function readFolders(parent, fill) {
  const folders = readdirSync(join(ROOT, parent)).sort();
  return Object.fromEntries(folders.map((name) => [name, readFolder(join(ROOT, parent, name), fill)]));
}

function readFolder(folder, fill) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => {
    return !file.split(/[\\/]/).includes("node_modules") && statSync(join(folder, file)).isFile();
  });
  return Object.fromEntries(
    files.sort().map((file) => {
      return [file.replaceAll("\\", "/"), fill(readFileSync(join(folder, file), "utf8"), file)];
    }),
  );
}

/** A project of tests/projects as it is created: with the name of its folder, and this release. */
function forUsers(text, file) {
  if (file === "package.json") {
    return text.replace(/"name": "[^"]+"/, '"name": "{{name}}"').replace(
      '"toolwire": "latest"',
      '"toolwire": "^{{version}}"',
    );
  }
  return file === "deno.json" ? text.replaceAll('"npm:toolwire"', '"npm:toolwire@^{{version}}"') : text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { shared, own } = readTemplates();
  writeFileSync(
    OUT,
    `/** Generated from apps/create-toolwire/templates/ and tests/projects/ by scripts/templates.mjs. */
type Texts = Readonly<Record<string, string>>;
/** Files of every template, by path. */
export const SHARED_FILES: Texts = ${JSON.stringify(shared, undefined, 2)};
/** Files of each template, by path. */
export const TEMPLATE_FILES: Readonly<Record<string, Texts>> = ${JSON.stringify(own, undefined, 2)};
`,
  );
}
