/** Tools that a model searches for in place of loading them: what the first request carries, searches, and calls of what was found. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import {
  adkTools,
  type AgentOptions,
  aiSdkTools,
  type AnthropicOptions,
  anthropicTools,
  googleTools,
  langchainTools,
  mastraTools,
  openaiAgentsTools,
  openaiResponsesTools,
  openaiTools,
  tanstackTools,
} from "../../../src/entries/agents.ts";
import { discover } from "../../../src/entries/discovery.ts";
import { estimateTextTokens } from "../../../src/internal/token_estimate.ts";
import { createManyTools } from "./many_tools.ts";

const server = createManyTools();
const ALL = { defer: "all" } as const;
const WANTED = "git_create_label";
const ARGS = { workspace: "w1" };
const ANSWER = "create label of git in w1";

/** What the tools take of a model's context in the first request, by adapter. */
const CARRIED: Readonly<Record<string, (options: AgentOptions) => Promise<unknown>>> = {
  openaiTools: async (options) => (await openaiTools(server, options)).tools,
  openaiResponsesTools: async (options) => (await openaiResponsesTools(server, options)).tools,
  anthropicTools: async (options) =>
    (await anthropicTools(server, options)).tools.filter((tool) => !tool.defer_loading),
  aiSdkTools: async (options) =>
    Object.entries(await aiSdkTools(server, options)).filter(([, tool]) => !tool.deferLoading)
      .map(([name, { description, inputSchema }]) => ({
        name,
        description,
        inputSchema: inputSchema["~standard"].jsonSchema.input(),
      })),
  langchainTools: async (options) => await langchainTools(server, options),
  openaiAgentsTools: async (options) => await openaiAgentsTools(server, options),
  googleTools: async (options) => (await googleTools(server, options)).tools,
  adkTools: async (options) => await adkTools(server, options),
  mastraTools: async (options) =>
    (await mastraTools(server, options)).map(({ id, description, inputSchema }) => ({
      name: id,
      description,
      inputSchema: inputSchema["~standard"].jsonSchema.input(),
    })),
  tanstackTools: async (options) => await tanstackTools(server, options),
};

test("Anthropic: the last loaded definition ends what is cached", async () => {
  const marked = async (options: AnthropicOptions) =>
    (await anthropicTools(server, options)).tools.flatMap(({ name, cache_control: mark }) =>
      mark ? [[name, mark]] : []
    );
  deepStrictEqual(await marked({}), []);
  deepStrictEqual(await marked({ ...ALL, cache: "1h" }), [["search_tools", { type: "ephemeral", ttl: "1h" }]]);
  const [last] = await marked({ cache: "5m" });
  deepStrictEqual(last, [(await anthropicTools(server)).tools.at(-1)?.name, { type: "ephemeral", ttl: "5m" }]);
  await rejects(anthropicTools(server, { cache: true } as never), /cache/);
});

describe("the first request with 500 tools carries at most 1 % of the tokens of the full list", () => {
  for (const [name, carried] of Object.entries(CARRIED)) {
    test(name, async () => {
      const tokens = async (options: AgentOptions) => estimateTextTokens(JSON.stringify(await carried(options)));
      const [full, all] = [await tokens({}), await tokens(ALL)];
      ok(full > 50_000 && all <= 0.01 * full, `${all} of ${full}`);
    });
  }
});

test("auto loads all tools up to 10 tools, and up to the stated tokens", async () => {
  const few = createServer({ tools: [defineTool("ping").describe("Answer").handle(() => "pong")] });
  deepStrictEqual((await openaiTools(few, { defer: "auto", minTokens: 1 })).tools.length, 1);
  strictEqual((await openaiTools(server, { defer: "auto", minTokens: 500_000 })).tools.length, 500);
  strictEqual((await openaiTools(server, { defer: "auto" })).tools.length, 2);
  strictEqual((await openaiTools(server)).tools.length, 500);
  const alwaysLoad = [WANTED, "wiki_list_report"];
  const { tools } = await anthropicTools(server, { defer: "auto", alwaysLoad });
  deepStrictEqual(tools.filter((tool) => !tool.defer_loading).map(({ name }) => name), [...alwaysLoad, "search_tools"]);
  const chosen = await anthropicTools(server, { defer: "auto", alwaysLoad: ({ name }) => alwaysLoad.includes(name) });
  deepStrictEqual(chosen.tools, tools);
  await rejects(
    anthropicTools(server, { alwaysLoad: 5 as never }),
    /alwaysLoad must be an array of texts, or a function/,
  );
});

