/** Programs of `servers/` in a folder where the packages that they were written for are installed, and Toolwire is this repository. */
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root, runProgram } from "../serve/programs.ts";

const SOURCE = join(root, "tests/moving/servers");
const FOLDER = join(root, ".cache/moving");
const INSTALL_TIMEOUT_MS = 300_000;

/** Options of the compiler for the programs. Toolwire's sources need the last two. */
const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node", "bun"],
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
  },
};

/** Installs the packages of `servers/package.json`, once for each version of the file and its lock. */
export async function installServers(bun: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const files = ["package.json", "bun.lock"];
  const read = async (folder: string) => await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  const isInstalled = existsSync(join(FOLDER, "node_modules/.complete")) &&
    String(await read(FOLDER)) === String(await read(SOURCE));
  // The entries of the repository may have moved since.
  if (isInstalled) return await linkToolwire();
  for (const file of files) await cp(join(SOURCE, file), join(FOLDER, file));
  const command = [bun, "install", "--frozen-lockfile", "--ignore-scripts", "--omit=optional"];
  const { code, stderr } = await runProgram(command, { cwd: FOLDER, withinMs: INSTALL_TIMEOUT_MS });
  if (code !== 0) throw new Error(`Cannot install the packages of tests/moving/servers: ${stderr.trim()}`);
  await linkToolwire();
  await writeFile(join(FOLDER, "node_modules/.complete"), "");
}

/** The package `toolwire` of the folder: the sources of this repository. */
async function linkToolwire(): Promise<void> {
  const { exports } = JSON.parse(await readFile(join(root, "deno.json"), "utf8"));
  const folder = join(FOLDER, "node_modules/toolwire");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await symlink(root, join(folder, "repository"));
  const mapped = Object.entries<string>(exports).map(([name, file]) => [name, file.replace("./", "./repository/")]);
  const manifest = { name: "toolwire", type: "module", exports: Object.fromEntries(mapped) };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
}

/** A folder with one program, `server.ts`. It is deleted at the end of its scope. */
export async function programFolder(file: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(FOLDER, "run-"));
  await cp(join(SOURCE, file), join(path, "server.ts"));
  await writeFile(join(path, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await writeFile(join(path, "package.json"), '{ "private": true, "type": "module", "dependencies": {} }\n');
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
