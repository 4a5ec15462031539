/** The manifests of npm, Deno and JSR say the same, and the front door runs everywhere. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { VERSION } from "../../src/internal/version.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface JsrManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
}
interface NpmManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
const npm = read("package.json") as NpmManifest;
const deno = read("deno.json") as JsrManifest;
const jsr = read("jsr.json") as JsrManifest;

test("package.json, deno.json and jsr.json agree on name, version and licence, and so does the code", () => {
  strictEqual(npm.name, "toolwire");
  deepStrictEqual([deno.name, jsr.name], ["@toolwire/toolwire", "@toolwire/toolwire"]);
  deepStrictEqual([deno.version, jsr.version], [npm.version, npm.version]);
  deepStrictEqual([deno.license, jsr.license], [npm.license, npm.license]);
  strictEqual(VERSION, npm.version);
  match(npm.version, /^\d+\.\d+\.\d+(-[\w.]+)?$/);
  strictEqual(npm.type, "module");
  strictEqual(npm.sideEffects, false);
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

for (const entry of [".", "./schema", "./testing", "./grpc", "./mcp", "./agents", "./oauth"]) {
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
  deepStrictEqual(
    inputs.filter((path) => /valibot|src\/(server|runtime|core\/(dispatch|tool|schema))\//.test(path)),
    [],
  );
});

test("the front door pulls in neither protobuf nor Connect, nor the code of resources and prompts", async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, "mod.ts")],
    bundle: true,
    write: false,
    metafile: true,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
  deepStrictEqual(
    Object.keys(metafile.inputs).filter((path) => /@bufbuild|@connectrpc|wires\/(grpc|mcp)\/|core\/content/.test(path)),
    [],
  );
});

test("what the core is made of pulls in no converter of schemas, and no compiled checks", async () => {
  const inputsOf = async (files: readonly string[]) => {
    const { metafile } = await build({
      stdin: {
        contents: files.map((file) => `export * from "./${file}";`).join("\n"),
        resolveDir: ROOT,
        loader: "ts",
      },
      bundle: true,
      write: false,
      metafile: true,
      platform: "browser",
      format: "esm",
      logLevel: "silent",
    });
    return Object.keys(metafile.inputs).filter((path) => /valibot|exact_check|check_writer/.test(path)).length;
  };
  const core = [
    "src/core/tool/define_tool.ts",
    "src/server/server.ts",
    "src/wires/mcp_lite/server/mcp_lite.ts",
    "src/wires/memory/client/transport.ts",
  ];
  deepStrictEqual(await inputsOf(core), 0);
  // The front door has them, without valibot itself: the check above can fail.
  deepStrictEqual(await inputsOf(["mod.ts"]), 5);
});
