/**
 * The Claude Agent SDK with its program Claude Code and a scripted model. The program has 360 MB and is not installed by itself:
 * `CLAUDE_CODE=/path/to/claude bun test ./tests/integrations/agents/claude_agent_full_test.ts`.
 */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import type { AgentSource } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { loadExample, type Script, skip } from "./frameworks.ts";

import { type JsonRecord, MESSAGES } from "./model_views/apis.ts";
import { CASES } from "./model_views/cases.ts";
import { CLAUDE_AGENT } from "./model_views/rows/claude_agent.ts";
import { runner } from "./model_views/runner.ts";
import type { ViewedAdapter } from "./model_views/viewed_adapter.ts";

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

/**
 * What Claude Code 0.3.331 itself sends to the model of the answers, which are those of MCP in the row without the program: it saves documents and
 * sounds, and names their paths.
 */
const CLAUDE_CODE: ViewedAdapter = {
  ...CLAUDE_AGENT,
  takes: ["image"],
  api: {
    ...MESSAGES,
    result(body) {
      const result = MESSAGES.result(body);
      return result && { ...result, text: result.text.replaceAll(/\n*<system-reminder>[^]*?<\/system-reminder>/g, "") };
    },
  },
  async run(source, script, options) {
    const home = mkdtempSync(join(tmpdir(), "claude-"));
    const requests: JsonRecord[] = [];
    try {
      const run = await loadExample("claude_agent.ts", "runClaudeAgent") as Run;
      await run(source, script, options, { program, home, requests });
      return requests;
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** Whom it asks is tested above, and its own search is the vendor's. */
const OTHERS = ["destructive tool", "100 deferred tools"];

describe("what Claude Code sends to its model", { skip: skip || missing }, () => {
  for (const { name, see } of CASES.filter(({ name }) => !OTHERS.includes(name))) {
    test(name, { timeout: 120_000 }, async () => void await see(runner(CLAUDE_CODE), CLAUDE_CODE));
  }
});
