// Prints the notes of a release, from CHANGELOG.md: `node scripts/release_notes.mjs v0.2.0`.
// Fails if a manifest has another version, or if the changelog has no section for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root } from "./runtimes.mjs";

const MANIFESTS = ["package.json", "deno.json", "jsr.json", "apps/create-toolwire/package.json"];

const read = (file) => readFileSync(join(root, file), "utf8");

const tag = process.argv[2] ?? "";
const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1];
const problems = version === undefined
  ? [`${JSON.stringify(tag)} is not a tag of a release, such as v0.2.0`]
  : MANIFESTS.filter((file) => JSON.parse(read(file)).version !== version)
    .map((file) => `${file} has version ${JSON.parse(read(file)).version}, not ${version}`);
const sections = read("CHANGELOG.md").split(/^## /m).slice(1);
const section = sections.find((text) => text.startsWith(`[${version}]`));
if (version !== undefined && section === undefined) {
  problems.push(`CHANGELOG.md has no section "## [${version}] - date"`);
}
if (problems.length > 0) {
  console.error(`Cannot release: ${problems.join("; ")}`);
  process.exitCode = 1;
} else {
  console.log(section.slice(section.indexOf("\n")).trim());
}
