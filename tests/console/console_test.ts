/** The console's API: who may use it, what it shows, and what it keeps. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  createServer,
  defineTool,
  keyRing,
  mcp,
  mcpLite,
  memoryTransport,
  type Server,
} from "../../mod.ts";
import { FakeClock } from "../../src/entries/testing.ts";
import { memoryEngine } from "../../src/entries/engines.ts";
import { authenticate } from "../../src/entries/auth.ts";
import * as v from "../../src/entries/schema.ts";
import { type ConsoleOptions, consolePage } from "../../src/entries/console.ts";

const add = defineTool("add").describe("Add").input(v.object({ a: v.number(), b: v.number() })).handle(({ a, b }) =>
  a + b
);
const hidden = defineTool("hidden").describe("Hidden").visibleTo(() => false).handle(() => 1);
const broken = defineTool("broken").describe("Broken").handle(() => {
  throw new Error("the database is away");
});
const slow = defineTool("slow").describe("Slow").promise({ budgetMs: 1, required: true }).handle(() => "done");
const secret = defineTool("sign_in").describe("Sign in")
  .input(v.object({ user: v.string(), password: v.string() })).handle(({ password }) => ({
    token: `Bearer ${password}`,
  }));

const KEY = "open sesame";

function serverWith(options: ConsoleOptions = {}, more: Partial<Parameters<typeof createServer>[0]> = {}): Server {
  const tools = [add, hidden, broken, slow, secret];
  return createServer(
    {
      tools,
      wires: [mcp(), mcpLite(), consolePage({ key: KEY, ...options })],
      engine: memoryEngine(),
      keys: keyRing("k1:a secret that this test has and no other"),
      logger: false,
      ...more,
    } as Parameters<typeof createServer>[0],
  ) as unknown as Server;
}

interface Asked {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

async function ask(
  server: Server,
  name: string,
  input: unknown = {},
  headers: Record<string, string> = {},
  origin = "http://localhost:8000",
): Promise<Asked> {
  const response = await server.fetch(
    new Request(`${origin}/console/api/${name}`, {
      method: "POST",
      headers: { "x-toolwire-console": "1", "x-toolwire-console-key": KEY, ...headers },
      body: JSON.stringify(input),
    }),
  );
  return { status: response.status, json: await response.json() };
}

async function callOver(server: Server, tool: string, args: unknown): Promise<Response> {
  return await server.fetch(
    new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } }),
    }),
  );
}

test("the page is one document whose policy has the hashes of its script and style", async () => {
  const response = await serverWith().fetch(new Request("http://localhost/console"));
  const html = await response.text();
  match(html, /^<!doctype html>/i);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const [tag, directive] of [["script", "script-src"], ["style", "style-src"]] as const) {
    const [, text = ""] = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(html) ?? [];
    ok(text.length > 1_000);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    ok(policy.includes(`${directive} 'sha256-${btoa(String.fromCharCode(...digest))}'`), directive);
  }
  strictEqual(response.headers.get("x-content-type-options"), "nosniff");
});

test("without auth or key the API needs a random key, whose link the log has once", async () => {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const logger = { debug() {}, info() {}, error() {}, warn: note };
  const server = serverWith({ key: undefined } as never, { logger, basePath: "/tools" } as never);
  const hello = async (key: string, host = "localhost") => {
    const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": key, host };
    const url = `http://${host}/tools/console/api/hello`;
    return (await server.fetch(new Request(url, { method: "POST", headers }))).status;
  };
  deepStrictEqual(lines, [], "nothing is printed before the console is used");
  await server.fetch(new Request("http://localhost/tools/console"));
  await server.fetch(new Request("http://localhost/tools/console"));
  strictEqual(lines.length, 1);
  const [, key = ""] = /^The console is at \/tools\/console#key=([\da-f]{32})$/.exec(lines[0] ?? "") ?? [];
  for (const host of ["localhost", "127.0.0.1", "tools.example"]) {
    deepStrictEqual([await hello("", host), await hello("x", host), await hello(key, host)], [403, 403, 200], host);
  }
});

test("a page of another origin can neither read nor call, whatever CORS allows", async () => {
  const server = serverWith({}, { origins: "*" } as never);
  strictEqual((await ask(server, "hello", {}, { origin: "http://evil.example" })).status, 403);
  strictEqual((await ask(server, "hello", {}, { "sec-fetch-site": "cross-site" })).status, 403);
  strictEqual((await ask(server, "hello", {}, { "x-toolwire-console": "" })).status, 403);
  strictEqual(
    (await ask(server, "hello", {}, { origin: "http://localhost:8000", "sec-fetch-site": "same-origin" })).status,
    200,
  );
});

test("with a key, only its holders use the API, from any host", async () => {
  const server = serverWith({ key: "open sesame" });
  const far = "http://tools.example";
  strictEqual((await ask(server, "hello", {}, { "x-toolwire-console-key": "" })).status, 403);
  strictEqual((await ask(server, "hello", {}, { "x-toolwire-console-key": "open sesamE" }, far)).status, 403);
  strictEqual((await ask(server, "hello", {}, { "x-toolwire-console-key": "open sesame and more" }, far)).status, 403);
  strictEqual((await ask(server, "hello", {}, { "x-toolwire-console-key": "open sesame" }, far)).status, 200);
});

test("with auth, callers need the scope; the page itself is public", async () => {
  const auth = {
    mount: () => ({
      answer: (
        head: { principal: unknown; metadata: Headers },
        body: unknown,
        wire: { handle(...args: unknown[]): unknown },
      ) => {
        const scopes = head.metadata.get("x-scopes");
        head.principal = scopes === null ? undefined : { id: "ada", scopes: scopes.split(" ") };
        return wire.handle(head, body);
      },
      challenge: () => undefined,
      security: { schemes: {}, allowsAnonymous: true },
    }),
  };
  const server = serverWith({ scope: "operate" }, { auth } as never);
  strictEqual((await ask(server, "hello")).status, 403);
  const refused = await ask(server, "hello", {}, { "x-scopes": "console" });
  match(refused.json.error.message, /scope "operate"/);
  const allowed = await ask(server, "hello", {}, { "x-scopes": "read operate" });
  deepStrictEqual(allowed.json.principal, { id: "ada", scopes: ["read", "operate"] });
});

for (
  const [description, describe] of [
    ["nothing", {}],
    ["security schemes", { securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } } }],
    ["anonymous callers", { allowAnonymous: true }],
  ] as const
) {
  test(`with authenticate() that describes ${description}, callers need the scope, and the key is not asked for`, async () => {
    const callers = new Map([["operator", { id: "ada", scopes: ["console"] }], ["guest", { id: "eve", scopes: [] }]]);
    const auth = authenticate(({ metadata }) => callers.get(metadata.get("x-api-key") ?? ""), describe);
    const server = serverWith({}, { auth } as never);
    const hello = async (headers: Record<string, string>) => (await ask(server, "hello", {}, headers)).status;
    strictEqual(await hello({ "x-api-key": "operator", "x-toolwire-console-key": "" }), 200);
    strictEqual(await hello({ "x-api-key": "guest" }), 403, "the key of the console is not a substitute for the scope");
    strictEqual(await hello({}), description === "anonymous callers" ? 403 : 401);
    throws(() => serverWith({ actAs: true }, { auth } as never), /^TypeError: .*actAs is for servers without auth/);
  });
}

test("a caller of one tenant has no console, which shows all tenants", async () => {
  const auth = authenticate(({ metadata }) => {
    const tenant = metadata.get("x-tenant") ?? undefined;
    return { id: "ops", tenant, scopes: ["console"] };
  });
  const server = serverWith({}, { auth });
  strictEqual((await ask(server, "hello")).status, 200);
  const refused = await ask(server, "hello", {}, { "x-tenant": "north" });
  strictEqual(refused.status, 403);
  match(JSON.stringify(refused.json), /shows the calls and jobs of all tenants/);
});

test("an auth that does not describe itself is auth all the same", async () => {
  const answer = (head: unknown, body: unknown, wire: { handle(...args: unknown[]): unknown }) =>
    wire.handle(head, body);
  const auth = { mount: () => ({ answer, challenge: () => undefined }) };
  strictEqual((await ask(serverWith({}, { auth } as never), "hello")).status, 403);
});

test("tools that the caller may not see are counted, and not named", async () => {
  const { json } = await ask(serverWith(), "tools");
  strictEqual(json.hidden, 1);
  ok(!json.tools.some((tool: { listing: { name: string } }) => tool.listing.name === "hidden"));
  const checked = await ask(serverWith(), "check", { tool: "hidden", args: {} });
  strictEqual(checked.status, 404);
});

test("check validates arguments as a call does, and runs no handler", async () => {
  const server = serverWith();
  deepStrictEqual((await ask(server, "check", { tool: "add", args: { a: 1, b: 2 } })).json, { issues: [] });
  const { issues } = (await ask(server, "check", { tool: "add", args: { a: "x" } })).json;
  deepStrictEqual(issues.map(({ path }: { path: unknown }) => path), [["a"], ["b"]]);
  strictEqual((await ask(server, "poll")).json.stats.length, 0);
});

test("the feed has calls of every wire, refused ones, and requests that are no call; each once", async () => {
  const server = serverWith();
  await callOver(server, "add", { a: 1, b: 2 });
  await callOver(server, "broken", {});
  await callOver(server, "nope", {});
  await server.fetch(new Request("http://localhost/mcp-lite/v1/callme"));
  await createClient(memoryTransport(server)).$.call("add", { a: 3, b: 4 });
  const { json } = await ask(server, "poll");
  const shown = json.events.map((
    { type, tool, wire, outcome, code, path, status }: Record<string, unknown>,
  ) => [type, tool ?? path, wire ?? outcome, code ?? status]);
  deepStrictEqual(shown, [
    ["begin", "add", "mcp-lite", undefined],
    ["end", undefined, "answer", undefined],
    ["begin", "broken", "mcp-lite", undefined],
    ["end", undefined, "error", "internal"],
    ["refused", "nope", "mcp-lite", "tool_not_found"],
    ["refused", "/mcp-lite/v1/callme", undefined, 404],
    ["begin", "add", "memory", undefined],
    ["end", undefined, "answer", undefined],
  ]);
  const masked = json.events.find(({ code }: { code?: string }) => code === "internal");
  match(masked.correlationId, /^[\da-f-]{36}$/);
  ok(!JSON.stringify(json).includes("database"), "the error itself stays in the log");
  const counts = json.stats.map(({ tool, calls, errors }: Record<string, unknown>) => [tool, calls, errors]);
  deepStrictEqual(counts, [["add", 2, 0], ["broken", 1, 1]]);
});

test("with stacks: true the feed has the stack of a masked error, without secrets; the caller has none", async () => {
  const leaky = defineTool("leaky").describe("Leaky").handle(() => {
    throw new Error(`refused: ${"Bearer " + "x".repeat(40)}`);
  });
  const server = serverWith({ stacks: true }, { tools: [broken, leaky] });
  const answer = await (await callOver(server, "broken", {})).text();
  await callOver(server, "leaky", {});
  ok(!answer.includes("database"), answer);
  const { json } = await ask(server, "poll");
  const [first, second] = json.events.filter(({ type }: { type: string }) => type === "end");
  match(first.stack, /the database is away\s+at /);
  match(second.stack, /refused: /);
  ok(!second.stack.includes("xxxx"), second.stack);
});

test("attempts of jobs are in the feed", async () => {
  const server = serverWith();
  const client = createClient(memoryTransport(server));
  await client.$.call("slow", {}, { meta: { promise: true } });
  const { json } = await ask(server, "poll");
  ok(
    json.events.some(({ type, tool, attempt }: Record<string, unknown>) =>
      type === "begin" && tool === "slow" && attempt === 1
    ),
  );
  await server.close(0);
});

test("arguments and results are kept only while a page watches, and without secrets", async () => {
  const server = serverWith();
  await callOver(server, "sign_in", { user: "ada", password: "correct horse battery" });
  const watching = await server.fetch(
    new Request("http://localhost/console/api/feed", {
      method: "POST",
      headers: { "x-toolwire-console": "1", "x-toolwire-console-key": KEY },
      body: "{}",
    }),
  );
  const reader = watching.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  ok(!first.includes("args") && !first.includes("horse"));
  await callOver(server, "sign_in", { user: "ada", password: "correct horse battery" });
  let text = "";
  while (!text.includes('"end"')) text += new TextDecoder().decode((await reader?.read())?.value);
  ok(text.includes("ada") && text.includes("[redacted]"), text);
  ok(!text.includes("horse"), text);
  await reader?.cancel();
  await server.close(0);
});

test("the feed keeps bounded memory, and says what it lost", async () => {
  const clock = new FakeClock();
  const server = serverWith({}, { clock } as never);
  for (let n = 0; n < 4_000; n++) {
    // Not more a second than are kept while no page is open.
    if (n % 400 === 0) await clock.tick(1_000);
    await callOver(server, "add", { a: n, b: 1 });
  }
  const { json } = await ask(server, "poll", { after: 1 });
  ok(json.events.length <= 5_120 && json.events.length >= 4_096, String(json.events.length));
  strictEqual(json.lost, json.events[0].seq - 2);
  const [{ calls, perSecond }] = json.stats;
  strictEqual(calls, 4_000);
  strictEqual(perSecond.reduce((sum: number, count: number) => sum + count, 0), 4_000);
  const other = await ask(server, "poll", { after: 8_000, instance: "another" });
  ok(other.json.events.length > 4_000, "after a restart a page reads from the start");
});

test("at most eight pages watch", async () => {
  const server = serverWith();
  const open = () =>
    server.fetch(
      new Request("http://localhost/console/api/feed", {
        method: "POST",
        headers: { "x-toolwire-console": "1", "x-toolwire-console-key": KEY },
        body: "{}",
      }),
    );
  const streams = await Promise.all(Array.from({ length: 8 }, open));
  deepStrictEqual([...new Set(streams.map(({ status }) => status))], [200]);
  strictEqual((await open()).status, 429);
  await streams[0]?.body?.cancel();
  const again = await open();
  strictEqual(again.status, 200);
  await server.close(0);
});

test("a token shows what it is for, and no key", async () => {
  const server = serverWith();
  const outcome = await createClient(memoryTransport(server)).$.outcome("slow", {}, { meta: { promise: true } });
  ok(outcome.kind === "promise");
  const { json } = await ask(server, "token", { token: ` ${outcome.token}\n` });
  deepStrictEqual([json.kind, json.kid, json.tool, json.isExpired, json.isSealed], [
    "promise",
    "k1",
    "slow",
    false,
    false,
  ]);
  for (const token of ["", "prom_", "prom_AAAA", "x".repeat(100_000), "prom_" + "A".repeat(3_000)]) {
    deepStrictEqual((await ask(server, "token", { token })).json, { kind: null });
  }
  await server.close(0);
});

test("wrong requests and options are refused by name", async () => {
  const server = serverWith();
  strictEqual((await ask(server, "nothing")).status, 404);
  const get = await server.fetch(
    new Request("http://localhost/console/api/hello", {
      headers: { "x-toolwire-console": "1", "x-toolwire-console-key": KEY },
    }),
  );
  strictEqual(get.status, 405);
  const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": KEY };
  for (const body of ["[", "[]", "1"]) {
    strictEqual(
      (await server.fetch(new Request("http://localhost/console/api/poll", { method: "POST", headers, body }))).status,
      400,
    );
  }
  throws(() => consolePage({ pth: "/x" } as never), /did you mean "path"/);
  throws(() => consolePage({ key: "" }), /key must be text/);
  for (const path of ["/", "", "//"]) throws(() => consolePage({ path }), /path is "\/", and must name a page/);
  const wires = [consolePage(), consolePage({ path: "/other" })];
  throws(() => createServer({ tools: [add], wires }), /have an observer already. Mount one consolePage\(\)/);
});

/** The text that a page that watches receives, until `last` is in it. */
async function watching(server: Server): Promise<(last: string) => Promise<string>> {
  const headers = { "x-toolwire-console": "1", "x-toolwire-console-key": KEY };
  const request = new Request("http://localhost/console/api/feed", { method: "POST", headers, body: "{}" });
  const reader = (await server.fetch(request)).body?.getReader();
  let text = "";
  return async (last) => {
    while (!text.includes(last)) text += new TextDecoder().decode((await reader?.read())?.value);
    return text;
  };
}

