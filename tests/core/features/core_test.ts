/** The entry ./core: plain calls without an engine and keys; each feature arrives with the value that brings it. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import {
  type AnyTool,
  createClient,
  createServer,
  defineTool,
  memoryTransport,
  originPolicy,
  toolConfig,
  toolDefiner,
} from "../../../src/entries/core.ts";
import type { CoreServerOptions } from "../../../src/entries/core.ts";
import { compiledChecks, valibotJsonSchema } from "../../../src/entries/schema.ts";
import { jsonSchema } from "../../../src/entries/json_schema.ts";
import { keyRing, withQuestions } from "../../../src/entries/keys.ts";
import { type Engine, memoryEngine, withPromises } from "../../../src/entries/engines.ts";
import { createServer as createFrontDoorServer, defineCallerState } from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { defineResource, mcp, mcpCatalog, mcpTasks, mcpTransport } from "../../../src/entries/mcp.ts";
import { KeptLog } from "../dispatch/harness.ts";

const KEYS = "k1:a secret of at least thirty-two bytes";
const Pair = jsonSchema<{ a: number; b: number }>({
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
});
const t = defineTool("t").describe("T");
const add = defineTool("add").describe("Add two numbers").input(Pair).handle(({ a, b }) => a + b);
const count = defineTool("count").describe("Count").handle(async function* () {
  yield "a";
  yield "b";
});

type Options = Partial<CoreServerOptions<readonly AnyTool[]>>;

/** Calls a tool over MCP-lite; gives the JSON-RPC response. */
async function rpc(tool: AnyTool, params: object = {}, options: Options = {}): Promise<Record<string, unknown>> {
  const { fetch } = createServer({ ...options, tools: [tool] });
  const response = await fetch(post("/mcp-lite/v1/rpc", "tools/call", { name: tool.name, ...params }));
  return await response.json();
}

