/**
 * What readers of the first pages of other libraries' documentation type into ours. Each works, or is refused with the line to write; a
 * definition that is written for them is pasted and called.
 *
 * Peers: the official SDK of MCP, FastMCP for TypeScript, mcp-lite, tRPC, Hono, the AI SDK, and Mastra. Their definitions and servers are
 * here; what their readers type in a handler, at a client and with `serve` is in `uses_test.ts` beside this file.
 */
import { match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import { Hono } from "hono";
import { cors } from "hono/cors";
import * as v from "valibot";
import { z } from "zod";
import { type AnyTool, createServer, defineTool, type Server } from "../../mod.ts";
import { testClient } from "../../src/entries/testing.ts";

/** The front door without its types: TypeScript refuses most of what follows, JavaScript does not. */
// deno-lint-ignore no-explicit-any -- what is typed by habit has no type here
type Loose = any;
const define: Loose = defineTool;
const create: Loose = createServer;
const bare = (): Loose => create({ tools: [] });
const described = (): Loose => define("greet").describe("Greet someone");
const person = z.object({ name: z.string() });
// Here, because Workers allow ArkType to generate code only while modules load.
const arkPerson = type({ name: "string" });
const greet = (): AnyTool => described().input(person).handle(({ name }: Loose) => `Hello, ${name}!`);

/** A call of a tool, and its answer. */
interface Called {
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
}

/** One thing that is typed. */
interface Typed {
  readonly peer: string;
  readonly what: string;
  readonly code: () => unknown;
  /** It works: `code` returns a tool or a server, which is called. */
  readonly works?: Called;
  /** It is refused: what the message says. */
  readonly says?: RegExp;
  /** It is refused with a definition, which is pasted and called. */
  readonly pastes?: Called;
}

const SDK: readonly Omit<Typed, "peer">[] = [
  {
    what: "server.registerTool(name, { title, description, inputSchema }, handler)",
    code: () =>
      bare().registerTool(
        "add",
        { title: "Add", description: "Add two numbers", inputSchema: { a: z.number(), b: z.number() } },
        ({ a, b }: Loose) => a + b,
      ),
    says:
      /^A server has no \.registerTool\(…\) here.*const add = defineTool\("add"\)\n {2}\.title\("Add"\)\n {2}\.describe\("Add two numbers"\)/s,
    pastes: { tool: "add", args: { a: 1, b: 2 }, answer: 3 },
  },
  {
    what: "server.tool(name, description, { properties }, handler)",
    code: () => bare().tool("echo", "Echo a text", { text: z.string() }, ({ text }: Loose) => text),
    pastes: { tool: "echo", args: { text: "hi" }, answer: "hi" },
  },
  {
    what: "server.tool(name, handler)",
    code: () => bare().tool("ping", () => "pong"),
    pastes: { tool: "ping", answer: "pong" },
  },
  {
    what: "server.registerResource(name, uri, metadata, reader)",
    code: () => bare().registerResource("config", "config://app", { title: "Config" }, () => ({ contents: [] })),
    says: /resources are given to createServer.*defineResource\("config:\/\/app"\)\.read\(…\).*toolwire\/mcp/s,
  },
  {
    what: "server.registerPrompt(name, { argsSchema }, handler)",
    code: () => bare().registerPrompt("review", { argsSchema: { code: z.string() } }, () => ({ messages: [] })),
    says: /prompts: \[definePrompt\("review"\)\.describe\("…"\)\.handle\(…\)\]/,
  },
  {
    what: "server.connect(transport)",
    code: () => bare().connect({}),
    says: /serve\(server\), of "toolwire\/serve".*serveStdio/,
  },
  {
    what: "server.setRequestHandler(ListToolsRequestSchema, …)",
    code: () => bare().setRequestHandler({}, () => ({ tools: [] })),
    says: /defineTool\("name"\)/,
  },
  {
    what: ".input({ name: z.string() }), the properties without z.object",
    code: () => described().input({ name: z.string() }),
    says: /write z\.object\(\{ name: … \}\)/,
  },
  {
    what: "plain JSON Schema, as the low-level server lists it",
    code: () =>
      described().input({ type: "object", properties: { name: { type: "string" } }, required: ["name"] })
        .handle(({ name }: Loose) => `Hello, ${name}!`),
    works: { tool: "greet", args: { name: "Ada" }, answer: "Hello, Ada!" },
  },
];

const SDK_2: readonly Omit<Typed, "peer">[] = [
  {
    what: "createServer({ name, version }, { capabilities }), as new McpServer",
    code: () => create({ name: "x", version: "1.0.0", tools: [] }, { capabilities: { tools: {} } }),
    says: /all options are in one object.*capabilities are found out/s,
  },
  {
    what: "createServer({ name, version }), to register tools later",
    code: () => create({ name: "x", version: "1.0.0" }),
    says: /createServer\(\{ tools: \[ … \] \}\)/,
  },
  {
    what: "server.sendToolListChanged()",
    code: () => bare().sendToolListChanged(),
    says: /server\.notify\.listChanged\("tools"\)/,
  },
  {
    what: "createServer({ capabilities })",
    code: () => create({ tools: [], capabilities: { tools: {} } }),
    says: /capabilities are found out: leave it out/,
  },
];

const FASTMCP: readonly Omit<Typed, "peer">[] = [
  {
    what: "server.addResourceTemplate({ uriTemplate, load })",
    code: () => bare().addResourceTemplate({ uriTemplate: "file:///{name}", name: "x", load: () => ({ text: "x" }) }),
    says: /defineResource\("file:\/\/\/\{name\}"\)\.read\(…\)/,
  },
  {
    what: "authenticate, an option of the server",
    code: () => create({ tools: [], authenticate: () => ({ id: 1 }) }),
    says: /auth: authenticate\(…\), with the function of "toolwire\/auth"/,
  },
  {
    what: "health: { enabled: true }",
    code: () => create({ tools: [], health: { enabled: true } }),
    says: /healthPage\(\)\], with healthPage of "toolwire\/health"/,
  },
  { what: 'server.on("connect", …)', code: () => bare().on("connect", () => {}), says: /middleware/ },
  { what: "server.getApp()", code: () => bare().getApp(), says: /server\.fetch, in the app/ },
  {
    what: "_meta and an unknown member are not lost in silence",
    code: () =>
      bare().addTool({ name: "a", description: "A", _meta: { "x/y": 1 }, beforeExecute: () => {}, execute: () => 1 }),
    says: /\.meta\(\{ "x\/y": 1 \}\)\n {2}\/\/ beforeExecute: not written here\n {2}\.handle\(/,
    pastes: { tool: "a", answer: 1 },
  },
  {
    what: "server.addTool({ name, description, parameters, execute })",
    code: () =>
      bare().addTool({
        name: "add",
        description: "Add two numbers",
        parameters: z.object({ a: z.number(), b: z.number() }),
        execute: (args: Loose) => String(args.a + args.b),
      }),
    pastes: { tool: "add", args: { a: 1, b: 2 }, answer: "3" },
  },
  {
    what: "addTool with annotations, timeoutMs and canAccess",
    code: () =>
      bare().addTool({
        name: "fetch-page",
        description: "Fetch a page",
        parameters: v.object({ url: v.string() }),
        annotations: { readOnlyHint: true, title: "Fetch" },
        timeoutMs: 5000,
        canAccess: () => true,
        execute: ({ url }: Loose) => url,
      }),
    says:
      /const fetchPage = .*\.annotate\(\{ readOnlyHint: true, title: "Fetch" \}\)\n {2}\.timeout\(5000\)\n {2}\.visibleTo\(/s,
    pastes: { tool: "fetch-page", args: { url: "u" }, answer: "u" },
  },
  {
    what: "server.addTools([…])",
    code: () =>
      bare().addTools([{ name: "one", description: "One", execute: () => 1 }, { name: "two", execute: () => 2 }]),
    says: /createServer\(\{ tools: \[one, two\] \}\)$/,
    pastes: { tool: "two", answer: 2 },
  },
  {
    what: "defineTool({ name, description, parameters, execute })",
    code: () => define({ name: "hi", description: "Greet", parameters: person, execute: ({ name }: Loose) => name }),
    says: /^Cannot define tool "hi": a tool is defined in steps, not by an object\. Write:/,
    pastes: { tool: "hi", args: { name: "Ada" }, answer: "Ada" },
  },
  {
    what: "parameters of ArkType",
    code: () => described().input(arkPerson).handle(({ name }: Loose) => name),
    works: { tool: "greet", args: { name: "Ada" }, answer: "Ada" },
  },
  {
    what: "parameters of valibot",
    code: () => described().input(v.object({ name: v.string() })).handle(({ name }: Loose) => name),
    works: { tool: "greet", args: { name: "Ada" }, answer: "Ada" },
  },
  {
    what: 'server.start({ transportType: "httpStream" })',
    code: () => bare().start({ transportType: "httpStream", httpStream: { port: 8080 } }),
    says: /serve\(server\), of "toolwire\/serve"/,
  },
  {
    what: "server.addResource({ uri, name, load })",
    code: () => bare().addResource({ uri: "file:///log", name: "Log", load: () => ({ text: "" }) }),
    says: /defineResource\("file:\/\/\/log"\)/,
  },
  {
    what: "server.addPrompt({ name, load })",
    code: () => bare().addPrompt({ name: "commit", description: "Write", load: () => "text" }),
    says: /definePrompt\("commit"\)/,
  },
];

const LITE: readonly Omit<Typed, "peer">[] = [
  {
    what: "server.tool(name, { description, inputSchema, handler })",
    code: () =>
      bare().tool("hi", { description: "Greet", inputSchema: person, handler: ({ name }: Loose) => `Hi ${name}` }),
    pastes: { tool: "hi", args: { name: "Ada" }, answer: "Hi Ada" },
  },
  {
    what: "server.tool(name, { inputSchema: plain JSON Schema, handler(args) { … } })",
    code: () =>
      bare().tool("hi", {
        description: "Greet",
        inputSchema: { type: "object", properties: { name: { type: "string" } } },
        handler(args: Loose) {
          return args.name;
        },
      }),
    pastes: { tool: "hi", args: { name: "Ada" }, answer: "Ada" },
  },
  {
    what: "defineTool(name, { description, inputSchema, outputSchema, handler })",
    code: () =>
      define("sum", {
        description: "Sum",
        inputSchema: z.object({ list: z.array(z.int()), round: z.boolean().optional() }),
        outputSchema: z.object({ sum: z.number() }),
        handler: ({ list }: Loose) => ({ sum: list.length }),
      }),
    says: /\.input\(z\.object\(\{ list: z\.array\(z\.int\(\)\), round: z\.optional\(z\.boolean\(\)\) \}\)\)/,
    pastes: { tool: "sum", args: { list: [1, 2] }, answer: { sum: 2 } },
  },
  {
    what: "server.use(middleware)",
    code: () => bare().use(() => {}),
    says: /createServer\(\{ tools: \[ … \], middleware: \[ … \] \}\)/,
  },
  {
    what: "server.onError(handler)",
    code: () => bare().onError(() => {}),
    says: /middleware may catch what next\(\) throws/,
  },
  {
    what: "schemaAdapter: (schema) => z.toJSONSchema(schema)",
    code: () => create({ tools: [], schemaAdapter: (schema: Loose) => z.toJSONSchema(schema) }),
    says: /schemas of every library work as they are: leave it out/,
  },
  { what: "server.group(prefix, child)", code: () => bare().group("git", {}), says: /parts: \[group\("prefix"/ },
];

const TRPC: readonly Omit<Typed, "peer">[] = [
  {
    what: ".input(schema).query(({ input }) => …)",
    code: () => described().input(person).query(({ input }: Loose) => input.name),
    says:
      /^Cannot define tool "greet": there is no \.query\(…\) here\. Write:\n\n\.annotate\(\{ readOnlyHint: true \}\)\.handle\(\(input, ctx\) => \(/,
  },
  {
    what: ".input(schema).mutation(async ({ input }) => …)",
    code: () => described().input(person).mutation(async ({ input }: Loose) => await input.name),
    says: /there is no \.mutation\(…\) here\. Write:\n\n\.handle\(/,
  },
  ...["requires", "scope", "requireScopes", "permissions", "authorize"].map((step) => ({
    what: `.${step}("docs:read")`,
    code: () => described()[step]("docs:read"),
    says: new RegExp(`there is no \\.${step}\\(…\\) here\\. Write: \\.scopes\\("docs:read", …\\)`),
  })),
  { what: ".middleware(fn)", code: () => described().middleware(() => {}), says: /Write: \.use\(middleware\)$/ },
  { what: ".version(text)", code: () => described().version("2"), says: /Write: \.revision\("2"\)$/ },
  { what: ".tags(texts)", code: () => described().tags("a"), says: /Write: \.keywords\(\["…"\]\)/ },
  ...["express", "handler", "nodeHandler"].map((member) => ({
    what: `app.use(server.${member}())`,
    code: () => bare()[member](),
    says: /Write: app\.use\("\/api", toNodeHandler\(server\)\), of "toolwire\/serve"/,
  })),
  {
    what: "server.mcp()",
    code: () => bare().mcp(),
    says: /Write: createServer\(\{ tools: \[ … \], wires: \[mcp\(\)\] \}\)/,
  },
  { what: "server.rest()", code: () => bare().rest(), says: /wires: \[rest\(\)\] \}\), with rest of "toolwire\/rest"/ },
  {
    what: "appRouter.createCaller({})",
    code: () => bare().createCaller({}),
    says: /createClient\(server\), or testClient/,
  },
  { what: "createContext", code: () => create({ tools: [], createContext: () => ({}) }), says: /ctx\.state\.user = …/ },
  { what: "router", code: () => create({ router: {}, tools: [] }), says: /write tools: \[ … \]$/ },
  {
    what: ".meta({ … })",
    code: () => described().meta({ "x/y": 1 }).handle(() => 1),
    works: { tool: "greet", answer: 1 },
  },
  { what: ".subscription(…)", code: () => described().subscription(() => {}), says: /Write:\n\n\.handle\(/ },
  {
    what: ".input(z.string()), one value",
    code: () => described().input(z.string()),
    says: /must be an object, as arguments have names: wrap it in v\.object\(\{ value: … \}\) or z\.object/,
  },
  {
    what: "a router: createServer({ tools: { greet } })",
    code: () => create({ tools: { greet: greet() } }),
    says: /tools are a list\. Write:\n\ntools: \[greet\]$/,
  },
  {
    what: ".output(schema) and a handler that returns it",
    code: () =>
      described().input(person).output(z.object({ text: z.string() })).handle(({ name }: Loose) => ({ text: name })),
    works: { tool: "greet", args: { name: "Ada" }, answer: { text: "Ada" } },
  },
];

const HONO: readonly Omit<Typed, "peer">[] = [
  {
    what: 'app.mount("/", server.fetch)',
    code: () => new Hono().mount("/", create({ tools: [greet()] }).fetch),
    works: { tool: "greet", args: { name: "Ada" }, answer: "Hello, Ada!" },
  },
  {
    what: 'app.all("*", (c) => server.fetch(c.req.raw))',
    code: () => {
      const server = create({ tools: [greet()] });
      return new Hono().all("*", (c) => server.fetch(c.req.raw));
    },
    works: { tool: "greet", args: { name: "Ada" }, answer: "Hello, Ada!" },
  },
  {
    what: "export default server, whose fetch is taken off it",
    code: () => {
      const { fetch } = create({ tools: [greet()] });
      return { fetch };
    },
    works: { tool: "greet", args: { name: "Ada" }, answer: "Hello, Ada!" },
  },
  { what: 'app.request("/path"), in a test', code: () => bare().request("/mcp"), says: /testClient\(server\)/ },
  { what: 'app.basePath("/api")', code: () => bare().basePath("/api"), says: /basePath: "\/api"/ },
  {
    what: "port, an option of the server",
    code: () => create({ tools: [], port: 3000 }),
    says: /await serve\(server, \{ port \}\)/,
  },
  {
    what: "export default { port, fetch: server.fetch }",
    code: () => ({ port: 3000, fetch: create({ tools: [greet()] }).fetch }),
    works: { tool: "greet", args: { name: "Ada" }, answer: "Hello, Ada!" },
  },
  {
    what: 'app.use("*", cors()), before server.fetch',
    code: () => {
      const app = new Hono();
      app.use("*", cors());
      const { fetch } = create({ tools: [greet()] });
      return app.all("*", (c) => fetch(c.req.raw));
    },
    works: { tool: "greet", args: { name: "Ada" }, answer: "Hello, Ada!" },
  },
  {
    what: 'server.get("/hello", handler)',
    code: () => bare().get("/hello", () => {}),
    says: /app\.mount\("\/", server\.fetch\)/,
  },
  { what: 'server.post("/hello", handler)', code: () => bare().post("/hello", () => {}), says: /wires: \[rest\(\)\]/ },
  {
    what: 'server.route("/api", app)',
    code: () => bare().route("/api", {}),
    says: /app\.mount\("\/", server\.fetch\)/,
  },
];

const AI: readonly Omit<Typed, "peer">[] = [
  {
    what: "tools: { weather: tool({ description, inputSchema, execute }) }",
    code: () =>
      create({
        tools: {
          weather: {
            description: "Get the weather",
            inputSchema: z.object({ city: z.string().describe("The city") }),
            execute: ({ city }: Loose) => ({ city, celsius: 20 }),
          },
        },
      }),
    says: /^Cannot create server: its tools are not defined by defineTool\(\).*z\.string\(\)\.describe\("The city"\)/s,
    pastes: { tool: "weather", args: { city: "Oslo" }, answer: { city: "Oslo", celsius: 20 } },
  },
  {
    what: "tools: { weather: tool({ description, parameters, execute }) }, of version 4",
    code: () => create({ tools: { weather: { description: "W", parameters: z.object({}), execute: () => "sun" } } }),
    pastes: { tool: "weather", answer: "sun" },
  },
  {
    what: "tool({ needsApproval: true }), which is not lost in silence",
    code: () =>
      create({ tools: { run: { description: "Run", inputSchema: person, needsApproval: true, execute: () => 1 } } }),
    says:
      /\/\/ needsApproval: await ctx\.elicit\("approve", .* in the handler, or \.annotate\(\{ destructiveHint: true \}\)/,
    pastes: { tool: "run", args: { name: "a" }, answer: 1 },
  },
  {
    what: "tool({ toModelOutput })",
    code: () =>
      create({
        tools: { run: { description: "Run", inputSchema: person, toModelOutput: () => ({}), execute: () => 1 } },
      }),
    says: /\/\/ toModelOutput: \.render\(\(output\) => …\)/,
    pastes: { tool: "run", args: { name: "a" }, answer: 1 },
  },
  {
    what: "tool({ inputExamples: [{ input }] })",
    code: () =>
      create({
        tools: {
          run: {
            description: "Run",
            inputSchema: person,
            inputExamples: [{ input: { name: "Ada" } }],
            execute: () => 1,
          },
        },
      }),
    says: /\.examples\(\[ \{ input: \{ name: "Ada" \} \} \]\)/,
    pastes: { tool: "run", args: { name: "a" }, answer: 1 },
  },
  {
    what: "tool({ strict: true })",
    code: () => create({ tools: { run: { description: "Run", inputSchema: person, strict: true, execute: () => 1 } } }),
    says: /\.input\(z\.object\(\{ name: z\.string\(\) \}\)\)\n {2}\.handle\(/,
    pastes: { tool: "run", args: { name: "a" }, answer: 1 },
  },
  {
    what: "tool({ description: ({ context }) => … }), of version 7",
    code: () => create({ tools: { run: { description: () => "Run", inputSchema: person, execute: () => 1 } } }),
    says: /\.describe\("…"\)/,
    pastes: { tool: "run", args: { name: "a" }, answer: 1 },
  },
  {
    what: ".needsApproval()",
    code: () => described().needsApproval(),
    says: /there is no \.needsApproval\(…\) here\. Write: await ctx\.elicit\("approve", /,
  },
  {
    what: ".inputSchema(schema)",
    code: () => described().inputSchema(person),
    says: /there is no \.inputSchema\(…\) here\. Write:\n\n\.input\(z\.object\(\{ name: z\.string\(\) \}\)\)$/,
  },
  { what: ".parameters(schema)", code: () => described().parameters(person), says: /Write:\n\n\.input\(z\.object/ },
  {
    what: ".outputSchema(schema)",
    code: () => described().outputSchema(person),
    says: /Write:\n\n\.output\(z\.object/,
  },
  {
    what: ".description(text)",
    code: () => define("greet").description("Greet"),
    says: /Write:\n\n\.describe\("Greet"\)$/,
  },
  {
    what: ".execute(async (input) => …)",
    code: () => described().execute((input: Loose) => input),
    says: /Write:\n\n\.handle\(\((\w+)\s*\)\s*=>\s*\1\)$/,
  },
  {
    what: "async generators, for preliminary results",
    code: () =>
      described().handle(async function* () {
        yield "a";
        yield "b";
      }),
    works: { tool: "greet", answer: "ab" },
  },
];

const MASTRA: readonly Omit<Typed, "peer">[] = [
  {
    what: "tools: [createTool({ id, description, inputSchema, outputSchema, execute: ({ context }) => … })]",
    code: () =>
      create({
        tools: [{
          id: "weather",
          description: "Get the weather",
          inputSchema: z.object({ city: z.string() }),
          outputSchema: z.object({ city: z.string() }),
          execute: ({ context }: Loose) => ({ city: context.city }),
        }],
      }),
    pastes: { tool: "weather", args: { city: "Oslo" }, answer: { city: "Oslo" } },
  },
];

const ALL: readonly Typed[] = Object.entries({
  "official SDK": SDK,
  "official SDK 2": SDK_2,
  FastMCP: FASTMCP,
  "mcp-lite": LITE,
  tRPC: TRPC,
  Hono: HONO,
  "AI SDK": AI,
  Mastra: MASTRA,
}).flatMap(([peer, rows]) => rows.map((row) => ({ peer, ...row })));

/** Calls a tool of a tool, a server, or anything with `fetch`. */
async function call(made: unknown, { tool, args = {}, answer }: Called): Promise<void> {
  const target = (made as Loose)["~definition"] === undefined
    ? made as Server & { request?: unknown }
    : create({ tools: [made] });
  if ("tools" in target) {
    const found = await testClient(target as Loose).$.call(tool, args);
    return strictEqual(JSON.stringify(found), JSON.stringify(answer));
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } });
  const headers = { "content-type": "application/json" };
  const response = await target.fetch(
    new Request("http://localhost/mcp-lite/v1/calltools", { method: "POST", headers, body }),
  );
  strictEqual(JSON.stringify((await response.json()).result.content), JSON.stringify(answer));
}

/** Runs what a message says to write, as the next program of its reader. */
function paste(message: string): unknown {
  const [, text = ""] = message.split("Write:\n\n");
  const program = text.includes("createServer(")
    ? text.replace(/\n\ncreateServer/, "\n\nreturn createServer")
    : `return ${text}`;
  return new Function("defineTool", "createServer", "z", "v", program)(defineTool, createServer, z, v);
}

/** Workers do not allow code generation: what is pasted runs on the other runtimes. */
const canPaste = globalThis.navigator?.userAgent !== "Cloudflare-Workers";

for (const { peer, what, code, works, says, pastes } of ALL) {
  test(`${peer}: ${what}`, async () => {
    if (works !== undefined) return await call(await code(), works);
    let refused: unknown;
    try {
      await code();
    } catch (thrown) {
      refused = thrown;
    }
    ok(refused instanceof TypeError, `refused, but not so: ${refused}`);
    match(refused.message, says ?? /Write:\n\n/);
    if (pastes !== undefined && canPaste) await call(paste(refused.message), pastes);
  });
}

test("the list has seventy natural things of seven peers, and more", () => ok(ALL.length >= 70, String(ALL.length)));
