/** The code of a saved call is a test that runs, and that fails if the server answers differently. */
import { match, strictEqual } from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testCode } from "../../apps/console/test_code.ts";
import { findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const SERVER = `import { createServer, defineTool } from "toolwire";
import * as v from "toolwire/schema";

const divide = defineTool("divide").describe("Divide").input(v.object({ a: v.number(), b: v.number() }))
  .errors({ zero: v.object({}) })
  .handle(({ a, b }, ctx) => {
    if (b === 0) throw ctx.fail("zero", "Cannot divide by zero", {});
    return { quotient: a / b, text: "\u2028${"`"}" };
  });

export const server = createServer({ tools: [divide], logger: false });
`;

/** Entries that the code imports, as the sources of this repository. */
const ENTRIES = {
  "toolwire": "mod.ts",
  "toolwire/testing": "src/entries/testing.ts",
  "toolwire/schema": "src/entries/schema.ts",
};

function withSources(code: string): string {
  return Object.entries(ENTRIES).reduce(
    (text, [name, path]) => text.replaceAll(`"${name}"`, JSON.stringify(join(root, path))),
    code,
  );
}

testWith("a call is saved as a test that runs", [findProgram("bun")], async (bun) => {
  await using folder = await temporaryFolder();
  const write = (name: string, text: string) => writeFile(join(folder.path, name), withSources(text));
  await write("server.ts", SERVER);
  const answer = { quotient: 3, text: "\u2028`" };
  await write("answer_test.ts", testCode("divide", { a: 6, b: 2 }, { kind: "answer", value: answer }));
  await write("unsent_test.ts", testCode("divide", { a: 6, b: 2 }, undefined));
  const failure = { code: "zero", message: "Cannot divide by zero", data: {} };
  await write("failure_test.ts", testCode("divide", { a: 6, b: 0 }, { kind: "failure", value: failure }));
  const error = { code: -32_602, message: "Invalid", data: { code: "invalid_input" } };
  await write("error_test.ts", testCode("divide", { a: "x" }, { kind: "error", value: error }));
  const passed = await runProgram([bun, "test"], { cwd: folder.path });
  strictEqual(passed.code, 0, passed.stderr);
  match(passed.stderr, / 4 pass/);
  await write("answer_test.ts", testCode("divide", { a: 6, b: 2 }, { kind: "answer", value: { quotient: 4 } }));
  const failed = await runProgram([bun, "test", "./answer_test.ts"], { cwd: folder.path });
  strictEqual(failed.code, 1, failed.stderr);
});
