/** Adapters of frameworks that ask a person before a call, and what these frameworks require of names, schemas and answers. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createServer, defineTool, ToolError } from "../../../mod.ts";
import {
  adkTools,
  type AgentSource,
  type ApprovalOptions,
  googleTools,
  mastraTools,
  openaiAgentsTools,
  tanstackTools,
} from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";

const drop = defineTool("drop-table").describe("Drop a table").annotate({ destructiveHint: true })
  .input(v.object({ name: v.string(), cascade: v.optional(v.boolean()) }))
  .examples([{ input: { name: "users" } }])
  .output(v.object({ dropped: v.string() }))
  .handle(({ name }) => ({ dropped: name }));
const list = defineTool("list_tables").describe("List the tables").annotate({ readOnlyHint: true }).handle(
  () => ["users"],
);
const refuse = defineTool("refuse").describe("Refuse").handle((): string => {
  throw new ToolError("rate_limited", "Slow down");
});
const server = createServer({ tools: [drop, list, refuse] });

interface Asking {
  readonly name: string;
  asks(input: unknown): Promise<boolean>;
  call(input: unknown, signal?: AbortSignal): Promise<unknown>;
}

/** The tools of each framework, in one form. */
const FRAMEWORKS: Readonly<Record<string, (source: AgentSource, options?: ApprovalOptions) => Promise<Asking[]>>> = {
  openaiAgentsTools: async (source, options) =>
    (await openaiAgentsTools(source, options)).map(({ name, needsApproval, execute }) => ({
      name,
      asks: (input) => needsApproval(undefined, input),
      call: (input, signal) => execute(input, undefined, { ...(signal && { signal }), toolCall: { callId: "1" } }),
    })),
  adkTools: async (source, options) =>
    (await adkTools(source, options)).map(({ name, requireConfirmation, execute }) => ({
      name,
      asks: (input) => Promise.resolve(requireConfirmation(input)),
      call: (input, abortSignal) => execute(input, abortSignal && { abortSignal }),
    })),
  mastraTools: async (source, options) =>
    (await mastraTools(source, options)).map(({ id, requireApproval, execute }) => ({
      name: id,
      asks: (input) => Promise.resolve(requireApproval(input)),
      call: (input, abortSignal) => execute(input, abortSignal && { abortSignal }),
    })),
};

describe("a person approves calls of destructive tools, also through call_tool", () => {
  for (const [framework, open] of Object.entries(FRAMEWORKS)) {
    test(framework, async () => {
      const asking = async (options?: ApprovalOptions) =>
        await Promise.all((await open(server, options)).map((tool) => tool.asks({})));
      deepStrictEqual(await asking(), [true, false, false]);
      deepStrictEqual(await asking({ needsApproval: () => false }), [false, false, false]);
      deepStrictEqual(await asking({ needsApproval: ({ name }) => name === "refuse" }), [false, false, true]);
      const [search, call] = await open(server, { defer: "all" });
      const dropName = (await open(server))[0]!.name;
      strictEqual(await search?.asks({ query: "drop" }), false);
      strictEqual(await call?.asks({ name: dropName, arguments: {} }), true);
      strictEqual(await call?.asks({ name: "list_tables" }), false);
      strictEqual(await call?.asks(undefined), false);
    });
  }

  test("tanstackTools asks by name: deferred ones have a tool of their own that calls them", async () => {
    const needs = async (options?: ApprovalOptions) =>
      (await tanstackTools(server, options)).map(({ needsApproval }) => needsApproval);
    deepStrictEqual(await needs(), [true, undefined, undefined]);
    deepStrictEqual(await needs({ defer: "all" }), [undefined, undefined, true]);
    deepStrictEqual(await needs({ defer: "all", alwaysLoad: ["drop-table"] }), [true, undefined, undefined]);
    const [, call, callApart] = await tanstackTools(server, { defer: "all" });
    await rejects(call!.execute({ name: "drop-table", arguments: { name: "users" } }), /with call_destructive_tool/);
    await rejects(callApart!.execute({ name: "list_tables" }), /with call_tool/);
    deepStrictEqual(await callApart!.execute({ name: "drop-table", arguments: { name: "users" } }), {
      dropped: "users",
    });
  });

  test("adapters whose framework asks refuse the option of loops", async () => {
    await rejects(mastraTools(server, { approve: "never" } as never), /there is no option "approve"/);
  });
});

