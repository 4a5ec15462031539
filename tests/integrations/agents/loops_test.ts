/** Destructive tools in loops of the application: no call is made without an approval, by its name or by a way round it. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport } from "../../../mod.ts";
import {
  type AgentCall,
  type AgentSource,
  anthropicTools,
  googleTools,
  langchainTools,
  type LoopOptions,
  openaiResponsesTools,
  openaiTools,
} from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { discover } from "../../../src/entries/discovery.ts";

interface Loop {
  readonly names: readonly string[];
  /** Calls a tool as a model does, and returns what the model gets, as text. */
  call(name: string, args: object): Promise<string>;
}

type Open = (source: AgentSource, options?: LoopOptions) => Promise<Loop>;

const LOOPS: Readonly<Record<string, Open>> = {
  openaiTools: async (source, options) => {
    const { tools, run } = await openaiTools(source, options);
    return {
      names: tools.map((tool) => tool.function.name),
      call: async (name, args) =>
        JSON.stringify(
          await run([{ type: "function", id: "1", function: { name, arguments: JSON.stringify(args) } }]),
        ),
    };
  },
  openaiResponsesTools: async (source, options) => {
    const { tools, run } = await openaiResponsesTools(source, options);
    return {
      names: tools.map((tool) => tool.type === "function" ? tool.name : tool.type),
      call: async (name, args) => {
        const item = { type: "function_call", call_id: "1", name, arguments: JSON.stringify(args) };
        return JSON.stringify(await run([item]));
      },
    };
  },
  anthropicTools: async (source, options) => {
    const { tools, run } = await anthropicTools(source, options);
    return {
      names: tools.map(({ name }) => name),
      call: async (name, input) => {
        const block = { type: "tool_use", id: "1", name, input };
        return JSON.stringify(await run([block]));
      },
    };
  },
  googleTools: async (source, options) => {
    const { tools, callTool } = await googleTools(source, options);
    return {
      names: tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
      call: async (name, args) => JSON.stringify(await callTool([{ name, args: { ...args } }])),
    };
  },
  langchainTools: async (source, options) => {
    const tools = await langchainTools(source, options);
    return {
      names: tools.map(({ name }) => name),
      call: async (name, args) => {
        const tool = tools.find((one) => one.name === name);
        return JSON.stringify((await tool!.func(args).next()).value);
      },
    };
  },
};

/** A server with a tool that destroys and one that does not, and what was dropped. */
function tables() {
  const dropped: string[] = [];
  const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true })
    .input(v.object({ table: v.string() }))
    .handle(({ table }) => {
      dropped.push(table);
      return `dropped ${table}`;
    });
  const list = defineTool("list").describe("List the tables").handle(() => ["users"]);
  return { server: createServer({ tools: [drop, list] }), tools: [drop, list], dropped };
}

const USERS = { table: "users" };

for (const [loop, open] of Object.entries(LOOPS)) {
  describe(loop, () => {
    test("a destructive tool is refused with the option to pass; others run", async () => {
      const { server, dropped } = tables();
      const { call } = await open(server);
      match(await call("drop", USERS), /drop.*needs an approval.*approve: \(call\) => boolean.*approve: .*never/);
      match(await call("list", {}), /users/);
      deepStrictEqual(dropped, []);
    });

    test("approve decides, and gets the call", async () => {
      const { server, dropped } = tables();
      const asked: AgentCall[] = [];
      const { call } = await open(server, {
        approve: (one) => {
          asked.push(one);
          return Promise.resolve((one.args as { table: string }).table === "old");
        },
      });
      match(await call("drop", USERS), /did not approve/);
      match(await call("drop", { table: "old" }), /dropped old/);
      match(await call("list", {}), /users/);
      deepStrictEqual(dropped, ["old"]);
      deepStrictEqual(asked.map(({ tool, args }) => ({ tool, args })), [{ tool: "drop", args: USERS }, {
        tool: "drop",
        args: { table: "old" },
      }]);
    });

    test('"never" makes the calls; needsApproval selects them', async () => {
      const { server, dropped } = tables();
      match(await (await open(server, { approve: "never" })).call("drop", USERS), /dropped users/);
      match(await (await open(server, { needsApproval: () => false })).call("drop", USERS), /dropped users/);
      match(await (await open(server, { needsApproval: () => true })).call("list", {}), /needs an approval/);
      deepStrictEqual(dropped, ["users", "users"]);
    });

    test("onElicitation of a client is asked", async () => {
      const { server, dropped } = tables();
      const asked: string[] = [];
      const answers = ["accept", "decline"] as const;
      const client = createClient(memoryTransport(server), {
        onElicitation: ({ tool, message }) => ({ action: answers[asked.push(`${tool}: ${message}`) - 1] ?? "cancel" }),
      });
      const { call } = await open(client);
      match(await call("drop", USERS), /dropped users/);
      match(await call("drop", USERS), /did not approve/);
      deepStrictEqual(dropped, ["users"]);
      strictEqual(asked[0], 'drop: Allow the model to call "drop" with {"table":"users"}?');
    });

    test("an approval that is not true refuses the call; one that throws rejects", async () => {
      const { server, dropped } = tables();
      const odd = { approve: () => "yes" } as unknown as LoopOptions;
      match(await (await open(server, odd)).call("drop", USERS), /did not approve/);
      const broken = { approve: () => Promise.reject(new Error("no terminal")) };
      await rejects((await open(server, broken)).call("drop", USERS), /no terminal/);
      await rejects(open(server, { approve: true } as unknown as LoopOptions), /approve.*a function, or "never"/);
      deepStrictEqual(dropped, []);
    });
  });
}

describe("through call_tool", () => {
  for (const loop of ["openaiTools", "googleTools", "langchainTools"]) {
    test(`${loop}: a deferred tool is approved as by its name`, async () => {
      const { server, dropped } = tables();
      const { call, names } = await LOOPS[loop]!(server, { defer: "all" });
      deepStrictEqual(names, ["search_tools", "call_tool"]);
      match(await call("call_tool", { name: "drop", arguments: USERS }), /needs an approval/);
      match(await call("call_tool", { name: "list" }), /users/);
      deepStrictEqual(dropped, []);
    });
  }

  test('langchainTools: with "never" LangGraph interrupts by name, so that such tools keep their names', async () => {
    const { server, dropped } = tables();
    const { call, names } = await LOOPS["langchainTools"]!(server, { defer: "all", approve: "never" });
    deepStrictEqual(names, ["drop", "search_tools", "call_tool"]);
    match(await call("call_tool", { name: "drop", arguments: USERS }), /tool_not_found/);
    deepStrictEqual(dropped, []);
  });

  for (const [loop, open] of Object.entries(LOOPS)) {
    test(`${loop}: a server with discover() has another tool for destructive ones, which is destructive itself`, async () => {
      const { tools, dropped } = tables();
      const server = createServer({ tools, discovery: discover({ when: "always" }) });
      const { call, names } = await open(server);
      ok(names.includes("call_destructive_tool"));
      match(await call("call_tool", { name: "drop", arguments: USERS }), /call_destructive_tool/);
      match(await call("call_destructive_tool", { name: "drop", arguments: USERS }), /needs an approval/);
      match(await call("call_tool", { name: "list" }), /users/);
      deepStrictEqual(dropped, []);
      const approving = await open(server, { approve: () => true });
      match(await approving.call("call_destructive_tool", { name: "drop", arguments: USERS }), /dropped users/);
    });
  }
});
