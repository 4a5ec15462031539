/**
 * The real packages: each framework's loop with each kind of tool, over every wire. Models are scripted; requests that break the
 * published rules are refused by what stands in for the hosted ones.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual, throws } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createClient, createServer, defineTool } from "../../../mod.ts";
import { type AgentSource, aiSdkTools, langchainTools, openaiTools } from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { runtime } from "../../runtime/runtime.ts";
import { overlap } from "../../overlap.ts";
import { carries, type WireRow, WIRES, wires } from "../../wires/matrix.ts";
import { createAgentFixture } from "./fixture.ts";
import {
  loadExample,
  loadModule,
  type RunAgent,
  type Script,
  type ScriptedCall,
  skip,
  type StartModel,
} from "./frameworks.ts";
import { createManyTools } from "./many_tools.ts";
import { schemaOf, STRICT_CASES } from "./strict_cases.ts";

const AGENTS = [
  ["OpenAI, Chat Completions", "openai.ts", "runOpenAi", "call_tool"],
  ["OpenAI, Responses", "openai_responses.ts", "runOpenAiResponses", "loads"],
  ["Anthropic, Messages", "anthropic.ts", "runAnthropic", "loads"],
  ["AI SDK", "ai_sdk.ts", "runAiSdk", "loads"],
  ["LangChain", "langchain.ts", "runLangChain", "call_tool"],
  ["OpenAI, Agents SDK", "openai_agents.ts", "runOpenAiAgents", "loads"],
  ["Google, Gen AI SDK", "google_genai.ts", "runGoogle", "call_tool"],
  ["Google, ADK", "adk.ts", "runAdk", "call_tool"],
  ["Mastra", "mastra.ts", "runMastra", "call_tool"],
  ["TanStack AI", "tanstack.ts", "runTanStack", "call_tool"],
] as const;

/** Frameworks that can ask a person before a call. */
const ASKING: readonly string[] = ["ai_sdk.ts", "openai_agents.ts", "adk.ts", "mastra.ts", "tanstack.ts"];

/** One tool among 500. */
const WANTED = "git_create_label";

const [MEMORY] = WIRES as readonly [WireRow, ...WireRow[]];

/** A call that answers; two at once, one streamed and one promised; one that fails, one that asks, one refused; alternatives. */
const SCRIPT: Script = [
  [{ name: "math_add", args: { a: 1, b: 2 } }],
  [{ name: "tell_story", args: { about: "an agent" } }, { name: "bake_cake", args: { layers: 2 } }],
  [{ name: "open_door", args: {} }],
  [{ name: "delete_record", args: { id: "7" } }],
  [{ name: "get_rate", args: {} }],
  [{ name: "draw", args: { input: { shape: "square", side: 2 } } }],
];

/** What a model and the application receive over a wire, as far as the wire can express it. */
async function check(run: RunAgent, source: AgentSource, wire: WireRow): Promise<void> {
  const progress: number[] = [];
  const pieces: unknown[] = [];
  const reported = (await run(source, SCRIPT, {
    onProgress: ({ done }) => progress.push(done),
    onPartial: (piece) => pieces.push(piece),
  })).split("\n");
  deepStrictEqual(reported.slice(0, 3), ['{"sum":3}', "Once upon a time there was an agent.", "a cake of 2 layers"]);
  deepStrictEqual(reported.slice(3, 5), ["The tool says no (locked): The door is locked", 'Data: {"by":"Ada"}']);
  const rest = reported.slice(6);
  match(rest[0] ?? "", /elicitation/);
  match(rest[1] ?? "", /: Delete record 7\?/);
  match(rest[3] ?? "", /rate_limited.*Slow down/);
  strictEqual(rest.at(-1), "square 2");
  if (carries(wire, "pieces of answers")) deepStrictEqual(pieces, ["Once upon a time ", "there was an agent."]);
  // Where nothing streams, work is asked for now and then: what is over in between is not seen.
  ok(carries(wire, "pieces of answers") ? progress.includes(2) : progress.length > 0, `progress: ${progress}`);
}

async function checkOver(run: RunAgent, wire: WireRow): Promise<void> {
  const { server } = createAgentFixture(...wires);
  const { transport, close } = await wire.open(server);
  try {
    await check(run, createClient(transport), wire);
  } finally {
    transport.close?.();
    await close();
    await server.close();
  }
}

