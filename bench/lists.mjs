// Counts the tokens of lists of 10, 100 and 1,000 tools: all of them, deferred by `discover()`, and as signatures; and how far
// our estimate is from OpenAI's tokenizer: `node bench/lists.mjs`. It also times the search over the tools.
// The tools are those of the published MCP servers of tests/corpus, which are installed on the first run.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";
import { formatTable } from "./report.mjs";
import { commands, root } from "./runtimes.mjs";

const SIZES = [10, 100, 1_000];
const VENDORS = ["mcp", "openai", "anthropic"];

const { inside } = readOptions({ inside: { type: "boolean", default: false } });
if (inside) console.log(JSON.stringify(await measure()));
else report();

function report() {
  const [command, ...args] = commands.bun(fileURLToPath(import.meta.url));
  const { status, stdout, stderr } = spawnSync(command, [...args, "--inside"], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`bench/lists.mjs failed: ${stderr}`);
  const { lists, search } = JSON.parse(stdout);
  const rows = lists.map(({ size, form, full, deferred }) =>
    [
      size,
      form,
      format(full),
      deferred === undefined ? "" : format(deferred),
      deferred === undefined ? "" : `${(100 * deferred.tokens / full.tokens).toFixed(1)} %`,
    ].map(String)
  );
  console.log("Tokens of lists by o200k_base, and the error of our estimate\n");
  console.log(formatTable(["tools", "form", "all", "deferred", "share"], rows));
  const { tools, indexMs, queryMs } = search;
  console.log(
    `\nSearch over ${tools} tools: index ${indexMs.toFixed(0)} ms, query ${queryMs.toFixed(2)} ms of CPU time`,
  );
}

/** `1,234 (+5 %)`: the tokens, and how many more the estimate has. */
function format({ tokens, estimate }) {
  const error = Math.round(100 * (estimate / tokens - 1));
  return `${tokens.toLocaleString("en")} (${error < 0 ? "−" : "+"}${Math.abs(error)} %)`;
}

async function measure() {
  const { readCorpus } = await import("../tests/corpus/corpus.ts");
  const { findNode } = await import("../scripts/runtimes.mjs");
  const corpus = await readCorpus(process.execPath, findNode(24));
  const lists = [];
  for (const size of SIZES) lists.push(...await measureLists(await serverOf(corpus, size), size));
  return { lists, search: await timeSearch(corpus) };
}

/** A server with so many tools, in equal parts from all of the corpus. If it has fewer, each is taken again. */
async function serverOf(corpus, size) {
  const { serverWith } = await import("../tests/server/discovery/corpus_server.ts");
  const again = corpus.map(({ tools }, index) => ({ name: `again${index}`, tools }));
  const all = [...corpus, ...again].flatMap(({ name, tools }) => tools.map((tool) => ({ name, tool })));
  const count = all.length / 2;
  const taken = size > count
    ? all.slice(0, size)
    : Array.from({ length: size }, (_, at) => all[Math.floor(at * count / size)]);
  const parts = Map.groupBy(taken, ({ name }) => name);
  return await serverWith([...parts].map(([name, some]) => ({ name, tools: some.map(({ tool }) => tool) })), "always");
}

async function measureLists(server, size) {
  const { estimateTokens } = await import("../src/entries/agents.ts");
  const { loadTokenizer } = await import("../src/entries/agents/tokenizer.ts");
  const tokenizer = await loadTokenizer();
  const count = async (source, vendor) => ({
    tokens: await estimateTokens(source, { vendor, tokenizer }),
    estimate: await estimateTokens(source, { vendor }),
  });
  const { tools } = server["~server"].host.allTools;
  const rows = [];
  for (const vendor of VENDORS) {
    rows.push({ size, form: vendor, full: await count(tools, vendor), deferred: await count(server, vendor) });
  }
  return [...rows, { size, form: "signatures", full: await count(await signaturesOf(server, tools)) }];
}

/** The tools as `search_tools` describes them. */
async function signaturesOf(server, tools) {
  const { testClient } = await import("../src/entries/testing.ts");
  const client = testClient(server);
  const found = [];
  for (const { name } of tools) found.push((await client.$.call("search_tools", { query: name, limit: 1 })).tools[0]);
  return found;
}

async function timeSearch(corpus) {
  const { serverWith } = await import("../tests/server/discovery/corpus_server.ts");
  const { readRequests } = await import("../tests/server/discovery/requests.ts");
  const { found } = await import("../tests/server/discovery/fixture.ts");
  const server = await serverWith(corpus);
  const requests = await readRequests();
  const indexMs = await cpuMs(() => found(server, "zebra"));
  const queriesMs = await cpuMs(async () => {
    for (const { model } of requests) await found(server, model);
  });
  return { tools: server["~server"].host.allTools.tools.length, indexMs, queryMs: queriesMs / requests.length };
}

/** CPU time of the process meanwhile, in milliseconds: other processes are not counted. */
async function cpuMs(work) {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
