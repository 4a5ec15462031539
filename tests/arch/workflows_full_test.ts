/** The workflows of GitHub: what they may do, and that the files and scripts they run exist. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, ".github/workflows");

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

for (const file of readdirSync(folder)) {
  describe(file, () => {
    const text = readFileSync(join(folder, file), "utf8");
    const { permissions, jobs } = parse(text) as Workflow;
    const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

    test("may read, and writes only where a job says so", () => {
      deepStrictEqual(permissions, { contents: "read" });
      for (const [name, job] of Object.entries(jobs)) {
        const writes = Object.values(job.permissions ?? {}).includes("write");
        ok(!writes || file === "release.yml", `${name} writes`);
        ok(job.uses !== undefined || job["timeout-minutes"] !== undefined, `${name} has no time limit`);
      }
    });

    test("actions are pinned to commits, with their versions beside them", () => {
      const used = text.split("\n").filter((line) => /\buses: /.test(line) && !line.includes("uses: ./"));
      ok(used.length > 0);
      for (const line of used) match(line, /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    test("checkouts keep no credentials", () => {
      const checkouts = text.split("- uses: actions/checkout@").slice(1);
      for (const checkout of checkouts) match(checkout.split("- ")[0] ?? "", /persist-credentials: false/);
    });

    test("files that steps run exist", () => {
      const paths = steps.flatMap(({ run = "" }) => run.match(/(?:scripts|\.ci)\/[\w.]+/g) ?? []);
      for (const path of paths) ok(existsSync(join(root, path)), path);
      for (const { uses } of Object.values(jobs)) {
        if (uses !== undefined) ok(existsSync(join(root, uses)), uses);
      }
    });
  });
}

test("each published tarball was tested, attested and approved by a person", () => {
  const { jobs } = parse(readFileSync(join(folder, "release.yml"), "utf8")) as {
    jobs: Record<string, Job & { readonly needs?: string }>;
  };
  strictEqual(jobs["publish"]?.needs, "pack");
  strictEqual(jobs["pack"]?.needs, "test");
  strictEqual(jobs["publish"]?.environment, "release");
  const commands = (jobs["publish"]?.steps ?? []).map(({ run = "" }) => run).join("\n");
  ok(!/npm (pack|run build)/.test(commands), "nothing is built where it is published");
});

describe("notes of a release", () => {
  const run = (tag: string) =>
    spawnSync(process.execPath, [join(root, "scripts/release_notes.mjs"), tag], { encoding: "utf8" });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const isReleased = readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## [${version}]`);

  test("a tag that is none, and a version that no manifest has, are refused", () => {
    const none = run("latest");
    strictEqual(none.status, 1);
    match(none.stderr, /"latest" is not a tag of a release, such as v0\.2\.0/);
    const other = run("v99.0.0");
    strictEqual(other.status, 1);
    match(other.stderr, new RegExp(`package\\.json has version ${version}, not 99\\.0\\.0`));
    match(other.stderr, /CHANGELOG\.md has no section "## \[99\.0\.0\]/);
  });

  test("the version of the manifests has its section, once it is released", () => {
    const { status, stdout, stderr } = run(`v${version}`);
    strictEqual(status, isReleased ? 0 : 1);
    if (isReleased) match(stdout, /^### /m);
    else match(stderr, /CHANGELOG\.md has no section/);
  });
});
