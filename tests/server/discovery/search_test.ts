/** What `search_tools` finds, and how it describes it. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool } from "../../../mod.ts";
import { group } from "../../../src/entries/compose.ts";
import { found, search, serverOf, tool } from "./fixture.ts";

const rate = defineTool("exchange_rate").title("Rates").describe(
  "Look up the exchange rate of a currency. Daily.\n\nDetails.",
)
  .input(v.object({ currency: v.pipe(v.string(), v.description("Such as EUR")), date: v.optional(v.string()) }))
  .output(v.object({ rate: v.number() }))
  .handle(() => ({ rate: 1 }));
const weather = tool("get_weather", "Report the weather of a city");
const invoice = tool("createInvoice", "Write an invoice for a customer");
const server = serverOf([rate, weather, invoice]);

const git = createServer({ tools: [tool("log", "Show commits"), tool("create_branch", "Create a branch")] });
const chat = createServer({ tools: [tool("log", "Show messages of a channel"), tool("post", "Send a message")] });
const grouped = serverOf([tool("ping", "Answer")], {}, { parts: [group("git", git), group("chat", chat)] as never });

test("a result has name, first sentence and signature", async () => {
  deepStrictEqual(await search(server, "currency rate"), {
    tools: [{
      name: "exchange_rate",
      description: "Look up the exchange rate of a currency.",
      signature: "(currency: string, date?: string) => { rate: number }",
    }],
    total: 1,
    unmatched: [],
  });
});

test("a result has the schemas if they are requested", async () => {
  const { tools: [first] } = await search(server, { query: "currency rate", detail: "schema" });
  strictEqual(first?.description, "Look up the exchange rate of a currency. Daily.\n\nDetails.");
  deepStrictEqual([first?.inputSchema?.["required"], first?.outputSchema?.["required"]], [["currency"], ["rate"]]);
  strictEqual(first?.signature, undefined);
});

test("words are compared by stems, within names of any notation, and within titles and parameters", async () => {
  for (const query of ["creating invoices", "CREATE INVOICE", "create-invoice", "createInvoice", "invoiced"]) {
    deepStrictEqual(await found(server, query), ["createInvoice"], query);
  }
  for (const query of ["rates", "currencies", "EUR", "date"]) {
    deepStrictEqual((await found(server, query))[0], "exchange_rate", query);
  }
});

test("words that no tool has are in unmatched", async () => {
  const { tools, unmatched } = await search(server, "send the invoice by pigeon");
  deepStrictEqual([tools.map(({ name }) => name), unmatched], [["createInvoice"], ["send", "pigeon"]]);
});

test("a query without a match finds no tool, and gets a hint", async () => {
  for (const query of ["zebra", "the of and", "?!.*", "  ", "\u0000\u0001", "😀"]) {
    const { tools, total, hint } = await search(server, query);
    deepStrictEqual([tools, total], [[], 0], query);
    match(hint ?? "", /^No tool has these words.*synonym/, query);
  }
});

test("an exact name is first, also within a sentence and without the prefix of its group", async () => {
  const siblings = [
    "get_merge_request_diffs",
    "get_merge_request_note",
    "get_merge_request_notes",
    "merge_request_get",
  ];
  const many = serverOf([...siblings, "get_merge_request"].map((name) => tool(name, "Get a merge request, get it")));
  for (const query of ["get_merge_request", "GET_MERGE_REQUEST", "getMergeRequest", "call get_merge_request now"]) {
    strictEqual((await found(many, query))[0], "get_merge_request", query);
  }
  deepStrictEqual((await found(grouped, "log")).toSorted(), ["chat_log", "git_log"]);
  strictEqual((await found(grouped, "chat_log"))[0], "chat_log");
  deepStrictEqual((await found(grouped, "git_log, chat_post, ping")).slice(0, 2).toSorted(), ["chat_post", "git_log"]);
});

test("a tool whose name has no words is found by its name", async () => {
  deepStrictEqual(await found(serverOf([tool("_", "Do it"), tool("a", "Other")]), "_"), ["_"]);
});

test("groups are in the description, count the results, and limit a search", async () => {
  const description = grouped.tools.find(({ name }) => name === "search_tools")?.description ?? "";
  ok(description.endsWith("Groups of tools: git (2), chat (2)."), description);
  const { tools, groups } = await search(grouped, "show");
  deepStrictEqual([tools.map(({ name }) => name), groups], [["git_log", "chat_log"], { git: 1, chat: 1 }]);
  deepStrictEqual(tools[0], { name: "git_log", group: "git", description: "Show commits", signature: "() => unknown" });
  deepStrictEqual(await found(grouped, { query: "show", group: "chat" }), ["chat_log"]);
  const { hint } = await search(grouped, { query: "branch", group: "chat" });
  match(hint ?? "", /without the group/);
  match((await search(grouped, { query: "branch", group: "no such" })).hint ?? "", /Groups: git, chat\.$/);
  ok((await search(grouped, "zebra")).hint?.endsWith("Groups: git, chat."));
});

test("results count the tools of the best groups alone", async () => {
  const parts = Array.from({ length: 12 }, (_, index) => {
    const name = index === 11 ? "read_file" : `do_${index}`;
    return group(`g${index}`, createServer({ tools: [tool(name, "Read something")] }));
  });
  const { groups } = await search(serverOf([], {}, { parts: parts as never }), "read file");
  deepStrictEqual(Object.keys(groups ?? {}), ["g11", "g0", "g1", "g2", "g3", "g4", "g5", "g6"]);
});

test("names of object prototypes are words and groups like others", async () => {
  const part = group("__proto__", createServer({ tools: [tool("constructor", "Build it")] }));
  const odd = serverOf([], {}, { parts: [part] as never });
  const { tools, groups } = await search(odd, "constructor");
  deepStrictEqual([tools[0]?.name, Object.entries(groups ?? {})], ["__proto___constructor", [["__proto__", 1]]]);
  deepStrictEqual((await search(server, "constructor __proto__ toString")).tools, []);
});

test("the number of results is limited", async () => {
  const many = serverOf(Array.from({ length: 30 }, (_, index) => tool(`read_${index}`, "Read")));
  const { tools, total } = await search(many, "read");
  deepStrictEqual([tools.length, total], [5, 30]);
  strictEqual((await search(many, { query: "read", limit: 20 })).tools.length, 20);
});

test("invalid arguments are rejected", async () => {
  for (const input of [{}, { query: "" }, { query: 1 }, { query: "x".repeat(1_001) }, { query: "x", limit: 0 }]) {
    await rejects(search(server, input), { code: "invalid_input" }, JSON.stringify(input));
  }
  for (const input of [{ query: "x", limit: 21 }, { query: "x", detail: "all" }, { query: "x", max: 1 }]) {
    await rejects(search(server, input), { code: "invalid_input" }, JSON.stringify(input));
  }
});

test("long and odd queries are answered", async () => {
  const words = Array.from({ length: 190 }, (_, index) => `w${index}`).join(" ");
  const queries = [
    "(".repeat(1_000),
    "aA".repeat(500),
    "a".repeat(1_000),
    words,
    ".*+?^${}()|[]\\",
    "\ud800 rate",
    "rate\n\t\u2028rate",
  ];
  for (const query of queries) ok(Array.isArray((await search(server, query)).tools));
  strictEqual((await found(server, "rate\u0000currency"))[0], "exchange_rate");
});

test("texts of scripts without spaces are searched by pairs of characters", async () => {
  const local = serverOf([tool("a", "東京の天気を調べる"), tool("b", "请求退款"), tool("c", "Réserver un hôtel")]);
  deepStrictEqual(await found(local, "天気"), ["a"]);
  deepStrictEqual(await found(local, "退款"), ["b"]);
  deepStrictEqual(await found(local, "hôtel"), ["c"]);
  deepStrictEqual(await found(local, "ho\u0302tel"), ["c"]);
});
