// The tutorials as scripts of bash: files are saved, commands run in their order, and what each prints is compared with what the page
// shows. The commands are those of Node; the first tutorial has a table of those of Bun and Deno.
import { join } from "node:path";

/** The table of the first tutorial: what is typed with Node, and in its place with another runtime. */
export function commandsOf(firstTutorial) {
  const rows = Array.from(
    firstTutorial.matchAll(/^\| `([^|]+)` \| `([^|]+)` \| `([^|]+)` \|$/gm),
    (row) => row.slice(1).map((cell) => cell.replace(/ …$/, "")),
  );
  if (rows.length < 4) throw new Error(`The first tutorial has ${rows.length} rows of commands`);
  return {
    node: [],
    bun: rows.map(([node, bun]) => [node, bun]),
    deno: rows.map(([node, , deno]) => [node, deno]),
  };
}

/** A page as a reader of another runtime types it. */
export function translate(page, commands) {
  return commands.reduce((text, [before, after]) => {
    const begin = before.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return text.replaceAll(new RegExp(`^(.*?)${begin}(?=$|[ )])`, "gm"), (_, start) => start + after);
  }, page);
}

/**
 * What a reader does: saves a file, or types commands, which print the text that follows. A file is saved when the page comes to it, so
 * that a later version replaces it.
 *
 * @returns {readonly ({ file: string, code: string } | { typed: string, shown?: string })[]}
 */
export function deedsOf(page) {
  const fences = [...page.matchAll(/(?:[Ss]ave as\s`([\w.]+)`:\n\n)?^```(\w+)[^\n]*\n([^]*?)^```$/gm)];
  return fences.flatMap(([, file, language, body], at) => {
    if (file !== undefined) return [{ file, code: body }];
    if (language !== "sh") return [];
    const next = fences[at + 1];
    const isShown = next?.[1] === undefined && next?.[2] === "text";
    return [{ typed: body, ...(isShown && { shown: next[3] }) }];
  });
}

/** The ports that a page names, in addresses and for programs. */
export function portsOf(page) {
  return [...new Set(Array.from(page.matchAll(/(?:localhost|127\.0\.0\.1):(\d{4})\b/g), ([, port]) => port))];
}

/** Commands that wait until the programs of these lines listen, in place of a second, since a machine that is busy takes longer. */
function waitFor(started, before, ports) {
  const awaited = started.trim().split("\n").map((line) => {
    const [, file] = /\b([\w.]+\.(?:ts|conf))\b/.exec(line) ?? [];
    const code = before.findLast((deed) => deed.file === file)?.code ?? "";
    const listens = /PORT=(\d+)/.exec(line) ?? /(?:port: |listen\(|listen )(\d+)/.exec(code);
    return `curl -s -o /dev/null --retry 60 --retry-delay 1 --retry-connrefused http://localhost:${
      listens?.[1] ?? ports[0]
    }/`;
  });
  return awaited.join("\n");
}

/** A script of all deeds, which marks the output of each. `saved` has the files, by the number of the deed. */
export function scriptOf(deeds, ports, saved) {
  const lines = deeds.map((deed, at) => {
    if (deed.file !== undefined) return `cp ${join(saved, `${at}`)} ${deed.file}`;
    const isApproved = "until grep -q approve server.log; do sleep 0.05; done";
    const typed = deed.typed
      .replaceAll(
        /((?:^.*&\n)+)sleep 1$/gm,
        (_, started) => started + waitFor(started, deeds.slice(0, at), ports),
      )
      .replaceAll(/^sleep 1$/gm, isApproved);
    return `printf '\\n::deed ${at}\\n'\n${typed}`;
  });
  return `set -m\nexec 2>&1 </dev/null\n` +
    `trap 'kill -9 $(jobs -p) $(cat *.pid 2>/dev/null) 2>/dev/null' EXIT\n${lines.join("\n")}\nprintf '\\n::end\\n'\n`;
}

/** What a script printed for each deed, without the shell's own notices of programs that have ended. */
export function printedBy(output) {
  return new Map(
    output.split(/^::deed /m).slice(1).map((text) => [
      Number.parseInt(text),
      text.slice(text.indexOf("\n") + 1).replaceAll("\r", "").replaceAll(/^\[\d+\][+-]? .*\n/gm, "").split(
        "\n::end",
      )[0],
    ]),
  );
}

/** Whether a text is as shown; `…` is for anything. */
export function isAsShown(printed, shown) {
  const parts = shown.trim().split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  // A terminal erases the lines of progress, which begin with a spinner; a file has them.
  const kept = printed.replaceAll(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏].*\n/gm, "");
  return new RegExp(`^${parts.join("[^]*")}$`).test(kept.trim());
}
