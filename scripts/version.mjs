/**
 * Makes the version and the changelog of a release from the files of `.changeset/`: `node scripts/version.mjs`, a step of MAINTAINING.md.
 *
 * Changesets counts the version of `package.json` up and writes a section into `CHANGELOG.md`. The other manifests and
 * `src/internal/version.ts` follow here, and the lines below `## [Unreleased]`, from before there were files, move into the section.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { mergeUnreleased } from "./release_section.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files with the version, beside `package.json`, and how it is written there. */
const FOLLOWERS = [
  ["deno.json", /("version": ")[^"]+/],
  ["jsr.json", /("version": ")[^"]+/],
  ["apps/create-toolwire/package.json", /("version": ")[^"]+/],
  ["src/internal/version.ts", /(VERSION[^=]*= ")[^"]+/],
];

function main() {
  const { status } = spawnSync(process.execPath, [join(ROOT, "node_modules/@changesets/cli/bin.js"), "version"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    return;
  }
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const changelog = join(ROOT, "CHANGELOG.md");
  writeFileSync(
    changelog,
    mergeUnreleased(readFileSync(changelog, "utf8"), version, new Date().toISOString().slice(0, 10)),
  );
  for (const [file, pattern] of FOLLOWERS) {
    const text = readFileSync(join(ROOT, file), "utf8");
    if (!pattern.test(text)) throw new Error(`${file} has no version`);
    writeFileSync(join(ROOT, file), text.replace(pattern, (_, before) => before + version));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