describe("answers, errors and aborts", () => {
  for (const [framework, open] of Object.entries(FRAMEWORKS)) {
    test(framework, async () => {
      const [dropping, , refusing] = await open(server);
      const answer = await dropping!.call({ name: "users" });
      const value = { dropped: "users" };
      deepStrictEqual(answer, framework === "openaiAgentsTools" ? JSON.stringify(value) : value);
      const refused = await refusing!.call({}).catch((thrown: unknown) => thrown);
      match(refused instanceof Error ? refused.message : JSON.stringify(refused), /rate_limited.*Slow down/);
      const invalid = await dropping!.call({ name: 7 }).catch((thrown: unknown) => String(thrown));
      match(typeof invalid === "string" ? invalid : JSON.stringify(invalid), /invalid_input/);
      await rejects(dropping!.call({ name: "users" }, AbortSignal.abort(new Error("enough"))), /enough/);
    });
  }

  test("tanstackTools: pieces are events", async () => {
    const spell = defineTool("spell").describe("Spell").handle(async function* () {
      yield "a";
      yield "b";
    });
    const [tool] = await tanstackTools(createServer({ tools: [spell] }));
    const events: unknown[] = [];
    const emitCustomEvent = (name: string, value: object) => void events.push([name, value]);
    strictEqual(await tool?.execute({}, { emitCustomEvent }), "ab");
    deepStrictEqual(events, [
      ["toolwire.partial", { tool: "spell", piece: "a" }],
      ["toolwire.partial", { tool: "spell", piece: "b" }],
    ]);
  });

  test("googleTools: the answer or the error is an object; it is a callable tool of the SDK", async () => {
    const google = await googleTools(server);
    const calls = [{ id: "1", name: "list_tables", args: {} }, { name: "refuse" }, { name: "gone" }];
    const [listed, refused, unknown] = await google.callTool(calls);
    deepStrictEqual(listed, { functionResponse: { id: "1", name: "list_tables", response: { output: ["users"] } } });
    ok(refused && "error" in refused.functionResponse.response && !("id" in refused.functionResponse));
    match(JSON.stringify(unknown), /There is no tool gone/);
    deepStrictEqual(await google.tool(), google.tools[0]);
  });
});

describe("names, schemas and examples", () => {
  test("names have no characters that a framework replaces or refuses", async () => {
    const tools = ["get-user", "get_user", "7zip", "a.b", "x".repeat(64)].map((name) =>
      defineTool(name).describe("Do").handle(() => name)
    );
    const source = createServer({ tools });
    const agents = (await openaiAgentsTools(source)).map(({ name }) => name);
    const google = await googleTools(source);
    for (const name of agents) match(name, /^[A-Za-z0-9_]{1,64}$/);
    strictEqual(new Set(agents).size, 5);
    deepStrictEqual(agents.slice(1, 4), ["get_user", "7zip", "a_b"]);
    const declared = google.tools[0]!.functionDeclarations.map(({ name }) => name);
    deepStrictEqual(declared, ["get-user", "get_user", "_7zip", "a_b", "x".repeat(64)]);
    deepStrictEqual([...google.names.values()], tools.map((tool) => tool["~definition"].name));
  });

  test("schemas are those of the vendor; examples and outputs go where the framework takes them", async () => {
    const [agents] = await openaiAgentsTools(server);
    deepStrictEqual([agents?.name, agents?.strict, agents?.parameters.required], ["drop_table", true, [
      "name",
      "cascade",
    ]]);
    const [loose] = await openaiAgentsTools(server, { strict: false });
    deepStrictEqual([loose?.strict, loose?.parameters.required], [false, ["name"]]);
    const [adk] = await adkTools(server);
    match(String(adk?.parameters["$schema"]), /2020-12/);
    const [mastra] = await mastraTools(server);
    deepStrictEqual(mastra?.inputExamples, [{ input: { name: "users" } }]);
    strictEqual(mastra?.inputSchema["~standard"].jsonSchema.input()["examples"], undefined);
    deepStrictEqual(mastra?.outputSchema?.["~standard"].jsonSchema.output()["required"], ["dropped"]);
    deepStrictEqual(mastra?.toModelOutput({ a: 1 }), { type: "text", value: '{"a":1}' });
  });
});