test("discover() and auto have one rule: the tokens of names, descriptions and schemas, which the log states once", async () => {
  const tools = Array.from({ length: 11 }, (_, at) =>
    // Vendors send neither title, annotations nor the schema of the output to a model.
    defineTool(`tool_${at}`).title("A title").describe("Do one of the things. ".repeat(5)).annotate({
      readOnlyHint: true,
    })
      .output({ type: "object", properties: { a: { description: "A long description. ".repeat(20) } } } as never)
      .handle(() => ({}) as never));
  const tokens = (await openaiTools(createServer({ tools }))).tools.reduce(
    (sum, { function: { name, description } }) =>
      sum + estimateTextTokens(JSON.stringify({ name, description, inputSchema: { type: "object" } })),
    0,
  );
  for (const [minTokens, isSearched] of [[tokens, false], [tokens - 1, true]] as const) {
    const lines: string[] = [];
    const logger = { debug() {}, info: (line: string) => lines.push(line), warn() {}, error() {} };
    const plain = createServer({ tools, logger });
    const discovered = createServer({ tools, logger, discovery: discover({ minTokens }) });
    for (let time = 0; time < 2; time++) {
      strictEqual((await openaiTools(plain, { defer: "auto", minTokens })).tools.length, isSearched ? 2 : 11);
      strictEqual((await openaiTools(discovered)).tools.length, isSearched ? 2 : 11);
    }
    const line = isSearched
      ? `A search replaces 11 tools of about ${tokens} tokens`
      : `All 11 tools of about ${tokens} tokens are listed`;
    const limit = `; the limit is 10 tools and minTokens: ${minTokens}`;
    deepStrictEqual(lines, [`discover(): ${line}${limit}`, `defer: "auto": ${line}${limit}`]);
    const own: string[] = [];
    await openaiTools(memoryTransport(plain), {
      defer: "auto",
      minTokens,
      logger: { ...logger, info: (said) => own.push(said) },
    });
    deepStrictEqual(own, [lines[1]]);
  }
  await rejects(openaiTools(server, { logger: "console" as never }), /logger must be an object with the functions/);
});

test("the log states about how many tokens a list of hundreds of tools has", async () => {
  const lines: string[] = [];
  const logger = { debug() {}, info: (line: string) => lines.push(line), warn() {}, error() {} };
  await anthropicTools(memoryTransport(server), { defer: "auto", logger });
  const stated = Number(/500 tools of about (\d+) tokens/.exec(lines[0] ?? "")?.[1]);
  const listed = await createClient(memoryTransport(server)).$.list();
  const counted = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    .reduce((sum, tool) => sum + estimateTextTokens(JSON.stringify(tool)), 0);
  ok(Math.abs(stated / counted - 1) < 0.2, `${stated} for ${counted}`);
});

