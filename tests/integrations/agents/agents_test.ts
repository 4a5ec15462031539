/** What the adapters of `./agents` have in common, without any framework: names, schemas, explanations, aborts, promises. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool, memoryTransport, type Progress, ToolError } from "../../../mod.ts";
import {
  type AgentSource,
  aiSdkTools,
  anthropicTools,
  langchainTools,
  openaiResponsesTools,
  openaiTools,
} from "../../../src/entries/agents.ts";
import * as v from "../../../src/entries/schema.ts";
import { overlap } from "../../overlap.ts";
import { WIRES, wires } from "../../wires/matrix.ts";
import { type AgentServer, createAgentFixture } from "./fixture.ts";
import type { Transport } from "../../../src/entries/wire.ts";

/** Calls one tool as an OpenAI model would. */
async function callOne(source: AgentSource, name: string, args: unknown, options = {}): Promise<string> {
  const { run } = await openaiTools(source, options);
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const [message] = await run([{ type: "function", id: "call_1", function: { name, arguments: text } }]);
  strictEqual(message?.tool_call_id, "call_1");
  strictEqual(message.role, "tool");
  return message.content;
}

/** A transport to a server of others, which lists what it likes. */
function lists(tools: readonly Record<string, unknown>[]): Transport {
  return {
    call: ({ tool, args }) => ({ kind: "answer", value: { tool, args } }),
    list: () => tools as Awaited<ReturnType<Transport["list"]>> as never,
  };
}

/** The tools of the fixture; the server's own are not among them. */
const TOOLS = createAgentFixture().server.tools.map(({ name }) => name).slice(2);

