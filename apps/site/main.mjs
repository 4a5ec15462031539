/**
 * The documentation site: `node apps/site/main.mjs [build | dev | preview]`. Installs its packages on the first run; `build` writes
 * `apps/site/.work/dist`, `dev` serves the site and reloads it when a page of `docs/` changes.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL(".", import.meta.url));
const [command = "dev", ...options] = process.argv.slice(2);

installPackages();
const { prepare, root } = await import("./prepare.mjs");
const preparePages = await prepare();
if (command === "dev") watch(join(root, "docs"), { recursive: true }, restage);
const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
const child = spawn(process.execPath, [vitepress, command, site, ...options], {
  stdio: "inherit",
});
child.on("exit", (code) => process.exit(code ?? 1));

function installPackages() {
  for (const cwd of [fileURLToPath(new URL("../..", import.meta.url)), site]) {
    const script = fileURLToPath(
      new URL("../../scripts/install.mjs", import.meta.url),
    );
    const { status } = spawnSync(process.execPath, [script], {
      cwd,
      stdio: "inherit",
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}

/** An editor may save a file in two steps, so a page that cannot be read is left until the next event. */
function restage() {
  try {
    preparePages();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}
