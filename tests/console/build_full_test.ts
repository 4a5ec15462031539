/** The page of the console is what its sources make, and its sources fit their types. */
import { strictEqual } from "node:assert/strict";
import { findProgram, runProgram, testWith } from "../serve/programs.ts";

testWith("page.ts is what scripts/build_console.mjs makes of apps/console/", [findProgram("node")], async (node) => {
  const { code, stdout, stderr } = await runProgram([node ?? "", "scripts/build_console.mjs", "--check"]);
  strictEqual(code, 0, stdout + stderr);
});

testWith("the sources of the page fit their types", [findProgram("tsc")], async (tsc) => {
  const { code, stdout } = await runProgram([tsc ?? "", "-p", "apps/console", "--noEmit"]);
  strictEqual(code, 0, stdout);
});
