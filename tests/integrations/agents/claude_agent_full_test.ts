/**
 * The Claude Agent SDK with its program Claude Code and a scripted model. The program has 360 MB and is not installed by itself:
 * `CLAUDE_CODE=/path/to/claude bun test ./tests/integrations/agents/claude_agent_full_test.ts`.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import type { AgentSource } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { loadExample, type Script, skip } from "./frameworks.ts";

type Run = (source: AgentSource, script: Script, options: object, place: object) => Promise<string>;

const program = process.env["CLAUDE_CODE"];
const missing = program === undefined && "CLAUDE_CODE does not name the program";

test("Claude Code calls tools, reports progress, and asks before a destructive call", {
  skip: skip || missing,
  timeout: 120_000,
}, async () => {
  const add = defineTool("math.add").describe("Add").input(v.object({ a: v.number(), b: v.number() }))
    .handle(({ a, b }, ctx) => {
      ctx.progress(1, 2);
      return a + b;
    });
  const drop = defineTool("drop").describe("Drop").annotate({ destructiveHint: true }).handle(() => "dropped");
  const home = mkdtempSync(join(tmpdir(), "claude-"));
  const asked: string[] = [];
  const progress: number[] = [];
  try {
    const run = await loadExample("claude_agent.ts", "runClaudeAgent") as Run;
    const script = [[{ name: "math_add", args: { a: 1, b: 2 } }], [{ name: "drop", args: {} }]];
    const options = { onProgress: ({ done }: { readonly done: number }) => progress.push(done) };
    const answer = await run(createServer({ tools: [add, drop] }), script, options, { program, home, asked });
    strictEqual(answer, "3\ndropped");
    // All tools of the server are allowed, and this one asks nevertheless.
    deepStrictEqual([asked, progress], [["mcp__agency__drop"], [1]]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
