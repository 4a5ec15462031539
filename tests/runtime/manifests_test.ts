import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

interface PackageJson {
  readonly version: string;
  readonly license: string;
  readonly exports: Record<string, string | { readonly types: string; readonly default: string }>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}

interface DenoJson {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Record<string, string>;
  readonly imports: Record<string, string>;
  readonly compilerOptions: Record<string, unknown>;
}

interface TsConfig {
  readonly compilerOptions: Record<string, unknown> & { readonly paths: Record<string, readonly string[]> };
}

const root = new URL("../../", import.meta.url);
const npm = read<PackageJson>("package.json");
const deno = read<DenoJson>("deno.json");
const jsr = read<DenoJson>("jsr.json");
const { compilerOptions } = read<TsConfig>("tsconfig.json");

test("jsr.json is deno.json", () => deepStrictEqual(jsr, deno));

test("package.json and deno.json have one version and licence", () => {
  deepStrictEqual([npm.version, npm.license], [deno.version, deno.license]);
});

test("each entry is there for npm, JSR and tsconfig.json's paths, and its file exists", () => {
  const { "./package.json": _, ...entries } = npm.exports;
  deepStrictEqual(Object.keys(entries), Object.keys(deno.exports));
  for (const [entry, source] of Object.entries(deno.exports)) {
    const built = source.replace("./", "./dist/").replace(/\.ts$/, "");
    deepStrictEqual(entries[entry], { types: `${built}.d.ts`, default: `${built}.js` });
    for (const name of ["toolwire", `jsr:${deno.name}`]) {
      deepStrictEqual(compilerOptions.paths[name + entry.slice(1)], [source]);
    }
    strictEqual(existsSync(new URL(source, root)), true, source);
  }
});

test("each dependency has one exact version, on npm and on JSR", () => {
  const versions: Record<string, string> = { ...npm.devDependencies, ...npm.dependencies };
  for (const name of [...Object.keys(npm.dependencies), ...Object.keys(npm.peerDependencies)]) {
    strictEqual(Object.hasOwn(deno.imports, name), true, name);
  }
  // What a user brings along on npm, and what is in the files of dist/, is tested with the version among the dev dependencies.
  const imports = Object.keys(deno.imports).map((name) => [name, `npm:${name}@${versions[name]}`]);
  deepStrictEqual(deno.imports, Object.fromEntries(imports));
  for (const version of Object.values(versions)) {
    // Two versions of one package have names of ours.
    strictEqual(/^(npm:.+@)?\d+\.\d+\.\d+(-alpha\.\d+)?$/.test(version), true, version);
  }
});

test("Deno checks types with the flags of tsconfig.json", () => {
  for (const [flag, value] of Object.entries(deno.compilerOptions)) strictEqual(compilerOptions[flag], value, flag);
});

function read<Manifest>(file: string): Manifest {
  return JSON.parse(readFileSync(new URL(file, root), "utf8")) as Manifest;
}
