/** The pages for those who come from another library: both sides of each pair are asked the same, and answer the same. */
import { deepStrictEqual, match, ok } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runtime } from "../runtime/runtime.ts";
import type { Json } from "../wires/mcp/server/client.ts";
import { readPairs } from "./extract.ts";
import { Caller, type Comparison, type Peer } from "./peers/caller.ts";
import { comparisons as mcpLite } from "./peers/mcp_lite.ts";
import { comparisons as official } from "./peers/official.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages: Readonly<Record<string, Readonly<Record<string, Comparison>>>> = {
  "docs/coming-from-mcp-lite.md": mcpLite,
  "docs/coming-from-the-official-sdk.md": official,
};
/** Peers are asked once; that our own side runs elsewhere, too, is what docs_test.ts sees to. */
const skip = runtime !== "bun" && "peers are compared once, on Bun";

for (const [page, comparisons] of Object.entries(pages)) {
  const pairs = readPairs(root, page);

  test(`${page}: each pair is compared`, { skip }, () => {
    deepStrictEqual(pairs.map(({ heading }) => heading), Object.keys(comparisons));
  });

  for (const { heading, peer, ours } of pairs) {
    test(`${page}: ${heading}`, { skip }, async () => {
      const compare = comparisons[heading];
      ok(compare !== undefined);
      const [theirs, own] = [await compare(await load(peer.code)), await compare(await load(ours.code))];
      deepStrictEqual(own, theirs);
    });
  }
}

/** What both sides of a pair say of one call, as text. */
async function tell(heading: string, tool: string, args: Json = {}): Promise<readonly [theirs: string, ours: string]> {
  const pair = readPairs(root, "docs/coming-from-mcp-lite.md").find((pair) => pair.heading === heading);
  ok(pair !== undefined);
  const call = async ({ code }: { readonly code: string }) =>
    JSON.stringify(await new Caller(await load(code), "2025-06-18").call(tool, args));
  return [await call(pair.peer), await call(pair.ours)];
}

test(
  "a thrown Error: mcp-lite tells its message and stack, as the page says, and Toolwire an id",
  { skip },
  async () => {
    const [theirs, ours] = await tell("Errors", "break");
    match(theirs, /hunter2.*"stack":/);
    ok(/correlation/.test(ours) && !/hunter2|stack/.test(ours), ours);
  },
);

test("plain JSON Schema: mcp-lite checks nothing, as the page says, and Toolwire does", { skip }, async () => {
  const [theirs, ours] = await tell("JSON Schema", "add", { a: "one", b: 2 });
  match(theirs, /"structuredContent":\{"sum":"one2"\}/);
  match(ours, /"code":-32602/);
});

/** What a fence exports as `handler`, or as `server`. Imported from inside the repository, where Bun knows all names. */
async function load(code: string): Promise<Peer> {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/peer-"));
  try {
    const file = join(folder, "peer.ts");
    writeFileSync(file, code);
    const { handler, server } = await import(pathToFileURL(file).href);
    const fetch: unknown = handler ?? server?.fetch;
    if (typeof fetch !== "function") throw new Error(`It exports neither a handler nor a server:\n${code}`);
    return { fetch: (request) => fetch(request) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
