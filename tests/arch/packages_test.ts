/** The manifests of npm, Deno and JSR say the same, and the front door runs everywhere. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface JsrManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
}
interface NpmManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
const npm = read("package.json") as NpmManifest;
const deno = read("deno.json") as JsrManifest;
const jsr = read("jsr.json") as JsrManifest;

test("package.json, deno.json and jsr.json agree on name, version and licence", () => {
  strictEqual(npm.name, "toolwire");
  deepStrictEqual([deno.name, jsr.name], ["@toolwire/toolwire", "@toolwire/toolwire"]);
  deepStrictEqual([deno.version, jsr.version], [npm.version, npm.version]);
  deepStrictEqual([deno.license, jsr.license], [npm.license, npm.license]);
  match(npm.version, /^\d+\.\d+\.\d+(-[\w.]+)?$/);
  strictEqual(npm.type, "module");
  strictEqual(npm.sideEffects, false);
});

test("package.json, deno.json and jsr.json have the same entries, each with its file", () => {
  deepStrictEqual(jsr.exports, deno.exports);
  const { "./package.json": _, ...entries } = npm.exports;
  deepStrictEqual(Object.keys(entries), Object.keys(deno.exports));
  for (const [entry, path] of Object.entries(deno.exports)) {
    ok(existsSync(join(ROOT, path)), path);
    const built = path.replace(/^\.\//, "./dist/").replace(/\.ts$/, "");
    const conditions = entries[entry] as Readonly<Record<string, string>>;
    deepStrictEqual(conditions, { bun: path, types: `${built}.d.ts`, default: `${built}.js` });
    // The first condition that fits wins: types and default come after bun.
    deepStrictEqual(Object.keys(conditions), ["bun", "types", "default"]);
  }
});

test("dependencies are the same in every manifest, in exact versions", () => {
  const fromImports = (imports: JsrManifest["imports"]) =>
    Object.fromEntries(
      Object.values(imports).map((specifier) => /^npm:(@?[^@]+)@(.+)$/.exec(specifier)?.slice(1, 3) ?? [specifier, ""]),
    );
  deepStrictEqual(fromImports(deno.imports), npm.dependencies);
  deepStrictEqual(fromImports(jsr.imports), npm.dependencies);
  for (const [name, version] of Object.entries({ ...npm.dependencies, ...npm.devDependencies })) {
    match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  }
});

/** What a bundle of an entry imports that is not in it. */
async function outsideOf(entry: string, platform: "neutral" | "browser"): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    write: false,
    metafile: true,
    platform,
    format: "esm",
    mainFields: ["module", "main"],
    conditions: ["import"],
    external: ["node:*", "bun:*"],
    logLevel: "silent",
  });
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path)
  );
}

for (const entry of [".", "./schema", "./testing"]) {
  for (const platform of ["neutral", "browser"] as const) {
    test(`entry ${entry} bundles for ${platform} without a module of any runtime`, async () => {
      deepStrictEqual(await outsideOf(deno.exports[entry] ?? "", platform), []);
    });
  }
}

test("entry ./serve is known to import modules of node: the check above can fail", async () => {
  ok((await outsideOf(deno.exports["./serve"] ?? "", "neutral")).some((path) => path.startsWith("node:")));
});

test("the client alone pulls in neither valibot nor the server", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'import { createClient } from "./mod.ts"; console.log(createClient);',
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map((
    [path],
  ) => path);
  deepStrictEqual(inputs.filter((path) => /valibot|src\/(server|dispatch|tool|schema|runtime)\//.test(path)), []);
});
