/** The tutorials, typed as a reader types them: files are saved, commands run in their order, and each prints what the page shows. */
import { ok } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { freePort } from "../../examples/replicas/programs.ts";
import { findProgram, root, runProgram, testWith } from "../serve/programs.ts";
import { importFromNpm } from "./extract.ts";

/** What a reader does: saves a file, or types commands, which print the text. */
type Deed = { readonly file: string; readonly code: string } | { readonly typed: string; readonly shown?: string };

/** Fences of a tutorial in their order. Those that install packages are left out: the tests have this tree instead. */
function deedsOf(page: string): Deed[] {
  const fences = [...page.matchAll(/(?:[Ss]ave as `([\w.]+)`:\n\n)?^```(ts|sh|text)[^\n]*\n([^]*?)^```$/gm)];
  return fences.flatMap(([, file, language, body = ""], at): Deed[] => {
    if (language === "ts") return file === undefined ? [] : [{ file, code: importFromNpm(body) }];
    if (language === "text" || body.includes("npm install")) return [];
    const next = fences[at + 1];
    return [{ typed: body, ...(next?.[2] === "text" && { shown: next[3] ?? "" }) }];
  });
}

/** A script of all deeds, which marks the output of each. */
function scriptOf(deeds: readonly Deed[], port: number): string {
  const lines = deeds.map((deed, at) => {
    if ("file" in deed) return "";
    // A machine that is busy takes longer than a second.
    const isUp = `curl -s -o /dev/null --retry 60 --retry-delay 1 --retry-connrefused http://localhost:${port}/`;
    const isApproved = "until grep -q approve server.log; do sleep 0.05; done";
    const typed = deed.typed.replaceAll(/&\nsleep 1$/gm, `&\n${isUp}`).replaceAll(/^sleep 1$/gm, isApproved);
    return `printf '\\n::deed ${at}\\n'\n${typed}`;
  });
  return `set -m\nexec 2>&1\nnpx() { shift; bun ${join(root, "src/cli/main.ts")} "$@"; }\n` +
    `trap 'kill -9 $(jobs -p) 2>/dev/null' EXIT\n${lines.join("\n")}\n`;
}

/** Whether a text is as shown; `…` stands for anything. */
function isAsShown(printed: string, shown: string): boolean {
  const parts = shown.trim().split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`).test(printed.trim());
}

for (const name of readdirSync(join(root, "docs/tutorials"))) {
  testWith(
    `docs/tutorials/${name}: what a reader types prints what the page shows`,
    [findProgram("bash"), findProgram("bun"), findProgram("curl")],
    async (bash) => {
      mkdirSync(join(root, ".cache"), { recursive: true });
      const folder = mkdtempSync(join(root, ".cache/tutorial-"));
      const port = await freePort();
      const deeds = deedsOf(readFileSync(join(root, "docs/tutorials", name), "utf8").replaceAll("8000", String(port)));
      try {
        for (const deed of deeds) if ("file" in deed) writeFileSync(join(folder, deed.file), deed.code);
        const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
        const env = { PATH: path, HOME: folder, NO_COLOR: "1" };
        const script = scriptOf(deeds, port);
        const { stdout } = await runProgram([bash, "-c", script], { cwd: folder, env, withinMs: 120_000 });
        const printed = new Map(
          stdout.split(/^::deed /m).slice(1).map((text) => [Number.parseInt(text), text.slice(text.indexOf("\n") + 1)]),
        );
        const shown = deeds.flatMap((deed, at) => "shown" in deed ? [{ at, ...deed }] : []);
        ok(shown.length > 3, `${name} shows ${shown.length} outputs`);
        for (const { at, typed, shown: text = "" } of shown) {
          const output = printed.get(at) ?? "";
          ok(isAsShown(output, text), `${name}: ${typed}\nshows\n${text}\nand printed\n${output}\nof all:\n${stdout}`);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    150_000,
  );
}
