/** docs/examples.md says how a snippet is run in a clone: as it says, it is run. */
import { strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { findNode, findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { findFences, importFromJsr } from "./extract.ts";

const page = readFileSync(join(root, "docs/examples.md"), "utf8");
const snippet = findFences("page", page).find(({ kind }) => kind === "run");
const commands = [...page.matchAll(/^\| [^|]+ \| `((?:bun|deno|node) [^`]*\btry\.ts)` \|/gm)].map(([, words = ""]) =>
  words
);

testWith(
  "a snippet is run from the root of a clone, on Bun, Deno and Node",
  [findProgram("bun"), findProgram("deno"), findNode(24)],
  async (bun, deno, node) => {
    mkdirSync(join(root, ".cache"), { recursive: true });
    const folder = mkdtempSync(join(root, ".cache/try-"));
    const file = join(folder, "try.ts");
    try {
      strictEqual(commands.length, 3);
      for (const words of commands) {
        const [name = "", ...args] = words.replace("try.ts", relative(root, file)).split(" ");
        const npm = snippet?.code ?? "";
        writeFileSync(file, name === "deno" ? importFromJsr(npm) : npm);
        const program = { bun, deno, node }[name] ?? name;
        const { code, stdout, stderr } = await runProgram([program, ...args], { env: { PATH: dirname(program) } });
        strictEqual(code, 0, `${words}: ${stderr}`);
        strictEqual(stdout.trim(), "3", words);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
