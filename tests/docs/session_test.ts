/** The recording of docs/stories.md: an SVG without script that shows what the recorded programs printed. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
// @ts-expect-error: a script without types
import * as renderScript from "../../scripts/session/render.mjs";
// @ts-expect-error: a script without types
import * as scenesScript from "../../scripts/session/scenes.mjs";

interface Scene {
  readonly caption: string;
  readonly commands: readonly { readonly typed: string; readonly output: readonly { readonly text: string }[] }[];
}
const { renderSession } = renderScript as { readonly renderSession: (scenes: readonly Scene[]) => string };
const { readScenes } = scenesScript as { readonly readScenes: (page: string) => readonly Scene[] };

const root = fileURLToPath(new URL("../..", import.meta.url));
const svg = readFileSync(join(root, "docs/images/session.svg"), "utf8");
const recorded: readonly Scene[] = JSON.parse(readFileSync(join(root, "scripts/session/recording.json"), "utf8"));

test("docs/images/session.svg is drawn from the recording, and the recording is of the scenes of today", () => {
  strictEqual(svg, renderSession(recorded));
  const typed = (scenes: readonly Scene[]) => scenes.map(({ commands }) => commands.map(({ typed }) => typed));
  deepStrictEqual(typed(recorded), typed(readScenes(join(root, "docs/stories.md"))));
});

test("the drawing is well-formed, small, without script, and does not move for readers who prefer that", () => {
  ok(svg.length < 150_000, `${svg.length} bytes`);
  ok(!/<script|\son\w+=|href|url\((?!#)|@import/.test(svg));
  match(svg, /@media \(prefers-reduced-motion: reduce\)/);
  const open: string[] = [];
  for (const [, end, name = "", empty] of svg.matchAll(/<(\/?)([a-zA-Z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (end !== "") strictEqual(open.pop(), name);
    else if (empty === "") open.push(name);
  }
  deepStrictEqual(open, []);
  ok(!/&(?!amp;|lt;|gt;|quot;)/.test(svg));
});

test("the killed server's token gave the result of the second attempt", () => {
  const [, kill] = recorded;
  const outputOf = (words: string) =>
    kill?.commands.find(({ typed }) => typed.includes(words))?.output.map(({ text }) => text).join("") ?? "";
  match(outputOf("token="), /^prom_/);
  match(outputOf('"$token"'), /^film\.mp4, attempt 2$/m);
  ok(!svg.includes(root.replace(/\/$/, "")) && !svg.includes("/tmp/"));
});
