/** Output: progress, widths, colours, the status line, and the printing of calls. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { formatAnswer } from "../../../apps/cli/calls/answer_text.ts";
import { CallPrinter } from "../../../apps/cli/calls/call_printer.ts";
import { formatProgress } from "../../../apps/cli/terminal/progress.ts";
import { StatusLine } from "../../../apps/cli/terminal/status_line.ts";
import { printable, printableLine, Terminal } from "../../../apps/cli/terminal/terminal.ts";
import { cutToWidth, widthOf } from "../../../apps/cli/terminal/width.ts";

/** A terminal, and what was written to its streams. */
function openTerminal(
  { isTTY = false, env = {}, columns = 80 }: { isTTY?: boolean; env?: Record<string, string>; columns?: number } = {},
) {
  const written = { out: "", errors: "" };
  const terminal = new Terminal({
    stdout: { write: (text) => (written.out += text), isTTY, columns },
    stderr: { write: (text) => (written.errors += text), isTTY, columns },
    stdin: { isTTY, async *[Symbol.asyncIterator]() {} },
    env,
    cwd: "/",
  });
  return { terminal, written };
}

const done = { wire: "mcp", tookMs: 1.4 };

test("progress is a bar with a total, a spinner without one, and fits any terminal", () => {
  strictEqual(
    formatProgress("job", { done: 1, total: 2, message: "half" }, 60, 0),
    `${"█".repeat(15)}${"░".repeat(15)} 50% 1/2 job: half`,
  );
  strictEqual(formatProgress("job", { done: 7 }, 60, 1), "⠙ 7 job");
  strictEqual(formatProgress("job", undefined, 60, 0), "⠋ job");
  const wrong = { done: "7", total: {}, message: 3 } as unknown as { done: number };
  strictEqual(formatProgress("job", wrong, 60, 0), "⠋ job");
  strictEqual(formatProgress("job", { done: 5, total: 2 }, 60, 0).includes("100%"), true);
  for (
    const progress of [undefined, { done: 1.25 }, { done: 1, total: 3 }, {
      done: 1,
      total: 3,
      message: "步".repeat(90),
    }]
  ) {
    for (let columns = 1; columns <= 120; columns++) {
      const width = widthOf(formatProgress("a tool", progress, columns, 3));
      ok(width <= columns, `${width} > ${columns}`);
    }
  }
  strictEqual(formatProgress("a\u001b[2J", { done: 1, message: "b\nc" }, 60, 0), "⠋ 1 a\\u001b[2J: b c");
});

test("widths: wide characters take two columns, styles and combining marks none", () => {
  deepStrictEqual(["abc", "日本", "e\u0301", "\u001b[31mred\u001b[39m", "🚀"].map(widthOf), [3, 4, 1, 3, 2]);
  strictEqual(cutToWidth("日本語", 5), "日本…");
  strictEqual(cutToWidth("abc", 3), "abc");
});

test("control characters of foreign text cannot move a terminal", () => {
  strictEqual(printable("a\u001b[2J\u202eb\tc\n"), "a\\u001b[2J\\u202eb\tc\n");
  strictEqual(printableLine("  a\n\n b\r"), "a b");
});

test("styles need a terminal, and NO_COLOR turns them off", () => {
  strictEqual(openTerminal().terminal.style("red", "x"), "x");
  strictEqual(openTerminal({ isTTY: true }).terminal.style("red", "x"), "\u001b[31mx\u001b[39m");
  strictEqual(openTerminal({ isTTY: true, env: { NO_COLOR: "1" } }).terminal.style("red", "x"), "x");
  strictEqual(openTerminal({ isTTY: true, env: { TERM: "dumb" } }).terminal.styleNote("red", "x"), "x");
});

test("answers keep their bytes in a pipe, and are escaped on a terminal", () => {
  const piped = openTerminal();
  new CallPrinter(piped.terminal, {}, "t").end("a\u001b[31m", done);
  strictEqual(piped.written.out, "a\u001b[31m\n");
  const shown = openTerminal({ isTTY: true });
  new CallPrinter(shown.terminal, {}, "t").end("a\u001b[31m", done);
  strictEqual(shown.written.out, "a\\u001b[31m\n");
});

