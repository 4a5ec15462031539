/** How well `search_tools` finds the tools of published servers, beside the rankings of other libraries. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readCorpus } from "../../corpus/corpus.ts";
import { findNode, findProgram, root, testWith } from "../../serve/programs.ts";
import { serverWith } from "./corpus_server.ts";
import { found, search } from "./fixture.ts";
import { aiSdkRanking, fastMcpRanking } from "./other_rankings.ts";
import { type LabelledRequest, readRequests } from "./requests.ts";
import { withTypos } from "./typos.ts";

const TIMEOUT_MS = 600_000;
type Rank = (query: string) => Promise<readonly string[]> | readonly string[];

/** Percentage of requests with an acceptable tool among the first results: the first one, and the first five. */
async function recall(requests: readonly LabelledRequest[], words: "user" | "model", rank: Rank) {
  const places = await Promise.all(requests.map(async (request) => {
    const names = await rank(request[words]);
    return names.findIndex((name) => request.tools.includes(name));
  }));
  const share = (count: number) =>
    Math.round(100 * places.filter((at) => at >= 0 && at < count).length / places.length);
  return { at1: share(1), at5: share(5) };
}

async function rowOf(name: string, rank: Rank, requests: readonly LabelledRequest[]): Promise<string> {
  const cells: string[] = [];
  for (const words of ["model", "user"] as const) {
    for (const set of [requests, requests.filter(({ isHeldOut }) => isHeldOut)]) {
      const { at1, at5 } = await recall(set, words, rank);
      cells.push(`${at1} / ${at5}`);
    }
  }
  return `| ${name} | ${cells.join(" | ")} |`;
}

testWith(
  "searches over the tools of published servers find what they should",
  [findProgram("bun"), findNode(24)],
  async (bun, node) => {
    const server = await serverWith(await readCorpus(bun, node));
    const requests = await readRequests();
    const { tools } = server["~server"].host.allTools ?? server;
    const names = new Set(tools.map(({ name }) => name));
    deepStrictEqual(requests.flatMap((one) => one.tools).filter((name) => !names.has(name)), []);
    deepStrictEqual([requests.length, requests.filter(({ isHeldOut }) => isHeldOut).length], [100, 50]);

    const ours: Rank = (query) => found(server, query);
    const rows = [
      await rowOf("`discover()`", ours, requests),
      await rowOf("FastMCP's BM25", fastMcpRanking(tools), requests),
      await rowOf("AI SDK's default", aiSdkRanking(tools), requests),
    ];
    // Three sets of typos, each the same at each run.
    const mistyped = (count: number) =>
      [1, 2, 3].flatMap((set) =>
        requests.map((request, index) => ({ ...request, model: withTypos(request.model, count, set * 1_000 + index) }))
      );
    const [one, two] = [await recall(mistyped(1), "model", ours), await recall(mistyped(2), "model", ours)];
    const copies = await serverWith(await readCorpus(bun, node), "always", ["a-", "b-", "c-", "d-", "e-"]);
    const five = await recall(requests, "model", async (query) => {
      const { tools: entries } = await search(copies, query);
      return entries.map(({ name }) => name.slice(2));
    });
    rows.push(
      `| no typo | ${(await recall(requests, "model", ours)).at5} |`,
      `| one typo | ${one.at5} |`,
      `| two typos | ${two.at5} |`,
      `| five copies of each tool | ${five.at5} |`,
    );
    console.log(rows.join("\n"));

    const model = await recall(requests, "model", ours);
    const user = await recall(requests, "user", ours);
    ok(one.at5 >= 93 && two.at5 >= 90 && five.at5 >= model.at5 - 1, JSON.stringify({ one, two, five }));
    ok(model.at5 >= 95 && model.at1 >= 85 && user.at5 >= 56, JSON.stringify({ model, user }));
    for (const { name } of tools) deepStrictEqual((await found(server, name))[0], name);
    const page = await readFile(join(root, "docs/discovery.md"), "utf8");
    deepStrictEqual(rows.filter((row) => !page.includes(row)), [], "docs/discovery.md has other figures");
  },
  TIMEOUT_MS,
);
