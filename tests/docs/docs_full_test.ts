import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runtime } from "../runtime/runtime.ts";
import { type Example, findExamples, findFences, importFromJsr, importFromNpm } from "./extract.ts";
import { findPrograms, namePlaces as nameFragments, writePrograms } from "./programs.ts";
import { checkShown } from "./shown.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = findExamples(root);
/** Bun and Deno are started by these tests, so that they need to run once only. */
/** After this time a program counts as hung, in milliseconds: a hundred times what it takes on a quiet machine. */
const HANG_MS = 600_000;
const skip = runtime !== "bun" && "runs on Bun, and starts Deno itself";

test("findFences() reads marks, indents, line numbers and longer fences", () => {
  const text = [
    "```ts",
    'import { http } from "toolwire";',
    "```",
    "- item:",
    "  ```ts fragment server",
    "  a",
    "    b",
    "  ```",
    "````ts check",
    "```",
    "````",
    "```tsx",
    "```",
    "```ts",
    "```",
  ].join("\n");
  deepStrictEqual(findFences("x.md", text), [
    { place: "x.md:1", kind: "run", code: 'import { http } from "toolwire";\n' },
    { place: "x.md:5", kind: "fragment", code: "a\n  b\n", given: ["server"] },
    { place: "x.md:9", kind: "check", code: "```\n" },
    { place: "x.md:14", kind: "unmarked", code: "" },
  ]);
});

test("imports are written for npm and for JSR", () => {
  const npm = 'import { a } from "toolwire";\nimport { b } from "toolwire/engines/sqlite";\n';
  const jsr = npm.replaceAll('"toolwire', '"jsr:@toolwire/toolwire');
  strictEqual(importFromJsr(npm), jsr);
  strictEqual(importFromNpm(jsr), npm);
  strictEqual(importFromJsr(jsr), jsr);
});

describe("documentation examples", { skip }, () => {
  const runnable = examples.filter(({ kind }) => kind === "run");
  const fragments = findPrograms(root, ["fragment"]);
  const npm = new Map<Example, string>();
  const jsr = new Map<Example, string>();
  let folder = "";

  before(() => {
    // Inside the repository, where Bun and tsc know what both names are, and Deno what `jsr:@toolwire/toolwire` is.
    mkdirSync(join(root, ".cache"), { recursive: true });
    folder = mkdtempSync(join(root, ".cache/docs-"));
    mkdirSync(join(folder, "run"));
    for (const example of examples) {
      if (!["run", "check", "peer"].includes(example.kind)) continue;
      const name = example.place.replaceAll(/[^\w]+/g, "_");
      write(npm, example, `${name}.ts`, importFromNpm(example.code));
      write(jsr, example, `${name}_jsr.ts`, importFromJsr(example.code));
    }
    writePrograms(folder, fragments);
    const compilerOptions = {
      declaration: false,
      isolatedDeclarations: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["**/*.ts"], exclude: ["run"] }),
    );
  });

  /** Writes what is type-checked, and in the folder `run` what runs: the same with its outputs compared. */
  function write(files: Map<Example, string>, example: Example, name: string, code: string): void {
    // `export {}` makes a module of what only has dynamic imports.
    writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    const file = join(folder, "run", name);
    if (example.kind === "run") writeFileSync(file, `${checkShown(code, example.place)}\nexport {};\n`);
    files.set(example, file);
  }

  after(() => rmSync(folder, { recursive: true, force: true }));

  test("each one imports Toolwire, or is a fragment or an excerpt", () => {
    console.log(countKinds());
    ok(runnable.length > 0, "There is no example at all");
    const unmarked = examples.filter(({ kind }) => kind === "unmarked").map(({ place }) => place);
    deepStrictEqual(unmarked, [], "Import from toolwire, or write ```ts fragment");
  });

  test("each one type-checks", { timeout: HANG_MS + 20_000 }, async () => {
    const { status, output } = await run("tsc", ["-p", folder], HANG_MS);
    strictEqual(status, 0, nameFragments(namePlaces(output), fragments));
  });

  test("Markdown imports from npm, doc comments from JSR", () => {
    const wrong = runnable.filter(({ place, code }) =>
      code !== (place.includes(".md:") ? importFromNpm(code) : importFromJsr(code))
    );
    deepStrictEqual(wrong.map(({ place }) => place), []);
  });

  test("each one runs on Bun, from npm", { timeout: HANG_MS + 20_000 }, () => runAll(npm, "bun", ["run"]));

  test("each one runs on Bun, from JSR", { timeout: HANG_MS + 20_000 }, () => runAll(jsr, "bun", ["run"]));

  // From npm on Deno: scripts/check_package.mjs, with the package installed.
  test(
    "each one runs on Deno, from JSR",
    { timeout: HANG_MS + 20_000 },
    () => runAll(jsr, "deno", ["run", "-A", "--no-check", "--quiet"]),
  );

  async function runAll(files: ReadonlyMap<Example, string>, command: string, args: readonly string[]): Promise<void> {
    const urls = runnable.map((example) => pathToFileURL(files.get(example)!).href);
    const script = fileURLToPath(new URL("run_examples.mjs", import.meta.url));
    const { status, output } = await run(command, [...args, script, ...urls], HANG_MS);
    const results = Array.from(
      output.matchAll(/^::example (.*)$/gm),
      ([, json = ""]) => JSON.parse(json) as { error?: string; ms: number },
    );
    const failures = results.flatMap(({ error }) => error ?? []);
    strictEqual(failures.length, 0, namePlaces(failures.join("\n\n")));
    const slowestMs = Math.max(0, ...results.map(({ ms }) => ms));
    const where = `${runnable[results.length]?.place}, after ${results.length} of at most ${slowestMs} ms each`;
    ok(output.includes("::end"), `It stopped in ${where} (${status}):\n${namePlaces(output)}`);
    strictEqual(status, 0, `An example leaves something open, or fails later:\n${namePlaces(output)}`);
  }

  /** Says `README.md:12` for the file made of it. */
  function namePlaces(text: string): string {
    const local = text.replaceAll(new RegExp(`\\.cache/${basename(folder)}/(run/)?`, "g"), "");
    return [...jsr, ...npm].reduce((named, [{ place }, file]) => named.replaceAll(basename(file), place), local);
  }
});

function countKinds(): string {
  const kinds = ["run", "check", "peer", "fragment", "excerpt"] as const;
  return kinds.map((kind) => `${examples.filter((example) => example.kind === kind).length} ${kind}`).join(", ");
}

/** Runs a dev dependency's command; one that does not end in time is killed. */
async function run(
  command: string,
  args: readonly string[],
  limitMs: number,
): Promise<{ status: unknown; output: string }> {
  const child = spawn(join(root, "node_modules/.bin", command), args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output += chunk);
  const status = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  return { status, output };
}
