/** `toolwire docs` as a host starts it. */
import { match, strictEqual } from "node:assert/strict";
import { findProgram, root, runProgram, testWith } from "../../serve/programs.ts";

testWith("a host starts toolwire docs over pipes, and searches", [findProgram("bun")], async (bun) => {
  const program = [bun, "apps/cli/main.ts"];
  const words = ["call", "search_docs", "query=kill -9", "limit=1", "--", ...program, "docs"];
  const { code, stdout, stderr } = await runProgram([...program, ...words], { cwd: root });
  strictEqual(code, 0, stderr);
  match(stdout, /"page": ?"/);
});
