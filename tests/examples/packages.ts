/** Packages where programs expect them: this one in a separate folder, and those that an example names. */
import { strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { root, runProgram } from "../serve/programs.ts";

/** Puts the package, and its command, where `npm install toolwire` would, as a fresh build: `dist/` may be stale. */
export async function installPackage(folder: string, compiler: string): Promise<void> {
  const installed = join(folder, "node_modules/toolwire");
  await mkdir(installed, { recursive: true });
  await symlink(join(root, "node_modules"), join(installed, "node_modules"));
  for (const file of ["mod.ts", "src", "apps/cli", "package.json", "tsconfig.json", "tsconfig.build.json"]) {
    await cp(join(root, file), join(installed, file), { recursive: true });
  }
  const built = await runProgram([compiler, "-p", "tsconfig.build.json"], { cwd: installed, withinMs: 120_000 });
  strictEqual(built.code, 0, built.stdout);
  await mkdir(join(folder, "node_modules/.bin"));
  await chmod(join(installed, "dist/apps/cli/main.js"), 0o755);
  await symlink("../toolwire/dist/apps/cli/main.js", join(folder, "node_modules/.bin/toolwire"));
}

/** Installs what an example's package.json names, if it is missing; returns why that failed, or `undefined`. */
export function installExample(story: string): string | undefined {
  const cwd = join(root, "examples", story);
  const { status, stderr, error } = spawnSync("node", [join(root, "scripts/install.mjs")], { cwd, encoding: "utf8" });
  return status === 0 ? undefined : `the packages of ${story} cannot be installed: ${error?.message ?? stderr.trim()}`;
}
