// Builds dist/: one .js and .d.ts for each module, and toolwire.js, a single file that a page or a script can import from a URL.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });

const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit", shell: true });
if (status !== 0) process.exit(status ?? 1);

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
await build({
  entryPoints: ["mod.ts"],
  outfile: "dist/toolwire.js",
  bundle: true,
  format: "esm",
  target: "es2023",
  minify: true,
  legalComments: "none",
  banner: { js: `/* toolwire ${version}, MIT */` },
});
