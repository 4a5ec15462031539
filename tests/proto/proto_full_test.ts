/** The protocol files: what is generated of them is what is checked in, and the specification's own file still fits. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runtime } from "../runtime/runtime.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SPECIFICATION = join(ROOT, "tests/proto/specification");
/** What these tests start is the same wherever they run. */
const skip = runtime !== "bun" && "runs on Bun, and starts buf itself";

const temporary = mkdtempSync(join(tmpdir(), "toolwire-proto-"));
after(() => rmSync(temporary, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

function run(command: string, args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { status, output: `${stdout}${stderr}` };
}

const buf = (...args: readonly string[]): Ended => run(join(ROOT, "node_modules/.bin/buf"), args);

function readAll(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    .sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

test("npm run generate gives the bytes that are checked in", { skip, timeout: 60_000 }, () => {
  const folder = join(temporary, "gen");
  const { status, output } = run("node", ["scripts/generate.mjs", folder]);
  strictEqual(status, 0, output);
  const generated = readAll(folder);
  ok("mcplite_pb.ts" in generated);
  deepStrictEqual(generated, readAll(join(ROOT, "src/wires/grpc/messages/gen")));
});

test("buf lint finds nothing but what the specification's names break", { skip }, () => {
  const { status, output } = buf("lint");
  strictEqual(status, 0, output);
});

test("each lint rule that is off would find something", { skip }, () => {
  const config = readFileSync(join(ROOT, "buf.yaml"), "utf8");
  const rules = Array.from(config.matchAll(/^ {8}- ([A-Z_]+)$/gm), ([, rule]) => rule as string);
  ok(rules.length > 4);
  for (const rule of rules) {
    const { status, output } = buf("lint", "--config", config.replace(`        - ${rule}\n`, ""));
    notStrictEqual(status, 0, `${rule} can be on`);
    match(output, /mcplite\.proto/);
  }
});

test("buf breaking finds nothing that a caller by the specification's own file would notice", { skip }, () => {
  const { status, output } = buf("breaking", "--against", SPECIFICATION);
  strictEqual(status, 0, output);
});

test("buf breaking would find a changed number: the check above can fail", { skip }, () => {
  const folder = join(temporary, "changed");
  cpSync(join(ROOT, "proto"), folder, { recursive: true });
  const file = join(folder, "mcplite.proto");
  writeFileSync(file, readFileSync(file, "utf8").replace("string promise_token = 2;", "string promise_token = 20;"));
  const { status, output } = buf("breaking", folder, "--against", SPECIFICATION);
  notStrictEqual(status, 0);
  match(output, /promise_token/);
});
