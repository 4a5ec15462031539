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

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files with the version, beside `package.json`, and how it is written there. */
const FOLLOWERS = [
  ["deno.json", /("version": ")[^"]+/],
  ["jsr.json", /("version": ")[^"]+/],
  ["apps/create-toolwire/package.json", /("version": ")[^"]+/],
  ["src/internal/version.ts", /(VERSION[^=]*= ")[^"]+/],
];

/**
 * The changelog after Changesets has written the section of a version above everything: the section has the heading of a release, comes
 * after the introduction, and has the lines that were below `## [Unreleased]`.
 *
 * @param text `CHANGELOG.md`.
 * @param date Date of the release, such as `2026-12-01`.
 */
export function mergeUnreleased(text, version, date) {
  const [title, ...sections] = text.split(/^(?=## )/m);
  const isNew = (section) => section.startsWith(`## ${version}\n`);
  const isUnreleased = (section) => section.startsWith("## [Unreleased]\n");
  const written = sections.find(isNew);
  if (written === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  // Changesets writes below the first line, so that the introduction follows the section.
  const { lines, introduction } = splitIntroduction(bodyOf(written));
  const collected = sections.filter(isUnreleased).map(bodyOf).join("\n");
  const body = [lines, collected.trim()].filter((part) => part !== "").join("\n\n");
  const rest = sections.filter((section) => !isNew(section) && !isUnreleased(section));
  return `${title.trim()}\n\n${introduction}\n\n## [Unreleased]\n\n## [${version}] - ${date}\n\n${body}\n\n${
    rest.join("")
  }`.trimEnd() + "\n";
}

function bodyOf(section) {
  return section.slice(section.indexOf("\n") + 1);
}

/** The introduction begins with its first words; the lines before it are those of the changes. */
function splitIntroduction(body) {
  const at = body.indexOf("All notable changes");
  return at === -1
    ? { lines: body.trim(), introduction: "" }
    : { lines: body.slice(0, at).trim(), introduction: body.slice(at).trim() };
}

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
