/** The checked-in requests fit the types of the vendors' packages, in the versions of `examples/agents`. */
import { match, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { root } from "../../serve/programs.ts";
import { skip } from "./frameworks.ts";
import { GOLDEN } from "./golden.ts";

/** A folder from which the packages are found. */
const folder = join(root, "examples/agents/node_modules/.golden");
const options = { skip: skip || (runtime !== "bun" && "once is enough"), timeout: 120_000 };

/** Compiles the payloads as values of their types; returns what the compiler reports. */
function compile(payloads: Readonly<Record<string, string>>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(payloads)) {
    const { from, type } = GOLDEN[name] as (typeof GOLDEN)[string];
    const source = `import type * as T from ${JSON.stringify(from)};\nexport const payload: ${type} = ${text};\n`;
    writeFileSync(join(folder, `${name}.ts`), source);
  }
  const files = Object.keys(payloads).map((name) => `${name}.ts`);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", files, include: [], exclude: [] }),
  );
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["-p", folder, "--noEmit"], { cwd: root, encoding: "utf8" });
  rmSync(folder, { recursive: true, force: true });
  return stdout;
}

function readGolden(name: string): string {
  return readFileSync(join(root, `tests/integrations/agents/golden/${name}.json`), "utf8");
}

test("all requests", options, () => {
  strictEqual(compile(Object.fromEntries(Object.keys(GOLDEN).map((name) => [name, readGolden(name)]))), "");
});

test("a request with an unknown or a missing member does not fit", options, () => {
  const reported = compile({
    anthropic_search: readGolden("anthropic_search").replace('"tool_use_id"', '"tool_call_id"'),
    google: readGolden("google").replace('"parametersJsonSchema"', '"parametersSchema"'),
    openai_responses: readGolden("openai_responses").replace('"strict"', '"strictly"'),
  });
  for (const name of ["anthropic_search", "google", "openai_responses"]) match(reported, new RegExp(`${name}\\.ts`));
});
