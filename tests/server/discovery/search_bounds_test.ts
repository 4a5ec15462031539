/** Searches over thousands of tools: what a search reads is bounded, and finds what a search that reads all would find. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defineTool } from "../../../mod.ts";
import { type SearchableTool, SearchIndex } from "../../../src/inspection/tool_search/search_index.ts";
import { ToolSet } from "../../../src/inspection/tool_search/tool_set.ts";
import { search, serverOf, tool } from "./fixture.ts";

const WORDS = Array.from({ length: 40 }, (_, at) => `word${"abcdefghij"[at % 10]}${"abcd"[Math.floor(at / 10)]}`);
const SIZE = 1_200;

/** Tools with words that many of them have, the first words of the vocabulary more often with a greater skew. */
function toolsOf(seed: number, skew: number): SearchableTool[] {
  let state = seed + 1;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const words = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(next() ** skew * WORDS.length)]).join(" ");
  return Array.from({ length: SIZE }, (_, at) => ({
    name: `t${at}`,
    ownName: words(2),
    group: at % 7 === 0 ? "" : `g${at % 9}`,
    description: words(Math.floor(next() * 24)),
    parameters: words(1),
    parameterDescriptions: words(2),
  }));
}

const anySearch = fc.record({
  seed: fc.nat(1_000_000),
  skew: fc.integer({ min: 1, max: 4 }),
  words: fc.array(fc.nat(WORDS.length - 1), { minLength: 1, maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 9 }),
  hidden: fc.integer({ min: 2, max: 5 }),
});

test("the best tools for words that many tools have are those of a search that reads all tools", () => {
  let common = 0;
  fc.assert(
    fc.property(anySearch, ({ seed, skew, words, limit, hidden }) => {
      const index = new SearchIndex(toolsOf(seed, skew));
      const query = words.map((word) => WORDS[word]).join(" ");
      const some = new ToolSet(SIZE);
      for (let at = 0; at < SIZE; at++) if (at % hidden === 0) some.add(at);
      for (const findable of [undefined, some]) {
        const best = index.search(query, limit, findable);
        // All are requested, so all are read.
        const all = index.search(query, SIZE, findable);
        deepStrictEqual([best.found, best.total], [all.found.slice(0, limit), all.total]);
        for (const [group, count] of best.groups) strictEqual(all.groups.get(group) ?? count, count);
        if (all.total > SIZE / 3) common++;
      }
    }),
    { seed: 35, numRuns: 60 },
  );
  ok(common > 30, `${common}`);
});

test("a caller that may find few of many tools finds them, whatever comes before them", async () => {
  const words = WORDS.slice(0, 8).join(" ");
  const secret = Array.from(
    { length: 600 },
    (_, at) => defineTool(`a_${at}`).describe(words).scopes("all").handle(() => 1),
  );
  const server = serverOf([...secret, tool("z_1", `${words}, at length, in many other words`), tool("z_2", "Write")]);
  const few = await search(server, words, { principal: { id: "eve", scopes: [] } });
  deepStrictEqual([few.tools.map(({ name }) => name), few.total], [["z_1"], 1]);
  const all = await search(server, words, { principal: { id: "ada", scopes: ["all"] } });
  deepStrictEqual([all.tools[0]?.name, all.total], ["a_0", 601]);
});

test("a search asks once for all tools with the same rule of visibility", async () => {
  let asked = 0;
  const isVisible = () => (asked++, true);
  const part = Array.from(
    { length: 400 },
    (_, at) => defineTool(`t_${at}`).describe("Read").visibleTo(isVisible).handle(() => 1),
  );
  const server = serverOf(part);
  asked = 0;
  strictEqual((await search(server, "read")).total, 400);
  ok(asked <= 2, `${asked}`);
});