test("a page that opens takes no events from those that watch", async () => {
  const server = serverWith();
  const first = await watching(server);
  await callOver(server, "add", { a: 1, b: 2 });
  await watching(server);
  await callOver(server, "broken", {});
  match(await first('"code":"internal"'), /"type":"begin"[^}]*"tool":"add"/);
  await server.close(0);
});

const leaky = defineTool("leaky").describe("Leaky")
  .output(v.object({ pin: v.pipe(v.string(), v.metadata({ format: "password" })) }))
  .handle(async (_, ctx) => {
    await ctx.progress(1, 2, "clone https://ada:hunter2pw@tools.example/x");
    return { pin: "31415926" };
  });
const spelled = defineTool("spelled").describe("Spelled").handle(async function* () {
  yield "key: sk-abcdefgh";
  yield "ijklmnopqrstuvwxyz012345";
});
const wordy = defineTool("wordy").describe("Wordy").errors({ wordy: v.object({}) }).handle((_, ctx) => {
  throw ctx.fail("wordy", "word ".repeat(20_000), {});
});

test("secrets of progress, of described answers and of divided texts are not in the feed", async () => {
  const server = serverWith({}, { tools: [leaky, spelled, wordy] } as never);
  const read = await watching(server);
  const client = createClient(memoryTransport(server));
  await client.$.call("leaky");
  for await (const _ of client.$.stream("spelled")) { /* Only the feed is of interest. */ }
  await client.$.outcome("wordy");
  const text = await read('"code":"wordy"');
  ok(!/hunter2pw|31415926|abcdefgh|ijklmnop/.test(text), text);
  match(text, /clone https/);
  match(text, /\(16 characters\)/);
  ok(text.length < 20_000, `${text.length} characters`);
  await server.close(0);
});

test("with bodies: false the feed has no messages of progress", async () => {
  const server = serverWith({ bodies: false }, { tools: [leaky] } as never);
  const read = await watching(server);
  await createClient(memoryTransport(server)).$.call("leaky");
  const text = await read('"type":"end"');
  match(text, /"progress":\{"done":1,"total":2\}/);
  await server.close(0);
});

test("calls whose arguments are no object, and calls after the server has closed, reach the observer", async () => {
  const server = createServer({ tools: [add], wires: [mcpLite()], logger: false }) as unknown as Server;
  const { dispatch } = server["~server"].host;
  const codes: string[] = [];
  dispatch.observer = { begin() {}, end() {}, refuse: (_, { code }) => void codes.push(code), reply() {} };
  const peer = { wire: "test", metadata: new Headers(), client: {}, signal: undefined };
  dispatch.call({ tool: "add", args: [], peer } as never);
  await server.close(0);
  dispatch.call({ tool: "add", args: { a: 1, b: 2 }, peer } as never);
  deepStrictEqual(codes, ["invalid_input", "unavailable"]);
});
