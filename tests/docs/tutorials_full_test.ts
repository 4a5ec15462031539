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

/**
 * Fences of a tutorial in their order. A file is saved when the page comes to it, so that a later version replaces it. Fences that
 * install packages are left out: the tests have this tree instead.
 */
function deedsOf(page: string): Deed[] {
  const fences = [...page.matchAll(/(?:[Ss]ave as\s`([\w.]+)`:\n\n)?^```(\w+)[^\n]*\n([^]*?)^```$/gm)];
  return fences.flatMap(([, file, language, body = ""], at): Deed[] => {
    if (file !== undefined) return [{ file, code: language === "ts" ? importFromNpm(body) : body }];
    if (language !== "sh" || body.includes("npm install")) return [];
    const next = fences[at + 1];
    return [{ typed: body, ...(next?.[1] === undefined && next?.[2] === "text" && { shown: next[3] ?? "" }) }];
  });
}

/** The page with free ports in place of those that it names in addresses, and these. */
async function withFreePorts(page: string): Promise<{ readonly text: string; readonly ports: readonly string[] }> {
  const named = new Set(Array.from(page.matchAll(/(?:localhost|127\.0\.0\.1):(\d{4})\b/g), ([, port = ""]) => port));
  const free = new Map<string, string>();
  for (const port of named) free.set(port, `${await freePort()}`);
  return { text: page.replaceAll(/\b\d{4}\b/g, (found) => free.get(found) ?? found), ports: [...free.values()] };
}

/** Commands that wait until the programs of these lines listen, in place of a second, since a machine that is busy takes longer. */
function waitFor(started: string, before: readonly Deed[], ports: readonly string[]): string {
  const awaited = started.trim().split("\n").map((line) => {
    const [, file] = /\b([\w.]+\.(?:ts|conf))\b/.exec(line) ?? [];
    const code = before.findLast((deed) => "file" in deed && deed.file === file);
    const listens = /PORT=(\d+)/.exec(line) ??
      /(?:port: |listen\(|listen )(\d+)/.exec(code !== undefined && "file" in code ? code.code : "");
    return `curl -s -o /dev/null --retry 60 --retry-delay 1 --retry-connrefused http://localhost:${
      listens?.[1] ?? ports[0]
    }/`;
  });
  return awaited.join("\n");
}

/** A script of all deeds, which marks the output of each. `saved` has the files, by the number of the deed. */
function scriptOf(deeds: readonly Deed[], ports: readonly string[], saved: string): string {
  const lines = deeds.map((deed, at) => {
    if ("file" in deed) return `cp ${join(saved, `${at}`)} ${deed.file}`;
    const isApproved = "until grep -q approve server.log; do sleep 0.05; done";
    const typed = deed.typed
      .replaceAll(
        /((?:^.*&\n)+)sleep 1$/gm,
        (_, started: string) => started + waitFor(started, deeds.slice(0, at), ports),
      )
      .replaceAll(/^sleep 1$/gm, isApproved);
    return `printf '\\n::deed ${at}\\n'\n${typed}`;
  });
  return `set -m\nexec 2>&1\nnpx() { shift; bun ${join(root, "apps/cli/main.ts")} "$@"; }\n` +
    `trap 'kill -9 $(jobs -p) $(cat *.pid 2>/dev/null) 2>/dev/null' EXIT\n${lines.join("\n")}\n`;
}

/** Whether a text is as shown; `…` stands for anything. */
function isAsShown(printed: string, shown: string): boolean {
  const parts = shown.trim().split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const withoutJobs = printed.replaceAll("\r", "").replaceAll(/^\[\d+\][+-]? .*\n/gm, ""); // the shell's own notices of programs that have ended
  return new RegExp(`^${parts.join("[^]*")}$`).test(withoutJobs.trim());
}

for (const name of readdirSync(join(root, "docs/tutorials"))) {
  const page = readFileSync(join(root, "docs/tutorials", name), "utf8");
  testWith(
    `docs/tutorials/${name}: what a reader types prints what the page shows`,
    [
      findProgram("bash"),
      findProgram("bun"),
      findProgram("curl"),
      ...(/^nginx /m.test(page) ? [findProgram("nginx")] : []),
    ],
    async (bash) => {
      mkdirSync(join(root, ".cache"), { recursive: true });
      const folder = mkdtempSync(join(root, ".cache/tutorial-"));
      const { text, ports } = await withFreePorts(page);
      const deeds = deedsOf(text);
      try {
        const saved = `${folder}.saved`;
        mkdirSync(saved);
        deeds.forEach((deed, at) => "file" in deed && writeFileSync(join(saved, `${at}`), deed.code));
        const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
        const env = { PATH: path, HOME: folder, NO_COLOR: "1" };
        const script = scriptOf(deeds, ports, saved);
        const { stdout } = await runProgram([bash, "-c", script], { cwd: folder, env, withinMs: 500_000 });
        const printed = new Map(
          stdout.split(/^::deed /m).slice(1).map((text) => [Number.parseInt(text), text.slice(text.indexOf("\n") + 1)]),
        );
        const shown = deeds.flatMap((deed, at) => "shown" in deed ? [{ at, ...deed }] : []);
        ok(shown.length > 3, `${name} shows ${shown.length} outputs`);
        for (const { at, typed, shown: expected = "" } of shown) {
          const output = printed.get(at) ?? "";
          ok(
            isAsShown(output, expected),
            `${name}: ${typed}\nshows\n${expected}\nand printed\n${output}\nof all:\n${stdout}`,
          );
        }
      } finally {
        for (const made of [folder, `${folder}.saved`]) rmSync(made, { recursive: true, force: true });
      }
    },
    600_000,
  );
}
