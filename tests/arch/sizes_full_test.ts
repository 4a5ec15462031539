/** The rules of `.oxlintrc.json` refuse what is too long. */
import { match, notStrictEqual, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Status and output of oxlint with the rules of this repository, over one file. */
function lint(text: string): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-oxlint-"));
  try {
    cpSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
    writeFileSync(join(folder, "a.ts"), text);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, "node_modules/oxlint/bin/oxlint"), "."],
      {
        cwd: folder,
        encoding: "utf8",
      },
    );
    return { status, output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("oxlint refuses functions of 61 lines and files of 401 lines", () => {
  const functionOf = (lines: number) => `export function f() {${"\n".repeat(lines - 1)}}\n`;
  const short = lint(functionOf(60) + "// A line.\n".repeat(340));
  strictEqual(short.status, 0, short.output);
  for (
    const [text, rule] of [[functionOf(61), /max-lines-per-function/], [
      "// A line.\n".repeat(401),
      /max-lines\)/,
    ]] as const
  ) {
    const { status, output } = lint(text);
    notStrictEqual(status, 0);
    match(output, rule);
  }
});