describe("over every wire", () => {
  const rows = WIRES.filter(({ skip }) => skip === undefined);
  for (const { name, skip } of WIRES) if (skip !== undefined) test(name, { skip }, () => {});
  const bodies = overlap(rows.map(({ open }) => async () => {
    const { server } = createAgentFixture(...wires);
    const { transport, close } = await open(server);
    try {
      const { names } = await openaiTools(transport);
      deepStrictEqual([...names.values()], TOOLS);
      strictEqual(await callOne(transport, "math_add", { a: 1, b: null }), '{"sum":11}');
      strictEqual(await callOne(transport, "tell_story", { about: "a tool" }), "Once upon a time there was a tool.");
      strictEqual(await callOne(transport, "bake_cake", { layers: 3 }), "a cake of 3 layers");
      match(await callOne(transport, "open_door", {}), /locked.*The door is locked\nData: {"by":"Ada"}/);
      match(await callOne(transport, "delete_record", { id: "7" }), /: Delete record 7\? The answer has to fit {/);
      match(await callOne(transport, "get_rate", {}), /rate_limited.*Slow down/);
      strictEqual(await callOne(transport, "draw", { input: { shape: "square", side: 2 } }), "square 2");
      strictEqual(await callOne(transport, "do_nothing", ""), "Done. The tool returned nothing.");
      const deferred = { defer: "all" };
      match(await callOne(transport, "search_tools", { query: "add numbers" }, deferred), /"name":"math_add"/);
      const found = { name: "tell_story", arguments: { about: "a search" } };
      strictEqual(await callOne(transport, "call_tool", found, deferred), "Once upon a time there was a search.");
    } finally {
      transport.close?.();
      await close();
      await server.close();
    }
  }));
  for (const [index, { name }] of rows.entries()) test(name, bodies[index]);
});

describe("sources", () => {
  test("a server, a typed client, an untyped client and a transport give the same tools", async () => {
    const { server } = createAgentFixture();
    const transport = memoryTransport(server);
    const sources = [server, createClient<AgentServer>(transport), createClient(transport), transport];
    const [first, ...others] = await Promise.all(sources.map(async (source) => (await openaiTools(source)).tools));
    strictEqual(first?.length, 10);
    for (const other of others) deepStrictEqual(other, first);
    await server.close();
  });

  test("a client's own options hold: it answers what tools ask", async () => {
    const { server } = createAgentFixture();
    const client = createClient(memoryTransport(server), {
      onElicitation: () => ({ action: "accept", content: { confirmed: true } }),
    });
    strictEqual(await callOne(client, "delete_record", { id: "7" }), "deleted");
  });

  test("a server that cannot be listed rejects", async () => {
    const transport: Transport = {
      call: () => ({ kind: "error", code: "unavailable", message: "gone" }),
      list: () => ({ kind: "error", code: "unauthenticated", message: "Who are you?" }),
    };
    await rejects(aiSdkTools(transport), { name: "ToolError", code: "unauthenticated" });
  });
});

describe("names", () => {
  const long = `${"x".repeat(80)}.a`;
  const tools = ["a.b", "a_b", "a/b", "fine-1", "ümlaut", long, `${"x".repeat(80)}.b`];

  test("fit every framework, stay where they fit, and lead back", async () => {
    const { tools: listed, names, run } = await anthropicTools(lists(tools.map((name) => ({ name }))));
    const given = listed.map(({ name }) => name);
    strictEqual(new Set(given).size, tools.length);
    for (const name of given) match(name, /^[A-Za-z0-9_-]{1,64}$/);
    deepStrictEqual(given.filter((name) => tools.includes(name)), ["a_b", "fine-1"]);
    deepStrictEqual(given.map((name) => names.get(name)), tools);
    const blocks = given.map((name, index) => ({ type: "tool_use", id: `toolu_${index}`, name, input: {} }));
    deepStrictEqual((await run(blocks)).map(({ content }) => JSON.parse(String(content)).tool), tools);
  });

  test("do not depend on the order of the tools", async () => {
    const namesOf = async (order: readonly string[]) => {
      const { names } = await openaiTools(lists(order.map((name) => ({ name }))));
      return new Map([...names].map(([name, tool]) => [tool, name]));
    };
    const [one, other] = [await namesOf(["a_b", "a.b", long]), await namesOf([long, "a.b", "a_b"])];
    for (const [tool, name] of one) strictEqual(other.get(tool), name);
  });

  test("that a model makes up are explained", async () => {
    const { server } = createAgentFixture();
    const text = await callOne(server, "open_window", {});
    match(text, /tool_not_found.*There is no tool open_window/);
    match(text, /\nCall one of these: .*open_door/);
    match(await callOne(server, "constructor", {}), /tool_not_found/);
  });

  test("that a model makes up are answered with at most 50 names, and the close one if there is one", async () => {
    const many = lists(Array.from({ length: 700 }, (_, index) => ({ name: `list_${"x".repeat(50)}_${index}` })));
    const text = await callOne(many, "get_weather", {});
    strictEqual(text.match(/list_x+_\d+/g)?.length, 50);
    match(
      await callOne(many, `list_${"x".repeat(50)}_6999`, {}),
      /There is no tool list_x+_6999\nDid you mean 'list_x+_699'\?$/,
    );
    ok((await callOne(many, "z".repeat(100_000), {})).length < 5_000);
  });
});

describe("which tools", () => {
  test("select chooses, and what is not chosen cannot be called", async () => {
    const { server } = createAgentFixture();
    const options = { select: ({ name }: { readonly name: string }) => name.startsWith("tell") };
    deepStrictEqual(Object.keys(await aiSdkTools(server, options)), ["tell_story"]);
    match(await callOne(server, "open_door", {}, options), /tool_not_found/);
  });

  test("system tools are not there; a tool of others that is called cancel is", async () => {
    const { server } = createAgentFixture();
    ok(server.tools.some(({ name }) => name === "redeem"));
    const offered = (await langchainTools(server)).map(({ name }) => name);
    ok(!offered.includes("redeem") && !offered.includes("cancel"));
    const { names } = await openaiTools(lists([{ name: "cancel", inputSchema: { type: "object" } }]));
    deepStrictEqual([...names.keys()], ["cancel"]);
  });

  test("promises: shown gives the model the token, and the tools for it", async () => {
    const { server } = createAgentFixture();
    const { run, names } = await openaiTools(server, { promises: "shown" });
    ok(names.has("redeem") && names.has("cancel"));
    const ask = async (name: string, args: unknown) => {
      const called = { name, arguments: JSON.stringify(args) };
      const [message] = await run([{ type: "function", id: "call_1", function: called }]);
      return message?.content ?? "";
    };
    const promised = await ask("bake_cake", { layers: 3 });
    const [promise] = /prom_[\w-]+/.exec(promised) ?? [];
    match(promised, /redeem/);
    strictEqual(await ask("redeem", { promise, wait_ms: 20_000 }), "a cake of 3 layers");
    match(await ask("open_door", {}), /locked/);
    match(await ask("delete_record", { id: "7" }), /Delete record 7\?/);
    match(await ask("redeem", { promise: "prom_forged" }), /invalid_promise/);
    match(await ask("math_add", { a: 1, b: 2 }), /"sum":3/);
    const { bake_cake: bake } = await aiSdkTools(server, { promises: "shown" });
    const results: unknown[] = [];
    for await (const result of bake!.execute({ layers: 3 }, { toolCallId: "1" })) results.push(result);
    match(String(results), /^The work goes on.*prom_/);
    await server.close();
  });
});

describe("explanations", () => {
  test("a failure has its code, its message, its data and what to do", async () => {
    strictEqual(
      await callOne(createAgentFixture().server, "open_door", {}),
      'The tool says no (locked): The door is locked\nData: {"by":"Ada"}\n' +
        "The same call fails again: act on the reason, or tell the user.",
    );
  });

  test("errors of wrong arguments have their path", async () => {
    const text = await callOne(createAgentFixture().server, "math_add", { a: "one" });
    match(text, /^The call failed \(invalid_input\)/);
    match(text, /^- a: /m);
    match(text, /Mend the arguments/);
  });

  for (const text of ["{", "[]", "null", '"x"', "{}x", "[".repeat(1e5), `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`]) {
    test(`what is not a JSON object is explained: ${text.slice(0, 5)}`, async () => {
      match(await callOne(createAgentFixture().server, "math_add", text), /invalid_input.*not a JSON object/);
    });
  }

  test("what breaks stays masked", async () => {
    const text = await callOne(createAgentFixture().server, "break_down", {});
    match(text, /^The call failed \(internal\)/);
    doesNotMatch(text, /secret/);
  });

  test("a question tells what is asked, and what an answer has to be", async () => {
    const text = await callOne(createAgentFixture().server, "delete_record", { id: "7" });
    match(text, /\(elicitation\)/);
    match(text, /- confirm: Delete record 7\? The answer has to fit {"type":"object"/);
    match(text, /Tell the user/);
  });

  test("an Anthropic result has is_error for an error only", async () => {
    const { run } = await anthropicTools(createAgentFixture().server);
    const results = await run([
      { type: "text" },
      { type: "tool_use", id: "1", name: "open_door", input: {} } as { type: string },
      { type: "tool_use", id: "2", name: "math_add", input: { a: 1 } } as { type: string },
    ]);
    deepStrictEqual(results.map(({ tool_use_id: id, is_error }) => [id, is_error]), [["1", true], ["2", undefined]]);
    deepStrictEqual(results[1], { type: "tool_result", tool_use_id: "2", content: '{"sum":11}' });
  });

  test("the answer to a call of Responses repeats its caller and its namespace", async () => {
    const { run } = await openaiResponsesTools(createAgentFixture().server);
    const caller = { type: "program", caller_id: "prog_1" };
    const call = { type: "function_call", call_id: "1", name: "math_add", arguments: '{"a":1,"b":2}' };
    const calls = [{ ...call, caller, namespace: "math" }, { ...call, caller: null }, call];
    const answer = { type: "function_call_output", call_id: "1", output: '{"sum":3}' };
    deepStrictEqual(await run(calls), [{ ...answer, caller, namespace: "math" }, { ...answer, caller: null }, answer]);
  });

  test("the AI SDK gets an exception whose message is the explanation", async () => {
    const tools = await aiSdkTools(createAgentFixture().server);
    const results = tools["open_door"]!.execute({}, { toolCallId: "1" })[Symbol.asyncIterator]();
    await rejects(results.next(), (error: Error) => {
      match(error.message, /The tool says no \(locked\)/);
      deepStrictEqual((error.cause as { data: unknown }).data, { by: "Ada" });
      return true;
    });
  });
});

describe("while a call runs", () => {
  test("onProgress and onPartial get the call that they belong to", async () => {
    const reported: unknown[] = [];
    const { run } = await openaiResponsesTools(createAgentFixture().server, {
      onProgress: ({ done, total }: Progress, { tool, id }) => reported.push([tool, id, done, total]),
      onPartial: (piece, { tool, args }) => reported.push([tool, args, piece]),
    });
    const item = (id: string, name: string, args: string) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: args,
    });
    const outputs = [
      ...await run([{ type: "reasoning" }, item("1", "bake_cake", '{"layers":2}')]),
      ...await run([item("2", "tell_story", '{"about":"you"}')]),
    ];
    deepStrictEqual(outputs.map((item) => [item.call_id, "output" in item && item.output]), [
      ["1", "a cake of 2 layers"],
      ["2", "Once upon a time there was you."],
    ]);
    deepStrictEqual(reported.at(0), ["bake_cake", "1", 1, 2]);
    deepStrictEqual(reported.slice(-2), [
      ["tell_story", { about: "you" }, "Once upon a time "],
      ["tell_story", { about: "you" }, "there was you."],
    ]);
  });

  test("calls of one message run at the same time, and are answered in its order", async () => {
    const gate = Promise.withResolvers<void>();
    const first = defineTool("first").describe("Waits for the second").handle(async () => {
      await gate.promise;
      return "1";
    });
    const second = defineTool("second").describe("Lets the first go").handle(() => {
      gate.resolve();
      return "2";
    });
    const { run } = await openaiTools(createServer({ tools: [first, second] }));
    const messages = await run(
      ["first", "second", "custom"].map((name) =>
        name === "custom"
          ? { type: "custom", id: name }
          : { type: "function", id: name, function: { name, arguments: "{}" } }
      ),
    );
    deepStrictEqual(messages.map(({ content }) => content), ["1", "2"]);
    deepStrictEqual(await run(undefined), []);
    deepStrictEqual(await run(null), []);
  });

  const aborted: Readonly<Record<string, (source: AgentSource, signal: AbortSignal) => Promise<unknown>>> = {
    async OpenAI(source, signal) {
      const { run } = await openaiTools(source);
      await run([{ type: "function", id: "1", function: { name: "wait_long", arguments: "{}" } }], { signal });
    },
    async Anthropic(source, signal) {
      const { run } = await anthropicTools(source);
      const block = { type: "tool_use", id: "1", name: "wait_long", input: {} };
      await run([block], { signal });
    },
    async "AI SDK"(source, signal) {
      const tools = await aiSdkTools(source);
      const results = tools["wait_long"]!.execute({}, { toolCallId: "1", abortSignal: signal });
      await results[Symbol.asyncIterator]().next();
    },
    async LangChain(source, signal) {
      const tools = await langchainTools(source);
      await tools.find(({ name }) => name === "wait_long")!.func({}, undefined, { signal }).next();
    },
  };
  for (const [framework, wait] of Object.entries(aborted)) {
    test(`an abort by ${framework} reaches the handler, and rejects with its reason`, async () => {
      const { server, seen } = createAgentFixture();
      const leaving = new AbortController();
      const waiting = wait(server, leaving.signal);
      waiting.catch(() => {});
      while (!seen.includes("waits")) await new Promise((resolve) => setTimeout(resolve, 1));
      // Even an explainable reason is not for the model: no call waits for it any more.
      leaving.abort(new ToolError("cancelled", "enough"));
      await rejects(waiting, { name: "ToolError", message: "enough" });
      await server.close();
      deepStrictEqual(seen, ["waits", "aborted"]);
    });
  }

  test("timeoutMs ends a call, with an explanation", async () => {
    const { server } = createAgentFixture();
    match(await callOne(server, "wait_long", {}, { timeoutMs: 20 }), /deadline_exceeded/);
    await server.close(0);
  });

  test("what the caller's own function throws is its own", async () => {
    const onPartial = () => {
      throw new RangeError("mine");
    };
    await rejects(callOne(createAgentFixture().server, "tell_story", { about: "x" }, { onPartial }), {
      name: "RangeError",
    });
  });

  test("the AI SDK gets what there is so far, and at last the whole", async () => {
    const tools = await aiSdkTools(createAgentFixture().server);
    const results: unknown[] = [];
    for await (const result of tools["tell_story"]!.execute({ about: "x" }, { toolCallId: "1" })) results.push(result);
    const whole = "Once upon a time there was x.";
    deepStrictEqual(results, ["Once upon a time ", whole, whole]);
  });
});

