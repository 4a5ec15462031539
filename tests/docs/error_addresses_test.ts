/** Each code has an address: a heading of `docs/errors.md`, which other pages and messages of development link to. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { printError } from "../../apps/cli/print_error.ts";
import type { Terminal } from "../../apps/cli/terminal/terminal.ts";
import { createServer, defineTool, ToolError, type ToolErrorCode } from "../../mod.ts";
import { pretty } from "../../src/entries/middleware.ts";
import { testClient } from "../../src/entries/testing.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/errors.md"), "utf8");

/** TypeScript refuses a missing or unknown code. */
const CODES: Readonly<Record<ToolErrorCode, true>> = {
  parse_error: true,
  invalid_request: true,
  method_not_found: true,
  tool_not_found: true,
  resource_not_found: true,
  prompt_not_found: true,
  invalid_input: true,
  invalid_config: true,
  invalid_promise: true,
  expired_promise: true,
  invalid_continuation: true,
  promise_lost: true,
  conflict: true,
  deadline_exceeded: true,
  cancelled: true,
  unauthenticated: true,
  permission_denied: true,
  rate_limited: true,
  unavailable: true,
  payload_too_large: true,
  result_too_large: true,
  internal: true,
};

test("docs/errors.md has a section for each code of a refusal, with its HTTP status", () => {
  const [, body = ""] = page.split("\n## Codes of refusals\n");
  const sections = body.split("\n## ")[0]!.split("\n### ").slice(1);
  deepStrictEqual(sections.map((section) => /^`(\w+)`\n/.exec(section)?.[1]), Object.keys(CODES));
  for (const section of sections) ok(/HTTP [45]\d\d/.test(section), `${section.slice(0, 20)} names no HTTP status`);
});

test("pretty() names the section of a code with the first line that has it", async () => {
  const lines: string[] = [];
  const logger = pretty({ write: (line) => void lines.push(line), colors: false });
  const busy = defineTool("busy").describe("Refuse").errors({ gone: null }).handle((_, ctx) => {
    if (lines.length < 2) throw new ToolError("conflict", "busy");
    throw ctx.fail("gone", "gone");
  });
  const client = testClient(createServer({ tools: [busy], logger }));
  for (let call = 0; call < 3; call++) await client.busy().catch(() => {});
  deepStrictEqual(lines.map((line) => line.replace(/^.* ms/, "")), [" docs/errors.md#conflict", "", ""]);
});

test("the command line names the section of a code, and none for a failure of the tool", () => {
  const noted = (code: string): string[] => {
    const lines: string[] = [];
    const terminal = { note: (text: string) => void lines.push(text), styleNote: (_: string, text: string) => text };
    printError(
      terminal as Pick<Terminal, "note" | "styleNote"> as Terminal,
      { exitCode: 5, code, message: "No" },
      false,
    );
    return lines;
  };
  deepStrictEqual(noted("conflict"), ["No (conflict)", "docs/errors.md#conflict says what to do"]);
  deepStrictEqual(noted("on_loan"), ["No (on_loan)"]);
});

test("the log of the first plain Error names the section that says what to throw", async () => {
  const hints: unknown[] = [];
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (_: string, fields: object = {}) => void hints.push(fields),
  };
  const broken = defineTool("broken").describe("Break").handle(() => {
    throw new Error("out of paper");
  });
  const client = testClient(createServer({ tools: [broken], logger }));
  await client.broken().catch(() => {});
  const [, file, anchor] = /docs\/(\w+\.md)#(\w+)/.exec(JSON.stringify(hints)) ?? [];
  deepStrictEqual([file, page.includes(`\n### \`${anchor}\`\n`)], ["errors.md", true], JSON.stringify(hints));
});