for (const [name, file, exported, calls] of AGENTS) {
  describe(name, { skip }, () => {
    const isNative = calls === "loads";
    const load = async () => await loadExample(file, exported) as RunAgent;

    test("a server of this process", async () => {
      const { server } = createAgentFixture();
      await check(await load(), server, MEMORY);
      await server.close();
    });

    // Most of the time the models wait for promises. Adapters are the same on all runtimes: one of them goes over each wire everywhere.
    const isRunHere = runtime === "bun" || file === "openai.ts";
    const skipHere = ({ skip }: WireRow) =>
      skip ?? (isRunHere ? undefined : "Bun runs it over each wire: once is enough");
    const rows = WIRES.filter((wire) => skipHere(wire) === undefined);
    const bodies = overlap(rows.map((wire) => async () => await checkOver(await load(), wire)));
    for (const [index, wire] of rows.entries()) test(wire.name, bodies[index]);
    for (const wire of WIRES) {
      const skip = skipHere(wire);
      if (skip !== undefined) test(wire.name, { skip }, () => {});
    }

    test("500 tools: the model searches, and calls what it found", async () => {
      const run = await load();
      const server = createManyTools();
      const args = { workspace: "w1" };
      const found: ScriptedCall = isNative
        ? { name: WANTED, args }
        : { name: "call_tool", args: { name: WANTED, arguments: args } };
      const script = [[{ name: "search_tools", args: { query: "create label git" } }], [found]];
      const reported = (await run(server, script, { defer: "all" })).split("\n");
      match(reported[0] ?? "", /git_create_label/);
      strictEqual(reported.at(-1), "create label of git in w1");
      await server.close();
    });

    test(
      "a destructive tool waits for a person",
      { skip: !ASKING.includes(file) && "the framework has no such hook" },
      async () => {
        let count = 0;
        const drop = defineTool("drop").describe("Drop a table").annotate({ destructiveHint: true }).handle(() => {
          count++;
          return "dropped";
        });
        const server = createServer({ tools: [drop] });
        const run = await load();
        const script = [[{ name: "drop", args: {} }]];
        doesNotMatch(await run(server, script), /dropped/);
        strictEqual(count, 0);
        strictEqual(await run(server, script, { needsApproval: () => false } as object), "dropped");
        strictEqual(count, 1);
      },
    );

    test("a client that answers what tools ask", async () => {
      const { server } = createAgentFixture(...wires);
      const { transport, close } = await MEMORY.open(server);
      const client = createClient(transport, {
        onElicitation: () => ({ action: "accept", content: { confirmed: true } }),
      });
      const run = await load();
      strictEqual(await run(client, [[{ name: "delete_record", args: { id: "7" } }]]), "deleted");
      await close();
    });
  });
}

