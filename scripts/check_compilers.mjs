// Compiles tests/types/user_program.ts, and user_tools.ts, against the packed package, as users with other compilers and options would:
// `node scripts/check_compilers.mjs`. Each supported version, each way to find modules, with and without the DOM library, with all strict
// options and without `skipLibCheck`; then the options of `tsc --init` and the fewest that a project has.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { childEnv, findTypeScript, root, runOrThrow, runToEnd } from "./runtimes.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const versionOf = (name) => manifest.devDependencies[name];

/** The oldest that is supported, and the latest of each major since. */
const VERSIONS = ["5.8.3", "5.9.3", "6.0.3", versionOf("typescript")];

/** Compilers that run at a time. */
const CONCURRENCY = 2;

const STRICT = {
  target: "es2022",
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
};

/** The options of a package whose declarations are written without inference: of the second program. */
const DECLARING = { ...STRICT, module: "nodenext", types: ["node"], declaration: true, isolatedDeclarations: true };

const MODULES = {
  nodenext: { module: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
  preserve: { module: "preserve" },
};

const LIBRARIES = {
  "the DOM library": { lib: ["ES2023", "ESNext.Disposable", "DOM"], types: [] },
  "@types/node": { lib: ["ES2023", "ESNext.Disposable"], types: ["node"] },
};

/** Options for each check, by its name. `undefined` for those of `tsc --init`. */
const PROJECTS = {
  ...Object.fromEntries(
    Object.entries(MODULES).flatMap(([module, options]) =>
      Object.entries(LIBRARIES).map((
        [library, types],
      ) => [`${module}, ${library}`, { ...STRICT, ...options, ...types }])
    ),
  ),
  "tsc --init": undefined,
  isolatedDeclarations: DECLARING,
  "strict alone": { target: "es2022", module: "nodenext", strict: true, skipLibCheck: false, types: ["node"] },
};

const PROGRAMS = ["user_program.ts", "user_tools.ts"];

const folder = mkdtempSync(join(tmpdir(), "toolwire-compilers-"));
try {
  const rows = await compileAll(install());
  console.log(`| options | ${VERSIONS.join(" | ")} |\n|---|${VERSIONS.map(() => "---|").join("")}`);
  for (const [name, cells] of rows) {
    console.log(`| ${name} | ${cells.map((cell) => cell === "" ? "ok" : "FAIL").join(" | ")} |`);
  }
  const failed = rows.flatMap(([name, cells]) => cells.map((cell, at) => [`TypeScript ${VERSIONS[at]}, ${name}`, cell]))
    .filter(([, output]) => output !== "");
  for (const [name, output] of failed) console.error(`\n${name}:\n${output}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes a project with the tarball and the program; each version of TypeScript has its own configuration files. */
function install() {
  const [{ filename }] = JSON.parse(
    runOrThrow("npm", ["pack", "--json", "--loglevel=error", "--pack-destination", folder], { cwd: root }).replace(
      /^[^[]*/,
      "",
    ),
  );
  const project = join(folder, "project");
  runOrThrow("mkdir", [project]);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  const packages = [join(folder, filename), `zod@${versionOf("zod")}`, `@types/node@${versionOf("@types/node")}`];
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  runOrThrow("npm", ["install", ...quiet, ...packages], { cwd: project });
  for (const name of PROGRAMS) copyFileSync(join(root, "tests/types", name), join(project, name));
  return project;
}

/** The output of each compiler, by project and version: empty where the program compiles. */
async function compileAll(project) {
  const names = Object.keys(PROJECTS);
  const waiting = names.flatMap((name) => VERSIONS.map((version) => ({ name, version })));
  const outputs = new Map();
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, version } = next;
      outputs.set(`${name} ${version}`, await compile(project, name, version));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return names.map((name) => [name, VERSIONS.map((version) => outputs.get(`${name} ${version}`))]);
}

async function compile(project, name, version) {
  const tsc = findTypeScript(version);
  const config = `tsconfig.${`${version} ${name}`.replaceAll(/\W+/g, "-")}.json`;
  const options = PROJECTS[name];
  const files = options === DECLARING ? PROGRAMS.slice(1) : PROGRAMS;
  const text = options === undefined
    ? initialOptions(tsc, version)
    : JSON.stringify({ compilerOptions: { ...options, noEmit: true }, files });
  writeFileSync(join(project, config), text);
  const args = ["-p", config, "--noEmit", ...(options === undefined ? ["--types", "node"] : [])];
  const { status, stdout, stderr } = await runToEnd(tsc, args, { cwd: project, env: childEnv() });
  return status === 0 ? "" : stdout + stderr || `status ${status}`;
}

/** The configuration that `tsc --init` writes, for the program. TypeScript before 5.9 writes CommonJS, which a module package is not. */
function initialOptions(tsc, version) {
  const empty = mkdtempSync(join(folder, `init-${version}-`));
  runOrThrow(tsc, ["--init"], { cwd: empty });
  return readFileSync(join(empty, "tsconfig.json"), "utf8").replace(/"module": "commonjs"/, '"module": "nodenext"');
}
