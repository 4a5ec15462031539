// Recall of `discover()` over the tools of published servers, also with typos and copies, and the tokens of pages: `node bench/search.mjs`.
// The tables are those of docs/discovery.md and docs/tools.md: it ends with 1 if a page has other figures.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { findNode } from "../scripts/runtimes.mjs";
import { commands, root } from "./runtimes.mjs";

// The servers run on it. Without it the test would be skipped.
findNode(24);
const [bun] = commands.bun("");
const tests = ["./tests/server/discovery/quality_full_test.ts", "./tests/core/dispatch/answers/page_tokens_test.ts"];
const { status } = spawnSync(bun, ["test", "--timeout=600000", ...tests], { cwd: root, stdio: "inherit" });
process.exitCode = status === 0 ? 0 : 1;
