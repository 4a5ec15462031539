/** Bundles a module and all of its packages into one file, which serves over standard input and output. */
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { PackagingError } from "./package_manifest.ts";

/** The module to bundle, and its export that is a server. */
export interface ProgramSource {
  /** Absolute path. */
  readonly module: string;
  /** Export that is the server. Default: `server` or `default`. */
  readonly exportName: string | undefined;
  /** Folder of the package. */
  readonly folder: string;
}

/** The entry of the package that the module's project has. */
const STDIO = "toolwire/stdio";

type Esbuild = typeof import("esbuild");

/**
 * Bundles the module, its packages and `serveStdio()` with the esbuild of the module's project, otherwise with one that this package finds.
 *
 * @returns The text of an ES module for Node.
 * @throws {PackagingError} If esbuild is not installed, or cannot bundle the module.
 */
export async function bundleProgram(source: ProgramSource): Promise<string> {
  const { module, folder } = source;
  const { build } = await loadEsbuild(module);
  try {
    const { outputFiles: [file] } = await build({
      stdin: { contents: programText(source), resolveDir: dirname(module), sourcefile: "program.js" },
      bundle: true,
      write: false,
      absWorkingDir: folder,
      platform: "node",
      format: "esm",
      target: "node22",
      // Names stay: they are in stack traces and in error messages.
      minifyWhitespace: true,
      minifySyntax: true,
      legalComments: "eof",
      // Packages in the format of CommonJS require modules of Node.
      banner: {
        js: 'import { createRequire as createRequireOfBundle } from "node:module";\n' +
          "const require = createRequireOfBundle(import.meta.url);",
      },
      logLevel: "silent",
    });
    return file?.text ?? "";
  } catch (cause) {
    throw new PackagingError(`Cannot bundle ${module}`, problemsOf(cause), { cause });
  }
}

/** Output of the module during its import must not reach standard output, which is for messages. */
function programText({ module, exportName }: ProgramSource): string {
  const names = exportName === undefined ? ["server", "default"] : [exportName];
  return `
import { serveStdio } from ${JSON.stringify(STDIO)};
for (const name of ["log", "info", "debug", "table", "dir"]) console[name] = console.error;
const exported = await import(${JSON.stringify(`./${basename(module)}`)});
const server = ${names.map((name) => `exported[${JSON.stringify(name)}]`).join(" ?? ")};
if (typeof server !== "object" || server === null || !("~server" in server)) {
  console.error(${JSON.stringify(`${basename(module)} does not export a server; export the result of createServer()`)});
  process.exit(1);
}
await serveStdio(server);
process.exit(0);
`;
}

async function loadEsbuild(module: string): Promise<Esbuild> {
  try {
    const found = createRequire(module).resolve("esbuild");
    const { default: commonJs, ...named } = await import(pathToFileURL(found).href);
    return (commonJs ?? named) as Esbuild;
  } catch {
    // Not in the project: beside this package, perhaps.
  }
  try {
    return await import("esbuild");
  } catch (cause) {
    throw new PackagingError(`Cannot bundle ${module}`, [
      `esbuild is not installed; run \`npm install --save-dev esbuild\` in ${dirname(module)}`,
    ], { cause });
  }
}

const MAX_PROBLEMS = 5;

/** The messages of esbuild, with the import of packages that are only in Deno's cache explained. */
function problemsOf(cause: unknown): string[] {
  const { errors } = cause as {
    readonly errors?: readonly {
      readonly text: string;
      readonly location?: { readonly file: string; readonly line: number } | null;
    }[];
  };
  if (errors === undefined) return [cause instanceof Error ? cause.message : String(cause)];
  return errors.slice(0, MAX_PROBLEMS).map(({ text, location }) => {
    const place = location ? ` (${location.file}:${location.line})` : "";
    const remedy = /Could not resolve "(jsr:|npm:|toolwire)/.test(text)
      ? ", install the package from npm beside the module: `npm install toolwire`"
      : "";
    return `${text}${place}${remedy}`;
  });
}
