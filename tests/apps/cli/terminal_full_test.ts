/** The program in a pseudo-terminal: a progress bar, questions, Ctrl+C, a narrow terminal, NO_COLOR. */
import { match, ok, strictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { root } from "../../serve/programs.ts";
import { temporaryFolder } from "../../temporary_folder.ts";
import { SLOW_STARTS } from "./run.ts";
import { showInTerminal, type Step, TERMINAL_OPTIONS } from "./show_in_terminal.ts";

const OPTIONS = TERMINAL_OPTIONS;
const MODULE = "tests/apps/cli/tools_server.ts";
const ENTER = "\r";
const DOWN = "\u001b[B";
const CTRL_C = "\u0003";

/** Runs the program in a terminal of some width. */
function show(args: readonly string[], steps: readonly Step[], columns = 80, env: Record<string, string> = {}) {
  return showInTerminal(args, steps, { columns, env });
}

test("progress is a bar that is redrawn in place, and leaves the answer alone", OPTIONS, async () => {
  const { code, plain, output } = await show(["call", MODULE, "work", "steps=10", "stepMs=60"], []);
  strictEqual(code, 0, plain);
  match(plain, /█+░+ +\d+% \d+\/10 work: step \d/);
  // Each redraw clears the one before: after the last there is the answer.
  ok(output.endsWith("\u001b[0Jworked\r\n"), output);
  const redraws = output.split("work: step").length - 1;
  ok(redraws >= 2 && redraws <= 12, `${redraws} redraws`);
});

test("a warning of the module clears the progress line before it is written", OPTIONS, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "server.ts");
  writeFileSync(
    file,
    `import { createServer, defineTool } from ${JSON.stringify(join(root, "mod.ts"))};\n` +
      'const tool = defineTool("slow").describe("Slow").promise({ budgetMs: 400 }).handle(async (_, ctx) => {\n' +
      '  ctx.progress(1, 2, "half");\n  await new Promise((resolve) => setTimeout(resolve, 900));\n  return "done";\n});\n' +
      "export const server = createServer({ tools: [tool] });\n",
  );
  const { code, output } = await showInTerminal(["call", file, "slow"], []);
  strictEqual(code, 0, output);
  // Without the escape characters, which a pattern may not have.
  match(output.replaceAll("\u001b", ""), /half[^]*\[0J(?:\[\d+m)*Tokens are signed with a random key/);
});

test("a question is asked, refused values are asked again, and a grant is chosen", OPTIONS, async () => {
  const { code, plain } = await show(["call", MODULE, "order", "what=tea"], [
    { until: "How many of tea?" },
    { until: "Answer" },
    { send: ENTER },
    { until: "count" },
    { send: `x${ENTER}` },
    { until: "Expected integer" },
    { send: `\u007f30${ENTER}` },
    { until: "gift" },
    { send: ENTER },
    { until: "10 are free" },
    { until: "Grant" },
    { send: ENTER },
  ]);
  strictEqual(code, 0, plain);
  match(plain, /30 tea\r\n$/);
});

test(
  "a question is declined, and Ctrl+C in a question cancels it",
  { ...OPTIONS, skip: OPTIONS.skip || SLOW_STARTS },
  async () => {
    const declined = await show(["call", MODULE, "order", "what=tea"], [{ until: "Decline" }, { send: DOWN }, {
      send: ENTER,
    }]);
    strictEqual(declined.code, 5, declined.plain);
    match(declined.plain, /The answer was decline \(not_ordered\)/);
    const cancelled = await show(["call", MODULE, "order", "what=tea"], [{ until: "Decline" }, { send: CTRL_C }]);
    strictEqual(cancelled.code, 5, cancelled.plain);
    match(cancelled.plain, /The answer was cancel \(not_ordered\)/);
  },
);

test("Ctrl+C cancels a running call", OPTIONS, async () => {
  const { code, plain } = await show(["call", MODULE, "work", "steps=1000", "stepMs=50"], [{ until: "step 2" }, {
    send: CTRL_C,
  }]);
  strictEqual(code, 130, plain);
  match(plain, /aborted/);
  match(plain, /Interrupted; the call is cancelled\r\n$/);
});

test(
  "no line of a narrow terminal is longer than the terminal",
  { ...OPTIONS, skip: OPTIONS.skip || SLOW_STARTS },
  async () => {
    const { plain, output } = await show(["call", MODULE, "work", "steps=6", "stepMs=60"], [], 24);
    match(plain, /\d+% \d\/6 work: step/);
    const lines = stripVTControlCharacters(output).split(/\r\n|\r|\n/);
    ok(lines.every((line) => line.length <= 24), JSON.stringify(lines));
  },
);

test("colours on a terminal, none with NO_COLOR; control characters are escaped", {
  ...OPTIONS,
  skip: OPTIONS.skip || SLOW_STARTS,
}, async () => {
  const coloured = await show(["list", MODULE, "--tools"], []);
  ok(coloured.output.includes("\u001b[1madd\u001b[22m(a: number"), coloured.output);
  const plain = await show(["list", MODULE, "--tools"], [], 80, { NO_COLOR: "1" });
  ok(!plain.output.includes("\u001b"), plain.output);
  const noisy = await show(["call", MODULE, "noisy"], []);
  match(noisy.plain, /red \\u001b\[31mtext\\u0007\r\n$/);
});
