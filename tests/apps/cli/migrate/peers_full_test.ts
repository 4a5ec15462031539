/** `toolwire migrate` over the programs of other libraries in the documentation: clients receive the same before and after. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readPairs } from "../../../docs/extract.ts";
import type { Comparison, Peer } from "../../../docs/peers/caller.ts";
import { comparisons as mcpLite } from "../../../docs/peers/mcp_lite.ts";
import { comparisons as official } from "../../../docs/peers/official.ts";
import { runtime } from "../../../runtime/runtime.ts";
import { runHere } from "../run_here.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
/** The other libraries are loaded once, as in tests/docs/peers_test.ts. */
const skip = runtime !== "bun" && "the other libraries are compared once, on Bun";

const PAGES: Readonly<Record<string, Readonly<Record<string, Comparison>>>> = {
  "docs/coming-from-mcp-lite.md": mcpLite,
  "docs/coming-from-the-official-sdk.md": official,
};

/** Programs of which something is left for a person: their answers are not compared. */
const LEFT: ReadonlySet<string> = new Set([
  "Hosts and origins",
  "Results and errors",
  "Without a session, with 2.4",
]);

const pairs = Object.entries(PAGES).flatMap(([page, comparisons]) =>
  readPairs(root, page).map(({ heading, peer }, index) => ({
    title: `${page}: ${heading}`,
    heading,
    code: peer.code,
    file: `${page.replace(/\W+/g, "_")}_${index}.ts`,
    compare: comparisons[heading] as Comparison,
  }))
);

/** Folders inside of the repository, where Bun knows all names. */
let folder = "";

before(async () => {
  if (skip !== false) return;
  mkdirSync(join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(join(root, ".cache/migrate-"));
  for (const side of ["before", "after"]) {
    mkdirSync(join(folder, side));
    writeFileSync(join(folder, side, "package.json"), '{"dependencies":{"mcp-lite":"1"}}');
    for (const { file, code } of pairs) writeFileSync(join(folder, side, file), code);
  }
  await runHere({ cwd: folder }, "migrate", "after", "--force");
});

after(() => rmSync(folder, { recursive: true, force: true }));

for (const { title, heading, file, compare } of pairs) {
  test(`migrate, ${title}`, { skip }, async () => {
    const text = readFileSync(join(folder, "after", file), "utf8");
    strictEqual(/@toolwire-todo/.test(text), LEFT.has(heading), text);
    if (LEFT.has(heading)) return;
    strictEqual(/mcp-lite|modelcontextprotocol/.test(text), false, text);
    deepStrictEqual(await compare(await load("after", file)), await compare(await load("before", file)));
  });
}

test("migrate: a second run changes nothing", { skip }, async () => {
  const read = () =>
    readdirSync(join(folder, "after")).map((file) => readFileSync(join(folder, "after", file), "utf8"));
  const first = read();
  const { errors } = await runHere({ cwd: folder }, "migrate", "after", "--force");
  strictEqual(errors.split("\n")[0], "Nothing to change");
  deepStrictEqual(read(), first);
});

async function load(side: string, file: string): Promise<Peer> {
  const { handler } = await import(pathToFileURL(join(folder, side, file)).href);
  return { fetch: (request) => handler(request) };
}
