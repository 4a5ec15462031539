/** `askInTerminal()` in a program of a user, in a pseudo-terminal and without one. */
import { match, ok, strictEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../../serve/programs.ts";
import { commandOf } from "./run.ts";
import { showCommand, TERMINAL_OPTIONS } from "./show_in_terminal.ts";

const PROGRAM = commandOf().map((word) =>
  word === "apps/cli/main.ts" ? join(root, "tests/apps/cli/ask_in_terminal_program.ts") : word
);
const ENTER = "\r";

test(
  "questions are asked one after the other, again while an answer does not fit, and secrets are hidden",
  TERMINAL_OPTIONS,
  async () => {
    const { code, plain } = await showCommand(PROGRAM, [
      { until: "What will it be?" },
      { until: "Answer" },
      { send: ENTER },
      { until: "count" },
      { send: `x${ENTER}` },
      { until: "Expected" },
      { send: `\u007f30${ENTER}` },
      { until: "Sign in" },
      { until: "Answer" },
      { send: ENTER },
      { until: "password" },
      { send: `hunter2${ENTER}` },
    ]);
    strictEqual(code, 0, plain);
    match(plain, /30 ordered\r\n7 characters\r\n$/);
    ok(!plain.includes("hunter2"), plain);
  },
);

test("without a terminal the call rejects with the question and what to do", TERMINAL_OPTIONS, async () => {
  const [file = "", ...args] = PROGRAM;
  const { stdout } = await promisify(execFile)(file, args, { cwd: root });
  match(
    stdout,
    /Cannot ask the question "order" of tool "order": .* needs a terminal .*onElicitation.* What will it be\?\n/,
  );
});