test("a status is redrawn at most ten times a second, and removed", () => {
  const frames: string[] = [];
  const status = new StatusLine({ write: (text) => frames.push(text), isTTY: true, columns: 40 });
  for (let at = 0; at < 1000; at++) status.show(() => `at ${at}`);
  strictEqual(frames.length, 1);
  match(frames[0] ?? "", /at 0/);
  status.end();
  strictEqual(frames.length, 2);
  status.end();
  strictEqual(frames.length, 2);
});

test("what a command prints is not written over its status, on either stream", () => {
  for (const write of ["print", "note", "printJson"] as const) {
    const order: string[] = [];
    const stream = { write: (text: string) => void order.push(text), isTTY: true, columns: 40 };
    const terminal = new Terminal({
      stdout: stream,
      stderr: stream,
      stdin: { isTTY: true, async *[Symbol.asyncIterator]() {} },
      env: {},
      cwd: "/",
    });
    terminal.status.show(() => "working");
    terminal[write]("a line");
    terminal.status.end();
    const [drawn, cleared, line, ...rest] = order;
    match(drawn ?? "", /working/);
    strictEqual(cleared, "\u001b[0J", "the screen is cleared from the status on");
    match(line ?? "", /a line/);
    deepStrictEqual(rest, [], "the status is not on the screen any more");
  }
});

test("elsewhere a status is a line for each change, at most one a second", () => {
  const lines: string[] = [];
  const status = new StatusLine({ write: (text) => lines.push(text) });
  for (let at = 0; at < 1000; at++) status.show(() => `at ${at}`);
  deepStrictEqual(lines, ["at 0\n"]);
});

test("pieces are printed as they come, and the answer is not repeated", () => {
  for (
    const [pieces, answer, expected] of [
      [["a", "b\n"], "ab\n", "ab\n"],
      [["a", "b"], "ab", "ab\n"],
      [["a"], "other", "a\nother\n"],
      [[{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 2 }], '{"n":1}\n{"n":2}\n'],
      [[{ n: 1 }], { sum: 1 }, '{"n":1}\n{\n  "sum": 1\n}\n'],
      [[], 3, "3\n"],
    ] as const
  ) {
    const { terminal, written } = openTerminal();
    const printer = new CallPrinter(terminal, {}, "t");
    for (const piece of pieces) printer.onPartial(piece);
    printer.end(answer, done);
    strictEqual(written.out, expected);
  }
});

test("--json prints one object, --ndjson one for each event", () => {
  const json = openTerminal();
  const printer = new CallPrinter(json.terminal, { json: true }, "t");
  printer.onPartial("a");
  printer.onProgress({ done: 1 });
  printer.end(undefined, done);
  strictEqual(json.written.out, '{"outcome":"answer","answer":null,"wire":"mcp","tookMs":1}\n');
  const lines = openTerminal();
  const events = new CallPrinter(lines.terminal, { ndjson: true }, "t");
  events.onPromise("prom_x");
  events.onPromise("prom_x");
  events.onProgress({ done: 1, total: 2 });
  events.onPartial("a");
  events.end("a", done);
  deepStrictEqual(lines.written.out.trim().split("\n").map((line) => JSON.parse(line)), [
    { promise: "prom_x" },
    { progress: { done: 1, total: 2 } },
    { partial: "a" },
    { outcome: "answer", answer: "a", wire: "mcp", tookMs: 1 },
  ]);
});

test("content blocks of MCP are printed by their kind", () => {
  const blocks = [
    { type: "text", text: "hello" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "resource", resource: { uri: "a://b", text: "inside" } },
    { type: "resource_link", uri: "a://c" },
  ];
  strictEqual(formatAnswer(blocks), "hello\n[image image/png, 3 bytes]\ninside\n[a://c]");
  strictEqual(formatAnswer([{ type: "other" }]), '[\n  {\n    "type": "other"\n  }\n]');
});
