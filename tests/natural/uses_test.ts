/**
 * What readers of other libraries' documentation type in a handler, at a client and with `serve`. Each is refused with the line to write: in a
 * handler the line is in the server's log, because callers get no text of exceptions.
 */
import { match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { createClient, createServer, defineTool, memoryTransport, ToolError } from "../../mod.ts";
import { gateway } from "../../src/entries/compose.ts";
import { serve } from "../../src/runtime/serve.ts";
import { testClient } from "../../src/entries/testing.ts";

// deno-lint-ignore no-explicit-any -- what is typed by habit has no type here
type Loose = any;
const greet = defineTool("greet").describe("Greet").input(z.object({ name: z.string() })).handle(({ name }) =>
  `Hello, ${name}!`
);
const server = createServer({ tools: [greet] });

interface Used {
  readonly peer: string;
  readonly what: string;
  readonly use: (value: Loose) => unknown;
  readonly says: RegExp;
}

/** The value is a handler's second argument. */
const HANDLERS: readonly Used[] = [
  {
    peer: "FastMCP",
    what: "{ reportProgress }",
    use: async ({ reportProgress }) => await reportProgress({ progress: 1, total: 2 }),
    says: /ctx has no reportProgress here\. Write: ctx\.progress\(done, total\)/,
  },
  {
    peer: "FastMCP",
    what: "{ streamContent }",
    use: async ({ streamContent }) => await streamContent({ type: "text", text: "a" }),
    says: /Write: yield, in \.handle\(async function\* /,
  },
  {
    peer: "FastMCP",
    what: "log.info(message)",
    use: ({ log }) => log.info("Loading", { url: "u" }),
    says: /ctx\.log\.info is not here\. Write: ctx\.log\("info", …\)/,
  },
  {
    peer: "mcp-lite",
    what: "ctx.progress({ progress, total })",
    use: (ctx) => ctx.progress({ progress: 50, total: 100 }),
    says: /write ctx\.progress\(done, total, message\)/,
  },
  {
    peer: "mcp-lite",
    what: "ctx.elicit({ message, schema }), without a key",
    use: (ctx) => ctx.elicit({ message: "Sure?", schema: z.object({ sure: z.boolean() }) }),
    says: /a question has a key first, such as ctx\.elicit\("sure", /,
  },
  { peer: "mcp-lite", what: "ctx.authInfo", use: (ctx) => ctx.authInfo.userId, says: /Write: ctx\.principal$/ },
  { peer: "AI SDK", what: "{ abortSignal }", use: ({ abortSignal }) => abortSignal, says: /Write: ctx\.signal$/ },
  { peer: "AI SDK", what: "{ toolCallId }", use: ({ toolCallId }) => toolCallId, says: /Write: ctx\.callId$/ },
  {
    peer: "official SDK",
    what: "ctx.mcpReq.log(level, data)",
    use: (ctx) => ctx.mcpReq.log("info", "x"),
    says: /ctx\.log\(level, data\)/,
  },
  {
    peer: "official SDK",
    what: "extra.sendNotification(…)",
    use: (extra) => extra.sendNotification({ method: "notifications/message" }),
    says: /ctx\.log\(level, data\), or ctx\.progress/,
  },
  {
    peer: "Temporal and DBOS",
    what: "ctx.run(name, work)",
    use: (ctx) => ctx.run("charge", () => 1),
    says: /Write: ctx\.step\("charge", \(\) => work\(\)\)$/,
  },
  {
    peer: "Cloudflare Workflows",
    what: "step.do(name, work)",
    use: ({ step }) => step.do("charge", () => 1),
    says: /ctx\.step\.do is not here\. Write: ctx\.step\("charge", \(\) => work\(\)\)$/,
  },
  {
    peer: "Inngest",
    what: "step.run(name, work)",
    use: ({ step }) => step.run("charge", () => 1),
    says: /ctx\.step\.run is not here\. Write: ctx\.step\(/,
  },
  {
    peer: "Inngest",
    what: "step.sleep(name, time)",
    use: ({ step }) => step.sleep("night", "1h"),
    says: /ctx\.step\.sleep is not here\. Write: ctx\.sleep\("night", 3_600_000\)$/,
  },
  {
    peer: "Inngest",
    what: "step.waitForEvent(name, { timeout })",
    use: ({ step }) => step.waitForEvent("approved", { timeout: "1h" }),
    says: /ctx\.step\.waitForEvent is not here\. Write: ctx\.waitFor\("approval", schema, \{ timeoutMs \}\)$/,
  },
  {
    peer: "Trigger.dev",
    what: "ctx.waitForEvent(name)",
    use: (ctx) => ctx.waitForEvent("approved"),
    says: /Write: ctx\.waitFor\("approval", schema/,
  },
  { peer: "Hono", what: "c.json(value)", use: (c) => c.json({ a: 1 }), says: /Write: return the value itself$/ },
];

for (const { peer, what, use, says } of HANDLERS) {
  test(`${peer}, in a handler: ${what}`, async () => {
    const lines: string[] = [];
    const write = (_: string, data?: Loose) => void lines.push(`${data?.error?.message}`);
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: write };
    const tool = defineTool("t").describe("T").handle((_, ctx) => use(ctx) as never);
    await rejects(Promise.resolve(testClient(createServer({ tools: [tool], logger })).t()), { code: "internal" });
    match(lines.join("\n"), says);
  });
}

test("a member of another library's context may be set by a middleware", async () => {
  const tool = defineTool("t").describe("T").use((ctx, next) => {
    (ctx as Loose).authInfo = { userId: "ada" };
    return next();
  }).handle((_, ctx: Loose) => ctx.authInfo.userId);
  strictEqual(await testClient(createServer({ tools: [tool] })).t(), "ada");
});

/** The value is a client without types. */
const CLIENTS: readonly Used[] = [
  {
    peer: "AI SDK",
    what: "client.tools()",
    use: (c) => c.tools(),
    says: /of the client itself: client\.\$\.list\(\)$/,
  },
  { peer: "AI SDK", what: "client.close()", use: (c) => c.close(), says: /client\.\$\.close\(\)$/ },
  { peer: "official SDK", what: "client.connect(transport)", use: (c) => c.connect({}), says: /nothing to connect/ },
  { peer: "official SDK", what: "client.listTools()", use: (c) => c.listTools(), says: /client\.\$\.list\(\)$/ },
  {
    peer: "official SDK",
    what: "client.callTool({ name, arguments })",
    use: (c) => c.callTool({ name: "greet", arguments: { name: "Ada" } }),
    says: /client\.\$\.call\("name", \{ … \}\)$/,
  },
  {
    peer: "official SDK",
    what: "client.$.call({ name, arguments })",
    use: (c) => c.$.call({ name: "greet", arguments: { name: "Ada" } }),
    says: /^Cannot call: write client\.\$\.call\("name", \{ … \}\)$/,
  },
  {
    peer: "official SDK",
    what: "client.readResource({ uri })",
    use: (c) => c.readResource({ uri: "x:y" }),
    says: /resources\.read\(uri\)/,
  },
];

for (const { peer, what, use, says } of CLIENTS) {
  test(`${peer}, at a client: ${what}`, async () => {
    await rejects(async () => await use(createClient(server)), { message: says });
  });
}

/** Calls of our functions with the arguments of others. */
const CALLS: readonly (Omit<Used, "use"> & { readonly use: () => unknown })[] = [
  {
    peer: "AI SDK",
    what: 'createMCPClient({ transport: { type: "http", url } })',
    use: () => (createClient as Loose)({ transport: { type: "http", url: "https://a.example/mcp" } }),
    says: /Write: createClient\("https:\/\/a\.example\/mcp", \{ headers \}\)$/,
  },
  {
    peer: "tRPC",
    what: "createTRPCClient({ links: [httpBatchLink({ url })] })",
    use: () => (createClient as Loose)({ links: [] }),
    says: /pass a URL, or a transport such as memoryTransport\(server\)$/,
  },
  {
    peer: "Hono",
    what: "serve({ fetch: server.fetch, port: 3000 })",
    use: () => (serve as Loose)({ fetch: server.fetch, port: 3000 }),
    says: /as serve\(server, \{ port: 8000 \}\)$/,
  },
  {
    peer: "Hono",
    what: "serve(server, { port }, (info) => …), a callback that would never be called",
    use: () => (serve as Loose)(server, { port: 0 }, () => {}),
    says: /there is no callback\. Write: const \{ url \} = await serve\(server, \{ port \}\)$/,
  },
  {
    peer: "tRPC",
    what: "serve(server, 3000), as listen(3000)",
    use: () => (serve as Loose)(server, 3000),
    says: /write serve\(server, \{ port: 3000 \}\)$/,
  },
];

for (const { peer, what, use, says } of CALLS) {
  test(`${peer}: ${what}`, async () => {
    await rejects(async () => await use(), { name: "TypeError", message: says });
  });
}

/** Results of the official SDK, from a tool with `.output()`: the log has what to return. */
for (
  const [what, result, says] of [
    [
      "{ content, structuredContent }",
      { structuredContent: { celsius: 22 } },
      /return the value of structuredContent itself/,
    ],
    ["{ content, isError: true }", { isError: true }, /throw ctx\.fail\(code, message\)/],
  ] as const
) {
  test(`official SDK, a result of a tool with an output: ${what}`, async () => {
    const lines: string[] = [];
    const write = (_: string, data?: Loose) => void lines.push(`${data?.error?.message}`);
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: write };
    const tool = defineTool("t").describe("T").output(z.object({ celsius: z.number() }))
      .handle(() => ({ content: [{ type: "text", text: "22" }], ...result }) as never);
    await rejects(Promise.resolve(testClient(createServer({ tools: [tool], logger })).t()), { code: "internal" });
    ok(lines.some((line) => says.test(line)), lines.join("\n"));
  });
}

test("official SDK, a result of a tool without an output: { content, isError: true } is logged once, as other wires answer with it", async () => {
  const lines: string[] = [];
  const warn = (message: string, data?: Loose) => void lines.push(`${data?.tool}: ${message}`);
  const logger = { debug: () => {}, info: () => {}, warn, error: warn };
  const read = defineTool("read").describe("R")
    .handle(() => ({ content: [{ type: "text", text: "No such file" }], isError: true }) as never);
  const other = defineTool("other").describe("O").handle(() => ({ isError: true }));
  const client = testClient(createServer({ tools: [read, other], logger }));
  for (const call of [client.read, client.read, client.other]) await call();
  strictEqual(lines.length, 1, lines.join("\n"));
  match(lines[0]!, /^read: A tool returned \{ isError: true, content \}.* Throw ctx\.fail\(code, message\)/);
});

test("a ToolError with an unknown code: the log has the problem, and what to throw", async () => {
  const lines: string[] = [];
  const write = (_: string, data?: Loose) => void lines.push(`${data?.hint}`);
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: write };
  const tool = defineTool("t").describe("T").handle(() => {
    throw new ToolError("not_found" as never, "No todo 9");
  });
  await rejects(Promise.resolve(testClient(createServer({ tools: [tool], logger })).t()), { code: "internal" });
  match(
    lines.join(),
    /a ToolError has no code "not_found"\. Declare it, \.errors\(\{ not_found: null \}\), and throw ctx\.fail\(/,
  );
});

test("a gateway or a server as a part, without mount(): the line to write", async () => {
  const remote = await gateway("remote", memoryTransport(server));
  for (const part of [remote, server]) {
    throws(() => createServer({ tools: [], parts: [part as never] }), {
      message: /: write mount\(server\), or group\("name", server\), of "toolwire\/compose"$/,
    });
  }
  await remote.close?.();
});
