/** Searches with mistyped words, with copies of tools, by keywords, and by a ranking of the application. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import { gateway, group } from "../../../src/entries/compose.ts";
import { discover } from "../../../src/entries/discovery.ts";
import { SearchIndex } from "../../../src/inspection/tool_search/search_index.ts";
import { skipOf, WIRES, wires } from "../../wires/matrix.ts";
import { found, QUIET, search, serverOf, tool } from "./fixture.ts";

const TOOLS = [
  tool("create_repository", "Create a repository"),
  tool("list_issues", "List the issues of a project"),
  tool("delete_branch", "Delete a branch"),
];

test("a word that no tool has is replaced by the nearest one, and the answer says so", async () => {
  const server = serverOf(TOOLS);
  for (const typo of ["repostory", "repositry", "repoistory", "repositoory", "repositoru", "rrepository"]) {
    const { tools, corrected, unmatched } = await search(server, `new ${typo}`);
    deepStrictEqual([tools[0]?.name, corrected, unmatched], ["create_repository", { [typo]: "repository" }, ["new"]]);
  }
  deepStrictEqual((await search(server, "lsit isues")).corrected, { isues: "issues" });
  strictEqual((await search(server, "repository")).corrected, undefined);
});

test("two edits, short words, numbers and other scripts are not corrected", async () => {
  const server = serverOf([...TOOLS, tool("read_file", "Read a file"), tool("v2024", "Version 2024")]);
  for (const word of ["rpostory", "fle", "v2025", "リポジトリ"]) {
    const { tools, corrected, unmatched, hint } = await search(server, word);
    deepStrictEqual([tools, corrected], [[], undefined]);
    ok(unmatched.length > 0);
    match(hint ?? "", /in English/);
  }
});

test("a correction is a word that the caller may find", async () => {
  const secret = defineTool("launch_rocket").describe("Launch the rocket").visibleTo((who) => who?.id === "ada").handle(
    () => 1,
  );
  const server = serverOf([...TOOLS, secret]);
  deepStrictEqual((await search(server, "rockett", { principal: { id: "ada" } })).corrected, { rockett: "rocket" });
  const hidden = await search(server, "rockett", { principal: { id: "eve" } });
  deepStrictEqual([hidden.corrected, hidden.unmatched, hidden.total], [undefined, ["rockett"], 0]);
});

test("corrections look up a bounded number of words", () => {
  const words = Array.from(
    { length: 20_000 },
    (_, at) => `word${at.toString(36).replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")}`,
  );
  const index = new SearchIndex(words.map((name) => ({
    name,
    ownName: name,
    group: "",
    description: "",
    parameters: "",
    parameterDescriptions: "",
  })));
  const query = Array.from({ length: 64 }, (_, at) => `mistypedword${"abcdefgh"[at % 8]}${"abcdefgh"[at >> 3]}`).join(
    " ",
  );
  // Words beyond the 24th are not searched for.
  strictEqual(index.search(query, 5).unmatched.length, 24);
  strictEqual(index.search("wordqqx wordx wordqq", 5).corrected.size <= 8, true);
});

test("equal tools of several groups are one entry, with the names of the others", async () => {
  const regions = ["eu", "us", "asia"].map((name) => group(name, createServer({ tools: TOOLS })));
  const other = group("mail", createServer({ tools: [tool("create_repository", "Create a mail folder")] }));
  const server = serverOf([], {}, { parts: [...regions, other] as never });
  const { tools, total } = await search(server, { query: "create repository", limit: 2 });
  deepStrictEqual(tools.map(({ name, alsoIn }) => [name, alsoIn]), [
    ["eu_create_repository", ["us_create_repository", "asia_create_repository"]],
    ["mail_create_repository", undefined],
  ]);
  strictEqual(total, 4);
  const [first] = (await search(server, "create repository asia")).tools;
  deepStrictEqual([first?.name, first?.alsoIn?.length], ["asia_create_repository", 2]);
  deepStrictEqual(await found(server, { query: "create repository", group: "us" }), ["us_create_repository"]);
});

test("a tool is found by its keywords, which are listed as the hint of a host", async () => {
  const issue = defineTool("create_issue").describe("Create an issue").keywords(["ticket", "bug report"]).keywords([
    "defect",
  ])
    .handle(() => 1);
  const hinted = defineTool("send").describe("Send").meta({ "anthropic/searchHint": "courier" }).handle(() => 1);
  const server = serverOf([issue, hinted]);
  for (const query of ["ticket", "bug", "defects"]) deepStrictEqual(await found(server, query), ["create_issue"]);
  deepStrictEqual(await found(server, "courier"), ["send"]);
  const [listed] = createServer({ tools: [issue] }).tools;
  deepStrictEqual(listed?._meta, { "anthropic/searchHint": "ticket bug report defect" });
  for (const wrong of ["ticket", undefined, [""], [1]]) {
    throws(
      () => defineTool("t").describe("T").keywords(wrong as never),
      /TypeError: .*keywords must be an array of texts/,
    );
  }
});

test("keywords pass through a gateway: they are searched there, and listed", async () => {
  const issue = defineTool("create_issue").describe("Create an issue").keywords(["ticket"]).handle(() => 1);
  const behindIt = await gateway("tracker", memoryTransport(createServer({ tools: [issue] })));
  const parts = [group("tracker", behindIt)];
  const behind = serverOf([tool("ping", "Answer")], {}, { parts: parts as never });
  const names = await found(behind, "ticket");
  strictEqual(names.length, 1);
  match(names[0] ?? "", /create_issue$/);
  const [listed] = createServer({ tools: [], parts: parts as never, logger: false }).tools;
  strictEqual((listed?._meta as Record<string, unknown> | undefined)?.["anthropic/searchHint"], "ticket");
});

test("the ranking of an application decides, over the tools that the caller may find", async () => {
  const seen: unknown[] = [];
  const secret = defineTool("secret").describe("Secret").scopes("all").handle(() => 1);
  const server = serverOf([...TOOLS, secret], {
    rank: async ({ query, tools }) => {
      seen.push([query, tools.map(({ name }) => name)]);
      return await Promise.resolve(["delete_branch", "secret", "unknown", "create_repository", "delete_branch"]);
    },
  });
  const { tools, total, unmatched } = await search(server, { query: "issues by meaning", limit: 5 });
  deepStrictEqual([tools.map(({ name }) => name), total], [["delete_branch", "create_repository"], 2]);
  deepStrictEqual(unmatched, ["meaning"]);
  deepStrictEqual(seen, [["issues by meaning", ["list_issues", "create_repository", "delete_branch"]]]);
  throws(() => discover({ rank: 5 as never }), /rank must be a function/);
});

test("a ranking that throws leaves the order by words, with a warning", async () => {
  const lines: string[] = [];
  const logger = { ...QUIET, warn: (message: string) => lines.push(message) };
  for (const rank of [() => Promise.reject(new Error("No model")), () => 5 as never]) {
    const server = serverOf(TOOLS, { rank }, { logger });
    deepStrictEqual(await found(server, "delete branch"), ["delete_branch"]);
  }
  strictEqual(lines.filter((line) => /rank of discover\(\) failed; the search is by words/.test(line)).length, 2);
  await rejects(search(serverOf(TOOLS), { query: "" }), { code: "invalid_input" });
});

for (const wire of WIRES) {
  test(`${wire.name}: a correction and copies reach the caller`, { skip: skipOf(wire) }, async () => {
    const parts = ["eu", "us"].map((name) => group(name, createServer({ tools: TOOLS })));
    const server = createServer({
      tools: [],
      parts: parts as never,
      wires,
      keys: "k1:a secret that only these tests know",
      logger: QUIET,
      discovery: discover({ when: "always" }),
    });
    const { transport, close } = await wire.open(server, {});
    try {
      const answer = await createClient(transport).$.call("search_tools", { query: "delete brnach" }) as {
        readonly tools: readonly { readonly name: string; readonly alsoIn?: readonly string[] }[];
        readonly corrected: unknown;
      };
      deepStrictEqual(answer.corrected, { brnach: "branch" });
      deepStrictEqual([answer.tools[0]?.name, answer.tools[0]?.alsoIn], ["eu_delete_branch", ["us_delete_branch"]]);
    } finally {
      transport.close?.();
      await close();
      await server.close(0);
    }
  });
}
