/** The types of examples/mcp, whose packages the check of the whole has not; what it does is run by scripts/run_examples.mjs. */
import { strictEqual } from "node:assert/strict";
import process from "node:process";
import { findProgram, runProgram, testWith } from "../serve/programs.ts";
import { installExample } from "./packages.ts";

const missing = process.versions["bun"] === undefined ? undefined : installExample("mcp");
const packages = missing === undefined ? { path: "examples/mcp/node_modules" } : { missing };

testWith(
  "examples/mcp checks against the types of the official clients",
  [findProgram("tsc"), packages],
  async (tsc) => {
    const { code, stdout } = await runProgram([tsc, "-p", "examples/mcp", "--noEmit"], { withinMs: 60_000 });
    strictEqual(code, 0, stdout);
  },
);