describe("what stands in for the hosted models refuses what breaks the published rules", { skip }, () => {
  const fine = {
    type: "function",
    function: { name: "it", parameters: { type: "object", properties: {} }, strict: false },
  };
  const described = (changes: object) => ({ ...fine, function: { ...fine.function, ...changes } });
  const user = { role: "user", content: "Hello" };
  const asked = { role: "assistant", tool_calls: [{ id: "1", type: "function", function: {} }] };
  const open = { type: "object", properties: { a: { type: "string" } } };
  const broken: Readonly<Record<string, object>> = {
    "a name with a dot": { tools: [described({ name: "a.b" })] },
    "a name that is too long": { tools: [described({ name: "x".repeat(65) })] },
    "two tools of one name": { tools: [fine, fine] },
    "alternatives at the root": { tools: [described({ parameters: { type: "object", properties: {}, anyOf: [] } })] },
    "no properties": { tools: [described({ parameters: { type: "object" } })] },
    "strict, and open": { tools: [described({ strict: true, parameters: open })] },
    "strict, and optional": {
      tools: [described({ strict: true, parameters: { ...open, additionalProperties: false } })],
    },
    "a call without an answer": { messages: [user, asked] },
    "an answer without a call": {
      messages: [user, asked, { role: "tool", tool_call_id: "1", content: "x" }, {
        role: "tool",
        tool_call_id: "2",
        content: "y",
      }],
    },
    "an answer without text": { messages: [user, asked, { role: "tool", tool_call_id: "1", content: "" }] },
  };

  test("OpenAI", async () => {
    const start = await loadExample("scripted/openai.ts", "startOpenAi") as StartModel;
    const model = await start([]);
    const post = async (changes: object) => {
      const { status } = await fetch(`${model.url}/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer none" },
        body: JSON.stringify({ model: "m", messages: [user], tools: [fine], ...changes }),
      });
      return status;
    };
    try {
      strictEqual(await post({}), 200);
      for (const [what, changes] of Object.entries(broken)) strictEqual(await post(changes), 400, what);
    } finally {
      await model.close();
    }
  });
});

describe("the packages themselves", { skip }, () => {
  const spell = defineTool("spell").describe("Spell").input(v.object({ by: v.record(v.string(), v.string()) }))
    .handle(async function* () {
      yield "a";
      yield "b";
    });

  test("the AI SDK takes schemas as they are, pieces as preliminary results, and the whole as the result", async () => {
    const { asSchema, executeTool } = await loadModule("@ai-sdk/provider-utils/dist/index.js") as {
      readonly asSchema: (schema: unknown) => { readonly jsonSchema: unknown };
      readonly executeTool: (call: object) => AsyncIterable<unknown>;
    };
    const server = createServer({ tools: [spell] });
    const { spell: tool } = await aiSdkTools(server);
    deepStrictEqual(await asSchema(tool?.inputSchema).jsonSchema, server.tools[0]?.inputSchema);
    const results: unknown[] = [];
    const options = { toolCallId: "1", messages: [], context: {} };
    for await (const result of executeTool({ tool, input: { by: {} }, options })) results.push(result);
    deepStrictEqual(results, [
      { type: "preliminary", output: "a" },
      { type: "preliminary", output: "ab" },
      { type: "preliminary", output: "ab" },
      { type: "final", output: "ab" },
    ]);
  });

  test("LangChain takes pieces as events of the tool, and the answer itself as the message's artifact", async () => {
    const { DynamicStructuredTool } = await loadModule("@langchain/core/dist/tools/index.js") as {
      readonly DynamicStructuredTool: new (tool: object) => {
        invoke(call: object, config: object): Promise<Record<string, unknown>>;
      };
    };
    const [definition] = await langchainTools(createServer({ tools: [spell] }));
    const events: unknown[] = [];
    const callbacks = [{ handleToolEvent: (event: unknown) => void events.push(event), awaitHandlers: true }];
    const call = { type: "tool_call", id: "1", name: "spell", args: { by: {} } };
    const message = await new DynamicStructuredTool(definition!).invoke(call, { callbacks });
    deepStrictEqual(events, ["a", "b"]);
    deepStrictEqual([message["content"], message["artifact"]], ["ab", { value: "ab", error: undefined }]);
  });

  test("a refusal is an error for LangChain: the message's status, inside an agent and for one tool", async () => {
    const { DynamicStructuredTool } = await loadModule("@langchain/core/dist/tools/index.js") as {
      readonly DynamicStructuredTool: new (tool: object) => {
        invoke(call: object, config?: object): Promise<Record<string, unknown>>;
      };
    };
    const { ToolNode } = await loadModule("langchain/dist/agents/nodes/ToolNode.js") as {
      readonly ToolNode: new (tools: readonly object[]) => {
        invoke(state: object): Promise<{ readonly messages: readonly Record<string, unknown>[] }>;
      };
    };
    const { AIMessage, ToolMessage } = await loadModule("@langchain/core/dist/messages/index.js") as {
      readonly AIMessage: new (fields: object) => object;
      readonly ToolMessage: { isInstance(value: unknown): boolean };
    };
    const tools = (await langchainTools(createAgentFixture().server)).map((tool) => new DynamicStructuredTool(tool));
    const calls = [
      { type: "tool_call", id: "1", name: "open_door", args: {} },
      { type: "tool_call", id: "2", name: "math_add", args: { a: 1, b: 2 } },
    ];
    const { messages } = await new ToolNode(tools).invoke({
      messages: [new AIMessage({ content: "", tool_calls: calls })],
    });
    const seen = messages.slice(-2);
    ok(seen.every((message) => ToolMessage.isInstance(message)));
    deepStrictEqual(seen.map(({ status, tool_call_id: id, name }) => [id, name, status]), [
      ["1", "open_door", "error"],
      ["2", "math_add", "success"],
    ]);
    match(String(seen[0]?.["content"]), /^The tool says no \(locked\): The door is locked/);
    const artifact = seen[0]?.["artifact"] as { readonly value: unknown; readonly error: { readonly code: string } };
    deepStrictEqual([artifact.value, artifact.error.code], [undefined, "locked"]);
    const events: string[] = [];
    const callbacks = [{
      handleToolStart: () => void events.push("start"),
      handleToolEnd: () => void events.push("end"),
    }];
    const door = tools.find((tool) => (tool as unknown as { name: string }).name === "open_door")!;
    strictEqual((await door.invoke(calls[0]!, { callbacks }))["status"], "error");
    deepStrictEqual(events, ["start", "end"]);
    // Without the id of a call there is no message; LangChain returns the text.
    match(String(await door.invoke({})), /^The tool says no/);
  });
});

describe("the packages' own words", { skip }, () => {
  test("the examples, and so every type of the entry, check against the packages' types", {
    skip: runtime !== "bun" && "once is enough",
    timeout: 120_000,
  }, () => {
    const root = fileURLToPath(new URL("../../../", import.meta.url));
    const tsc = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url));
    const { status, stdout } = spawnSync(tsc, ["-p", "examples/agents", "--noEmit"], { cwd: root, encoding: "utf8" });
    strictEqual(status, 0, stdout);
  });

  test("what is strict here is strict for toStrictJsonSchema() of openai, and left as it is", async () => {
    const { toStrictJsonSchema } = await loadModule("openai/lib/transform.mjs") as {
      readonly toStrictJsonSchema: (schema: unknown) => unknown;
    };
    let strict = 0;
    for (const one of STRICT_CASES) {
      const { tools: [tool] } = await openaiTools({
        call: () => ({ kind: "answer", value: null }),
        list: () => [{ name: "it", inputSchema: schemaOf(one) }],
      });
      if (!tool?.function.strict) continue;
      strict++;
      deepStrictEqual(toStrictJsonSchema(tool.function.parameters), tool.function.parameters, one.name);
    }
    ok(strict > 10);
    throws(() => toStrictJsonSchema({ type: "object", properties: { a: { type: "string" } } }), /optional/);
  });
});
