/** The gateway of the recording in docs/stories.md still prints what the recording shows. The second scene is that of kill_full_test.ts. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../examples/replicas/programs.ts";
import { findProgram, root, runProgram, testWith } from "../serve/programs.ts";

interface RecordedScene {
  readonly commands: readonly { readonly typed: string; readonly output: readonly { readonly text: string }[] }[];
}

/** What each command printed. Output of programs in the background may come with a later command. */
function printedBy({ commands }: RecordedScene): readonly string[] {
  const all = commands.flatMap(({ output }) => output.map(({ text }) => text)).join("");
  return all.split("\n").map((line) => line.trim()).filter((line) => line !== "").sort();
}

testWith(
  "the gateway of the recording prints the same today",
  [findProgram("node"), findProgram("bash"), findProgram("bun")],
  async (node) => {
    const script = join(root, "scripts/record_session.mjs");
    const words = ["--scene", "0", "--port", String(await freePort())];
    const { code, stdout, stderr } = await runProgram([node, script, ...words], { withinMs: 120_000 });
    strictEqual(code, 0, stderr);
    const [recorded] = JSON.parse(readFileSync(join(root, "scripts/session/recording.json"), "utf8"));
    deepStrictEqual(printedBy(JSON.parse(stdout)), printedBy(recorded));
  },
  150_000,
);
