// Type-checks every snippet of README.md, docs/ and the doc comments as a reader would: copied into a folder made by `npm init` and
// `tsc --init`, with the package installed from its tarball, and beside it only packages that the snippet imports; then with the options of
// `bun init`, and by `deno check`.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBin, root } from "../runtimes.mjs";

/** File with the options of `bun init`. */
const OF_BUN = "tsconfig.bun.json";
/** Programs of several files import each other by `.ts`, as Bun, Deno and Node run them; `bun init` permits that itself. */
const OF_INIT = [findBin("tsc"), "-p", ".", "--noEmit", "--allowImportingTsExtensions"];

/**
 * What compiles: with the options of `tsc --init` and the DOM library, as it is by default, and with Node's types alone; with the options of
 * `bun init`; and Deno, whose options are its defaults.
 */
const COMPILERS = [
  OF_INIT,
  [...OF_INIT, "--lib", "esnext"],
  [findBin("tsc"), "-p", OF_BUN, "--noEmit"],
  [findBin("deno"), "check", "--quiet", "snippets"],
];

/** @returns how many snippets there are. @throws {Error} With places and errors, if a snippet does not compile. */
export async function compileSnippets(folder, tarball, run) {
  mkdirSync(folder);
  await run(["npm", "init", "-y"], folder);
  await run(["npm", "pkg", "set", "type=module"], folder);
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const types = ["@types/node", "@types/bun"].map((name) => `${name}@${devDependencies[name]}`);
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run(["npm", "install", ...quiet, tarball, ...types], folder);
  await run([findBin("tsc"), "--init", "--types", "node"], folder);
  const ofBun = `${folder}-bun`;
  mkdirSync(ofBun);
  await run([findBin("bun"), "init", "-y"], ofBun);
  copyFileSync(join(ofBun, "tsconfig.json"), join(folder, OF_BUN));
  const snippets = join(folder, "snippets");
  mkdirSync(snippets);
  const write = [findBin("bun"), join(root, "tests/docs/write_programs.ts"), snippets];
  await run(write);
  linkPackages(folder, packagesOf(snippets));
  for (const compile of COMPILERS) {
    await run(compile, folder).catch(async ({ stdout = "", stderr = "", message }) => {
      const { stdout: named } = await run([...write, stdout || stderr || message]);
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
