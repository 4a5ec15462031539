// Type-checks every snippet of README.md, docs/ and the doc comments as a reader would: copied into a folder made by `npm init` and
// `tsc --init`, with the package installed from its tarball, and beside it only packages that the snippet imports.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBin, root } from "../runtimes.mjs";

/** Compiler options after those of `tsc --init`: with the DOM library, as it is by default, and with Node's types alone. */
const LIBRARIES = [[], ["--lib", "esnext"]];

/** @returns how many snippets there are. @throws {Error} With places and errors, if a snippet does not compile. */
export async function compileSnippets(folder, tarball, run) {
  mkdirSync(folder);
  await run(["npm", "init", "-y"], folder);
  await run(["npm", "pkg", "set", "type=module"], folder);
  const types = `@types/node@${
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies["@types/node"]
  }`;
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run(["npm", "install", ...quiet, tarball, types], folder);
  await run([findBin("tsc"), "--init", "--types", "node"], folder);
  const snippets = join(folder, "snippets");
  mkdirSync(snippets);
  const write = [findBin("bun"), join(root, "tests/docs/write_programs.ts"), snippets];
  await run(write);
  linkPackages(folder, packagesOf(snippets));
  for (const flags of LIBRARIES) {
    await run([findBin("tsc"), "-p", ".", "--noEmit", ...flags], folder).catch(async ({ stdout = "", message }) => {
      const { stdout: named } = await run([...write, stdout || message]);
      throw new Error(named);
    });
  }
  return readdirSync(snippets).length;
}

/** Links packages of this tree that a project does not have. */
export function linkPackages(folder, names) {
  for (const name of new Set(names)) {
    const link = join(folder, "node_modules", name);
    if (existsSync(link) || !existsSync(join(root, "node_modules", name))) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
}

/** Names of packages that the files of a folder import. */
function packagesOf(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.flatMap((file) => importedPackages(readFileSync(join(folder, file), "utf8")));
}

/** Names of packages that a program imports. */
function importedPackages(code) {
  return Array.from(code.matchAll(/from "((?:@[\w-]+\/)?[a-z][\w.-]*)[^":]*"/g), ([, name]) => name);
}
