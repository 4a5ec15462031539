// The files of the packed npm package: their number and size, what belongs, and where links of README.md lead.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const MAX_FILES = 600;
/** 0.6 MB are packages that npm would install beside it otherwise, at ten times the size. */
const MAX_BYTES = 6_200_000;

/**
 * Problems of an unpacked package, one a line.
 *
 * @param folder the unpacked package
 * @param manifest its package.json
 * @param root a path that no file may contain
 */
export function findProblems(folder, manifest, root) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => statSync(join(folder, file)).isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  console.log(`     ${files.length} files, ${bytes} bytes`);
  return [
    ...files.length > MAX_FILES ? [`${files.length} files, at most ${MAX_FILES}`] : [],
    ...bytes > MAX_BYTES ? [`${bytes} bytes, at most ${MAX_BYTES}`] : [],
    // Pages for contributors are left out by "!".
    ...[...manifest.files, manifest.directories.doc].filter((name) =>
      !name.startsWith("!") && !existsSync(join(folder, name))
    )
      .map((name) => `missing: ${name}`),
    ...files.filter(isForeign).map((file) => `does not belong: ${file}`),
    ...files.filter((file) => readFileSync(join(folder, file), "utf8").includes(root)).map((file) =>
      `names a path of this machine: ${file}`
    ),
    ...files.filter((file) =>
      /^dist\/(?!toolwire\.js$)/.test(file) && /jsr:@/.test(readFileSync(join(folder, file), "utf8"))
    )
      .map((file) => `names modules as on JSR: ${file}`),
    ...findBrokenLinks(folder),
    ...findAbsentImports(files.filter((file) => file.endsWith(".d.ts")), folder, manifest.peerDependenciesMeta),
  ];
}

/** Declarations that import a package which may be absent: without it they are an error of TypeScript (TS2307) in each program. */
function findAbsentImports(declarations, folder, peers) {
  return declarations.flatMap((file) => {
    // Comments have imports of examples.
    const code = readFileSync(join(folder, file), "utf8").replace(/\/\*[^]*?\*\//g, "");
    const imported = Array.from(code.matchAll(/(?:from|import\()\s*"((?:@[^/"]+\/)?[^/"]+)/g), ([, name]) => name);
    return imported.filter((name) => peers[name]?.optional).map((name) =>
      `${file} imports types of ${name}, which may be absent`
    );
  });
}

/** Tests and tools of the repository, and sources: their code is in dist/. */
function isForeign(file) {
  const isDeclaration = file.endsWith(".d.ts");
  return /(^|\/)(tests?|bench|examples|node_modules|\.cache|scripts)\/|_test\./.test(file) ||
    (file.endsWith(".ts") && !isDeclaration);
}

function findBrokenLinks(folder) {
  const links = readFileSync(join(folder, "README.md"), "utf8").matchAll(/\]\(([^)\s#]+)[^)]*\)/g);
  const targets = Array.from(links, ([, target]) => target).filter((target) => !/^[a-z]+:/.test(target));
  if (targets.length < 10) return [`README.md has only ${targets.length} links`];
  return targets.filter((target) => !existsSync(join(folder, target))).map((target) =>
    `README.md has a link to ${target}`
  );
}