describe("schemas", () => {
  test("what has alternatives at its root becomes one property, and is sent as it was", async () => {
    const { server } = createAgentFixture();
    const tools = await langchainTools(server);
    const schema = tools.find(({ name }) => name === "draw")?.schema;
    deepStrictEqual(Object.keys(schema?.["properties"] as object), ["input"]);
    strictEqual(await callOne(server, "draw", { input: { shape: "circle", radius: 1 } }), "circle 1");
  });

  test("langchainTools() refuses strict without a vendor, which would change nothing", async () => {
    const { server } = createAgentFixture();
    await rejects(langchainTools(server, { strict: true }), {
      name: "TypeError",
      message: 'Cannot give tools to a model: strict needs vendor: "anthropic". For models of OpenAI, write: ' +
        "model.bindTools(tools, { strict: true })",
    });
    strictEqual((await langchainTools(server, { strict: false })).length > 0, true);
  });

  test("a tool without a schema takes anything, and its schema names no properties", async () => {
    const [tool] = (await openaiTools(lists([{ name: "any" }]))).tools;
    deepStrictEqual(tool, {
      type: "function",
      function: { name: "any", parameters: { properties: {}, type: "object" }, strict: false },
    });
  });

  test("strict: false turns strict mode off, and schemas are as they were", async () => {
    const tool = defineTool("t").describe("T").input(v.object({ a: v.optional(v.string()) })).handle(({ a }) =>
      a ?? "-"
    );
    const server = createServer({ tools: [tool] });
    const [described] = (await openaiTools(server, { strict: false })).tools;
    deepStrictEqual(described?.function.parameters, { type: "object", properties: { a: { type: "string" } } });
    strictEqual(described?.function.strict, false);
    strictEqual(await callOne(server, "t", { a: null }, { strict: false }), "-");
    strictEqual(await callOne(server, "t", { a: null }), "-");
  });
});