function post(path: string, method: string, params: object, accept = "application/json"): Request {
  return new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** The code of an error, or the type of a result. */
function kindOf(response: Record<string, unknown>): unknown {
  const { error, result } = response as {
    readonly error?: { readonly data: { readonly code: string } };
    readonly result?: { readonly _meta: { readonly response_type: string } };
  };
  return error?.data.code ?? result?._meta.response_type;
}

test("a core server answers plain calls over MCP-lite and in memory", async () => {
  const server = createServer({ tools: [add] });
  deepStrictEqual(server.wires, ["mcp-lite"]);
  strictEqual(await createClient<typeof server>(memoryTransport(server)).add({ a: 1, b: 2 }), 3);
  const called = await rpc(add, { arguments: { a: 1, b: 2 } });
  strictEqual((called["result"] as { content: unknown }).content, 3);
  strictEqual(kindOf(await rpc(add, { arguments: { a: 1 } })), "invalid_input");
});

test("a core server lists its tools, without system tools", async () => {
  const { fetch } = createServer({ tools: [add, count] });
  const { tools } = await (await fetch(post("/mcp-lite/v1/tools", "", {}))).json();
  deepStrictEqual(tools.map(({ name }: { name: string }) => name), ["add", "count"]);
});

test("a core server streams over MCP-lite and in memory", async () => {
  const server = createServer({ tools: [count] });
  const response = await server.fetch(
    post("/mcp-lite/v1/rpc", "tools/call", { name: "count", arguments: {} }, "text/event-stream"),
  );
  match(await response.text(), /"partial":"a"[\s\S]*"partial":"b"[\s\S]*event: done/);
  const pieces: unknown[] = [];
  for await (const piece of createClient<typeof server>(memoryTransport(server)).count.stream()) pieces.push(piece);
  deepStrictEqual(pieces, ["a", "b"]);
});

for (
  const [name, tool] of [
    [".promise()", t.promise().handle(() => 1)],
    [".external()", t.external({ start: () => 1, check: () => 2 })],
  ] as const
) {
  test(`a tool with ${name} needs an engine, where the server is created`, () => {
    const message =
      'Cannot create server: the tool "t" gives promises: pass createServer({ engine: memoryEngine() }), from "toolwire/engines"';
    throws(() => createServer({ tools: [tool] }), { name: "TypeError", message });
    const inner = createFrontDoorServer({ tools: [tool] });
    throws(() => createServer({ tools: [], parts: [mount(inner)] }), { name: "TypeError", message });
    ok(createServer({ tools: [tool], engine: memoryEngine() }).tools.some(({ name }) => name === "redeem"));
  });
}

test("work() needs an engine", () => {
  throws(() => createServer({ tools: [add] }).work(), /Cannot run deferred work: pass createServer\(\{ engine/);
});

test("an idempotency key needs an engine, and is refused without one", async () => {
  const params = { arguments: {}, _meta: { idempotency_key: "k" } };
  const refused = await rpc(t.handle(() => 1), params);
  strictEqual(kindOf(refused), "invalid_request");
  match(JSON.stringify(refused), /server has no engine: call without _meta.idempotency_key/);
  strictEqual(kindOf(await rpc(t.handle(() => 1), params, { engine: memoryEngine() })), "answer");
});

test("a promise or continuation token is invalid on a server that issues none", async () => {
  for (const continuation of ["prom_x", "cont_x"]) {
    const params = { arguments: {}, _meta: { continuation, responses: {} } };
    strictEqual(kindOf(await rpc(t.handle(() => 1), params)), "invalid_continuation");
  }
});

test("an engine brings promises, with random keys and a warning", async () => {
  const logger = new KeptLog();
  const options = { engine: memoryEngine(), logger };
  const slow = t.promise().handle(() => new Promise((resolve) => setTimeout(resolve, 5, "done")));
  const server = createServer({ ...options, tools: [slow] });
  const client = createClient<typeof server>(memoryTransport(server));
  const started = await client.t.start();
  strictEqual(await started.result(), "done");
  deepStrictEqual(logger.lines.map(({ level }) => level), ["warn"]);
  await server.close(0);
});

test("an engine of one's own brings promises by withPromises(), and is accepted as it is by the front door", async () => {
  const { "~deferral": _, ...bare } = memoryEngine();
  const own: Engine = { ...bare, processId: "p" };
  throws(() => createServer({ tools: [add], engine: own as never }), /engine must be one, such as memoryEngine\(\)/);
  const promising = t.promise().handle(() => 1);
  for (
    const server of [
      createServer({ tools: [promising], engine: withPromises({ ...own }) }),
      createFrontDoorServer({ tools: [promising], engine: { ...own } }),
    ]
  ) {
    strictEqual(await createClient<typeof server>(memoryTransport(server)).t(), 1);
  }
});

const cart = defineCallerState("cart", v.string());
const asking: Readonly<Record<string, AnyTool>> = {
  elicit: t.handle((_, ctx) => ctx.elicit("q", { message: "Q", schema: Pair })),
  elicitUrl: t.handle((_, ctx) => ctx.elicitUrl("q", { message: "Q", url: "https://a.example" })),
  sample: t.handle((_, ctx) => ctx.sample("q", { messages: [], maxTokens: 1 })),
  roots: t.handle((_, ctx) => ctx.roots()),
  ask: t.handle((_, ctx) => ctx.ask({ q: { message: "Q", schema: Pair } })),
  requestMore: t.handle((_, ctx) => ctx.requestMore("credits")),
  step: t.handle((_, ctx) => ctx.step("s", () => 1)),
  callerState: t.handle((_, ctx) => ctx.callerState.set(cart, "tea")),
};
for (const [member, tool] of Object.entries(asking)) {
  test(`ctx.${member} needs keys: masked for the caller, in full in the log`, async () => {
    const logger = new KeptLog();
    strictEqual(kindOf(await rpc(tool, {}, { logger })), "internal");
    strictEqual(
      (logger.lines[0]?.fields["error"] as Error).message,
      `Cannot use ctx.${member} in tool "t" without keys: pass createServer({ keys: keyRing("k1:…") }), from "toolwire/keys"`,
    );
    const kind = kindOf(await rpc(tool, {}, { keys: keyRing(KEYS) }));
    const isQuestion = member !== "step" && member !== "callerState";
    strictEqual(kind, !isQuestion ? "answer" : member === "requestMore" ? "request-for-more-resource" : "elicitation");
  });
}

test("keys bring questions to a client, those of one's own by withQuestions()", async () => {
  const tool = t.handle(async (_, ctx) => {
    const answer = await ctx.elicit("pair", { message: "Which?", schema: Pair });
    return answer.action === "accept" ? answer.content.a : answer.action;
  });
  const { sign, verify } = keyRing(KEYS);
  for (const keys of [keyRing(KEYS), withQuestions({ sign, verify })]) {
    const server = createServer({ tools: [tool], keys });
    const onElicitation = () => ({ action: "accept", content: { a: 7, b: 1 } }) as const;
    strictEqual(await createClient<typeof server>(memoryTransport(server), { onElicitation }).t(), 7);
  }
});

test("keys of the wrong kind are refused, without a word of the secret", () => {
  for (const keys of [KEYS, { sign() {}, verify() {} }, 1, null]) {
    throws(() => createServer({ tools: [add], keys: keys as never }), (error: Error) => {
      match(error.message, /^Cannot create server: keys must be keyRing\("k1:…"\)/);
      return !error.message.includes("secret");
    });
  }
});

test("a schema of valibot needs an adapter", async () => {
  const schema = v.object({ a: v.number() });
  throws(
    () => t.input(schema),
    /cannot become JSON Schema: valibot does not offer it here; .* toolDefiner/,
  );
  for (const adapters of [[valibotJsonSchema], [valibotJsonSchema, compiledChecks]]) {
    const tool = toolDefiner(...adapters)("t").describe("T").input(schema).handle(({ a }) => a);
    strictEqual((await rpc(tool, { arguments: { a: 2 } }))["error"], undefined);
    strictEqual(tool["~definition"].input?.exact === undefined, adapters.length === 1);
  }
});

test("a gateway in a core server relays plain calls; its promises and questions need an engine and keys", async () => {
  const ask = t.handle((_, ctx) => ctx.elicit("q", { message: "Q", schema: Pair }));
  const far = createFrontDoorServer({ tools: [add, ask], keys: KEYS });
  const logger = new KeptLog();
  const parts = [mount(await gateway("far", memoryTransport(far)))];
  const near = createClient(memoryTransport(createServer({ tools: [], parts, logger })));
  strictEqual(await near.$.call("add", { a: 1, b: 2 }), 3);
  await rejects(near.$.call("t", {}), { code: "internal" });
  match(
    String(logger.lines[0]?.fields["error"]),
    /Cannot sign the token of a remote server: pass createServer\(\{ keys/,
  );
  const promising = createFrontDoorServer({ tools: [t.promise().handle(() => 1)] });
  const promised = [mount(await gateway("promising", memoryTransport(promising)))];
  throws(() => createServer({ tools: [], parts: promised }), /the tool "t" gives promises/);
});

test("a core server without an engine refuses options of jobs", () => {
  const message =
    "Cannot create server: work, schedules, onComplete and jobMiddleware need an engine: pass createServer({ engine: memoryEngine() }), " +
    'from "toolwire/engines"';
  for (
    const options of [{ work: { concurrency: 1 } }, {
      jobMiddleware: [async (_: unknown, next: () => unknown) => await next()],
    }]
  ) {
    throws(() => createServer({ tools: [add], ...options as Options }), { name: "TypeError", message });
    createServer({ tools: [add], ...options as Options, engine: memoryEngine() });
  }
  createServer({ tools: [add], work: false, jobMiddleware: [] });
});

for (
  const [name, options, error] of [
    ["a misspelled option", { authh: {} }, { name: "TypeError", message: /no option "authh"; did you mean "auth"\?$/ }],
    ["an unlike option", { colour: 1 }, { name: "TypeError", message: /no option "colour"; there are tools, parts, / }],
    ["a limit from an empty variable", { limits: { depth: Number.NaN } }, {
      name: "RangeError",
      message: "Cannot create server: depth must be a number above 0, not NaN",
    }],
    ["no time", { timeoutMs: 0 }, { name: "RangeError", message: /timeoutMs must be a number above 0, not 0$/ }],
    ...[{ hosts: ["a.example"] }, { origins: "*" }, { cors: true }, { originPolicy: { cors: true } }].map((options) =>
      [
        `${JSON.stringify(options)} without the code that checks it`,
        options,
        { name: "TypeError", message: /what originPolicy\(\{ hosts, origins, cors \}\) of "toolwire\/core" gives$/ },
      ] as const
    ),
    ["the path of the front door", { basePath: "/v" }, { name: "TypeError", message: /what atBasePath\(…\) gives$/ }],
  ] as const
) {
  test(`a core server refuses ${name}`, () => {
    throws(() => createServer({ tools: [add], ...options as Options }), error);
  });
}

test("a core server answers any host, and refuses pages of other origins", async () => {
  const { fetch } = createServer({ tools: [add], logger: false });
  const ask = async (method: string, headers: Record<string, string>) => {
    const response = await fetch(new Request("http://localhost/mcp-lite/v1/tools", { method, headers }));
    return [response.status, response.headers.get("allow"), response.headers.get("vary")];
  };
  deepStrictEqual(await ask("GET", { host: "any.example" }), [200, null, null]);
  deepStrictEqual(await ask("GET", { origin: "http://localhost" }), [200, null, null]);
  for (const method of ["GET", "OPTIONS"]) {
    deepStrictEqual(await ask(method, { origin: "https://app.example" }), [403, null, null]);
  }
  deepStrictEqual(await ask("OPTIONS", { origin: "http://localhost" }), [405, "POST", null]);
});

test("originPolicy() of a core server brings hosts, origins and CORS, also to a server that exists", async () => {
  const policy = originPolicy({ hosts: ["localhost"], origins: ["https://app.example"], cors: true });
  const plain = createServer({ tools: [add], logger: false });
  throws(() => plain.withOriginPolicy({ hosts: ["localhost"] }), /originPolicy must be what originPolicy\(/);
  for (
    const server of [
      createServer({ tools: [add], logger: false, originPolicy: policy }),
      plain.withOriginPolicy(policy),
      plain.withOriginPolicy(originPolicy({ cors: true })).withOriginPolicy({
        hosts: ["localhost"],
        origins: ["https://app.example"],
      }),
    ]
  ) {
    deepStrictEqual(server.hosts, ["localhost"]);
    const ask = async (method: string, headers: Record<string, string>) => {
      const response = await server.fetch(new Request("http://localhost/mcp-lite/v1/tools", { method, headers }));
      return [response.status, response.headers.get("access-control-allow-origin")];
    };
    const origin = "https://app.example";
    deepStrictEqual(await ask("GET", { host: "evil.example" }), [403, null]);
    deepStrictEqual(await ask("GET", { host: "localhost", origin: "https://evil.example" }), [403, null]);
    deepStrictEqual(await ask("GET", { host: "localhost", origin }), [200, origin]);
    deepStrictEqual(await ask("OPTIONS", { host: "localhost", origin }), [204, origin]);
  }
});

test("hosts, origins and CORS without originPolicy() do not compile", () => {
  // @ts-expect-error: hosts is a member of originPolicy
  throws(() => createServer({ tools: [add], hosts: ["a.example"] }));
  // @ts-expect-error: the value does not bring its code
  throws(() => createServer({ tools: [add], originPolicy: { cors: true } }));
  createFrontDoorServer({ tools: [add], hosts: ["a.example"], origins: "*", cors: true });
});

test("mcp() of a core server needs mcpTasks for tools that give promises, and serves their work as tasks with it", async () => {
  const slow = t.promise({ required: true }).handle(() => "done");
  const options = { tools: [slow], engine: memoryEngine(), keys: keyRing(KEYS), logger: false } as const;
  throws(() => createServer({ ...options, wires: [mcp()] }), {
    name: "TypeError",
    message: 'Cannot create server: tools that give promises need mcp({ tasks: mcpTasks }), from "toolwire/mcp"',
  });
  const server = createServer({ ...options, wires: [mcp({ tasks: mcpTasks })] });
  const transport = mcpTransport("http://localhost/mcp", {
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
  const client = createClient<typeof server>(transport);
  strictEqual(await (await client.t.start()).result(), "done");
  await server.close(0);
});

test("mcp() of a core server needs mcpCatalog for resources and prompts", async () => {
  const options = { tools: [], resources: [defineResource("note://a").name("a").read(() => "text")] };
  throws(
    () => createServer({ ...options, wires: [mcp()] }),
    /resources and prompts need mcp\(\{ catalog: mcpCatalog \}\), from "toolwire\/mcp"$/,
  );
  const server = createServer({ ...options, wires: [mcp({ catalog: mcpCatalog })] });
  const { resources } = mcpTransport("http://localhost/mcp", {
    fetch: (url, init) => server.fetch(new Request(url, init)),
  });
  deepStrictEqual((await resources.list()).map(({ uri }) => uri), ["note://a"]);
});

test(".config() of a core tool needs toolConfig, which checks the config of the server and of calls", async () => {
  throws(() => t.config(Pair), {
    name: "TypeError",
    message: 'Cannot define tool "t": .config() needs toolDefiner(toolConfig), from "toolwire/core"',
  });
  const tool = toolDefiner(toolConfig)("t").describe("T").config(Pair).handle((_, { config: { a, b } }) => a + b);
  const server = createServer({ tools: [tool], config: { a: 1, b: 2 } });
  strictEqual(await createClient<typeof server>(memoryTransport(server)).t(), 3);
  const other = memoryTransport(server, { config: { a: 1, b: 5 } });
  strictEqual(await createClient<typeof server>(other).t(), 6);
  const wrong = memoryTransport(server, { config: { a: 1 } });
  await rejects(createClient<typeof server>(wrong).t(), { code: "invalid_config" });
});