test("Chat Completions: the model searches, and calls what it found", async () => {
  const { tools, names, run } = await openaiTools(server, ALL);
  deepStrictEqual(tools.map(({ function: { name } }) => name), ["search_tools", "call_tool"]);
  strictEqual(names.size, 502);
  deepStrictEqual([names.get("call_tool"), names.get(WANTED)], ["call_tool", WANTED]);
  match(tools[0]?.function.description ?? "", /Call a found tool with call_tool\..*git \(25\), hiring \(25\)/);
  const call = async (name: string, args: object) => {
    const [message] = await run([{ type: "function", id: "1", function: { name, arguments: JSON.stringify(args) } }]);
    return message?.content ?? "";
  };
  const found = JSON.parse(
    await call("search_tools", { query: "create label git", group: null, detail: null, limit: 2 }),
  );
  deepStrictEqual([found.tools.length, found.tools[0].name, found.tools[0].group], [2, WANTED, "git"]);
  match(found.tools[0].signature, /^\(workspace: string, title\?: string/);
  strictEqual(await call("call_tool", { name: WANTED, arguments: ARGS }), ANSWER);
  // Deferred tools stay callable by their names.
  strictEqual(await call(WANTED, ARGS), ANSWER);
  match(await call("call_tool", { name: "git_create_lable" }), /tool_not_found.*\n.*Did you mean 'git_create_label'/);
  // Names of tools that a model has not found would cost tokens, and be no help.
  for (const unknown of [await call("paint_wall", {}), await call("call_tool", { name: "paint_wall" })]) {
    match(unknown, /tool_not_found.*paint_wall\n.*search_tools/);
    doesNotMatch(unknown, /git_/);
  }
  match(await call("call_tool", { name: WANTED, workspace: "w1" }), /pass "workspace" in "arguments"/);
  match(await call("call_tool", {}), /needs the name of a tool/);
  match(await call("call_tool", { name: WANTED, arguments: {} }), /invalid_input.*\n.*workspace/);
  match(await call("search_tools", { query: 7 }), /invalid_input.*query must be text that is not empty, not 7/);
  match(await call("search_tools", { query: "a", limit: 21 }), /limit must be a whole number from 1 to 20, not 21/);
  match(await call("search_tools", { querry: "a" }), /there is no option "querry"; did you mean "query"/);
  match(await call("search_tools", { query: "zebra" }), /"tools":\[\],"total":0.*"hint":"No tool has these words/);
});

test("Responses: a search is answered with definitions in the namespaces of their groups", async () => {
  const { tools, run } = await openaiResponsesTools(server, { ...ALL, alwaysLoad: ["wiki_list_report"] });
  deepStrictEqual(tools.map(({ type }) => type), ["function", "tool_search"]);
  const search = (args: unknown, execution = "client") =>
    run([
      { type: "tool_search_call", id: "ts_1", call_id: "1", execution, arguments: args, status: "completed" } as never,
    ]);
  const [output] = await search({ query: "create label", limit: 3 });
  ok(output?.type === "tool_search_output");
  const { tools: found, ...head } = output;
  deepStrictEqual(head, { type: "tool_search_output", call_id: "1", execution: "client", status: "completed" });
  deepStrictEqual(found.map(({ type, name }) => [type, name]), [
    ["namespace", "billing"],
    ["namespace", "calendar"],
    ["namespace", "chat"],
  ]);
  const [first] = found;
  ok(first?.type === "namespace");
  const [defined] = first.tools;
  deepStrictEqual([defined?.name, defined?.strict, defined?.defer_loading], ["create_label", true, true]);
  // What strict mode calls null was left out.
  const said = JSON.stringify({ ...ARGS, title: null, state: null, limit: null });
  const item = { type: "function_call", call_id: "2", namespace: "billing", name: "create_label", arguments: said };
  deepStrictEqual(await run([item]), [{
    type: "function_call_output",
    call_id: "2",
    output: "create label of billing in w1",
    namespace: "billing",
  }]);
  deepStrictEqual(await search({ query: "x" }, "server"), []);
  for (const args of [undefined, "text", { paths: ["a"] }, { query: "zebra" }]) {
    const [empty] = await search(args);
    deepStrictEqual(empty?.type === "tool_search_output" && empty.tools, []);
  }
});

test("Anthropic: a search is answered with references to definitions of the request", async () => {
  const { tools, run } = await anthropicTools(server, ALL);
  deepStrictEqual(tools.filter((tool) => !tool.defer_loading).map(({ name }) => name), ["search_tools"]);
  strictEqual(tools.length, 501);
  const use = (name: string, input: unknown) => run([{ type: "tool_use", id: "1", name, input } as never]);
  const [result] = await use("search_tools", { query: "create label git", limit: 1 });
  deepStrictEqual(result, {
    type: "tool_result",
    tool_use_id: "1",
    content: [{ type: "tool_reference", tool_name: WANTED }],
  });
  deepStrictEqual((await use(WANTED, ARGS))[0]?.content, ANSWER);
  const [none] = await use("search_tools", { query: "zebra" });
  match(String(none?.content), /No tool has these words/);
  const [invalid] = await use("search_tools", {});
  deepStrictEqual([invalid?.is_error, String(invalid?.content).slice(0, 31)], [
    true,
    "The call failed (invalid_input)",
  ]);
});

test("LangChain: the pieces and errors of a tool pass through call_tool", async () => {
  const spell = defineTool("spell").describe("Spell").handle(async function* () {
    yield "a";
    yield "b";
  });
  const tools = await langchainTools(createServer({ tools: [spell] }), ALL);
  const stream = tools[1]!.func({ name: "spell" });
  deepStrictEqual([(await stream.next()).value, (await stream.next()).value], ["a", "b"]);
  deepStrictEqual((await stream.next()).value, ["ab", { value: "ab", error: undefined }]);
});

test("a tool can ask to be loaded at once; a remote server has no groups unless they are given", async () => {
  const kept = defineTool("kept").describe("Stay").meta({ "anthropic/alwaysLoad": true }).handle(() => 1);
  const other = defineTool("team.other").describe("Go").handle(() => 2);
  const remote = memoryTransport(createServer({ tools: [kept, other] }));
  const group = ({ name }: { readonly name: string }) => name.split(".").at(-2);
  const { tools } = await openaiTools(remote, { ...ALL, group });
  deepStrictEqual(tools.map(({ function: { name } }) => name), ["kept", "search_tools", "call_tool"]);
  match(tools[1]?.function.description ?? "", /Groups of tools: team \(1\)\./);
  const { run } = await openaiResponsesTools(remote, { ...ALL, group });
  const call = { type: "function_call", call_id: "2", namespace: "team", name: "other", arguments: "{}" };
  match(JSON.stringify(await run([call])), /"output":"2"/);
});

test("a search reads titles and hints of the server", async () => {
  const tools = ["a", "b", "c"].map((name) => defineTool(name).describe("Do"));
  const [a, b, c] = [tools[0]!, tools[1]!.title("Zebra"), tools[2]!.meta({ "anthropic/searchHint": "giraffe" })];
  const source = createServer({ tools: [a, b, c].map((tool) => tool.handle(() => 1)) });
  const { run } = await anthropicTools(source, ALL);
  for (const [query, tool_name] of [["zebra", "b"], ["giraffe", "c"]] as const) {
    const [result] = await run([{ type: "tool_use", id: "1", name: "search_tools", input: { query } } as never]);
    deepStrictEqual(result?.content, [{ type: "tool_reference", tool_name }]);
  }
});

test("a server with discover() is not deferred again; names of search_tools and call_tool may be taken", async () => {
  const ping = defineTool("ping").describe("Answer").handle(() => "pong");
  const discovered = createServer({ tools: [ping], discovery: discover({ when: "always" }) });
  const names = (tools: readonly { function: { name: string } }[]) => tools.map(({ function: { name } }) => name);
  deepStrictEqual(names((await openaiTools(discovered, ALL)).tools), ["search_tools", "call_tool"]);
  const own = defineTool("search_tools").describe("Search for hammers").handle(() => ["hammer"]);
  const taken = await openaiTools(createServer({ tools: [ping, own] }), { ...ALL, alwaysLoad: ["search_tools"] });
  deepStrictEqual(names(taken.tools), ["search_tools", "search_tools_2", "call_tool"]);
});

test("invalid options are rejected by name", async () => {
  await rejects(openaiTools(server, { defer: "yes" as never }), /defer must be "auto" or "all" or "none", not "yes"/);
  await rejects(openaiTools(server, { minTokens: 0 }), /minTokens must be a number above 0/);
  await rejects(openaiTools(server, { contextTokens: 200_000 } as never), /there is no option "contextTokens"/);
  await rejects(
    anthropicTools(server, { defer: "all", alwaysLoad: ["git_create_lable"] }),
    /alwaysLoad has the tool "git_create_lable", which is not listed. Did you mean 'git_create_label'\?/,
  );
});

test("LangChain: what an interrupt stops by its name is offered by name beside a search, and not run by another tool", async () => {
  let runs = 0;
  const drop = defineTool("drop_all").describe("Drop the tables").annotate({ destructiveHint: true }).handle(() =>
    ++runs
  );
  const pay = defineTool("pay_bill").describe("Pay a bill").handle(() => ++runs);
  const source = createServer({
    tools: [
      drop,
      pay,
      ...Array.from({ length: 30 }, (_, n) => defineTool(`read_${n}`).describe(`Read ${n}`).handle(() => n)),
    ],
  });
  const namesOf = async (options: object) =>
    (await langchainTools(source, { ...ALL, ...options })).map(({ name }) => name);
  // An application that stops calls by name, as LangGraph does, passes "never": nothing else asks.
  strictEqual((await namesOf({ approve: "never" })).includes("drop_all"), true);
  strictEqual(
    (await namesOf({ approve: "never", needsApproval: ({ name }: { name: string }) => name === "pay_bill" }))
      .includes("pay_bill"),
    true,
  );
  strictEqual((await namesOf({})).includes("drop_all"), false, "it is searched for, and its call is refused");
  for (const options of [{}, { approve: "never" }] as const) {
    const tools = await langchainTools(source, { ...ALL, ...options });
    const callTool = tools.find(({ name }) => name === "call_tool");
    const { value } = await callTool!.func({ name: "drop_all", arguments: {} }).next();
    match(JSON.stringify(value), options.approve === "never" ? /tool_not_found/ : /needs an approval/);
  }
  strictEqual(runs, 0);
});
