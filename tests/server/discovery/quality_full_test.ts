/** How well and how fast `search_tools` finds the tools of published servers, beside the rankings of other libraries. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createServer, type Server } from "../../../mod.ts";
import { gateway, group } from "../../../src/server/compose/mod.ts";
import { discover } from "../../../src/server/discovery/mod.ts";
import { type CorpusServer, readCorpus } from "../../corpus/corpus.ts";
import { findNode, findProgram, root, testWith } from "../../serve/programs.ts";
import { scripted } from "../compose/scripted.ts";
import { found, QUIET } from "./fixture.ts";
import { aiSdkRanking, fastMcpRanking } from "./other_rankings.ts";
import { type LabelledRequest, readRequests } from "./requests.ts";

const TIMEOUT_MS = 600_000;
/** Maximum length of a name without the prefix of a group. */
const MAX_NAME = 56;

/** Groups whose name is not the name of the package without `mcp` and `server`. */
const GROUPS: Readonly<Record<string, string>> = {
  "@hubspot/mcp-server": "hubspot",
  "@mapbox/mcp-server": "mapbox",
  "@modelcontextprotocol/server-brave-search": "brave",
  "@modelcontextprotocol/server-sequential-thinking": "thinking",
  "@notionhq/notion-mcp-server": "notion",
  "@playwright/mcp": "playwright",
  "@sentry/mcp-server": "sentry",
  "@twilio-alpha/mcp": "twilio",
  "@wonderwhy-er/desktop-commander": "desktop",
  "@zereight/mcp-gitlab": "gitlab",
  "chrome-devtools-mcp": "chrome",
  "figma-developer-mcp": "figma",
};

function groupNameOf(name: string): string {
  const last = name.split("/").at(-1) ?? name;
  return GROUPS[name] ?? last.replace(/^(mcp-server-|server-)(atlassian-)?|-mcp(-server)?$/g, "");
}

/** One server with the tools of all others, in groups. */
async function serverWith(corpus: readonly CorpusServer[]): Promise<Server> {
  const parts = await Promise.all(
    corpus.filter(({ tools }) => tools.length > 0).map(async ({ name, tools }) => {
      // Names of 64 characters have no room for a prefix.
      const rename = (tool: string) => tool.length > MAX_NAME ? tool.replace("ApiV2010", "") : tool;
      return group(groupNameOf(name), await gateway(name, scripted(tools), { rename, maxListChars: 10_000_000 }));
    }),
  );
  return createServer({ tools: [], parts: parts as never, discovery: discover(), logger: QUIET });
}

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

/** CPU time of the process meanwhile, in milliseconds: other processes do not count. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
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

    const indexMs = await cpuMs(() => found(server, "zebra"));
    const ours: Rank = (query) => found(server, query);
    const rows = [
      await rowOf("`discover()`", ours, requests),
      await rowOf("FastMCP's BM25", fastMcpRanking(tools), requests),
      await rowOf("AI SDK's default", aiSdkRanking(tools), requests),
    ];
    const queriesMs = await cpuMs(async () => {
      for (const { model } of requests) await found(server, model);
    });
    console.log(rows.join("\n"));
    console.log(`${tools.length} tools: index ${indexMs.toFixed(0)} ms, query ${(queriesMs / 100).toFixed(2)} ms`);

    const model = await recall(requests, "model", ours);
    const user = await recall(requests, "user", ours);
    ok(model.at5 >= 95 && model.at1 >= 85 && user.at5 >= 56, JSON.stringify({ model, user }));
    for (const { name } of tools) deepStrictEqual((await found(server, name))[0], name);
    ok(indexMs <= 150 && queriesMs / 100 <= 1, `index ${indexMs} ms, 100 queries ${queriesMs} ms`);
    const page = await readFile(join(root, "docs/discovery.md"), "utf8");
    deepStrictEqual(rows.filter((row) => !page.includes(row)), [], "docs/discovery.md has other figures");
  },
  TIMEOUT_MS,
);
