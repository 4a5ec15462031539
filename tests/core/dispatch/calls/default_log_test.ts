/** The log of a server without the option `logger`, and with `logger: false`. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  createServer,
  type Ctx,
  defineTool,
  Failure,
  memoryTransport,
  type ToolError,
} from "../../../../mod.ts";
import { definePrompt } from "../../../../src/core/content/define_prompt.ts";
import { mcp, mcpTransport } from "../../../../src/entries/mcp.ts";
import * as v from "../../../../src/entries/schema.ts";
import { createServer as createCoreServer } from "../../../../src/entries/core.ts";
import { collectConsole, KeptLog } from "../harness.ts";

const THROWN = new Error("secret");
const t = defineTool("t").describe("T");
const throwing = t.handle((): never => {
  throw THROWN;
});

test("without a logger, the error of a handler goes to console.error with its stack", async () => {
  const lines = await collectConsole(async () => {
    await rejects(createClient(memoryTransport(createServer({ tools: [throwing] }))).$.call("t"));
  });
  strictEqual(lines.length, 1);
  const [[message, fields] = []] = lines;
  strictEqual(message, "Tool call broke");
  const { tool, error } = fields as Record<string, unknown>;
  deepStrictEqual([tool, error], ["t", THROWN]);
  match(String(THROWN.stack), /^Error: secret\n +at /);
});

test("without a logger, an output mismatch and the random key are shown; other lines of handlers are not", async () => {
  const wrong = t.output(v.number()).handle(() => "text" as never);
  const promising = defineTool("p").describe("P").promise().handle((_, ctx) => {
    ctx.log("info", "not shown");
    ctx.log("warning", "shown");
  });
  const lines = await collectConsole(async () => {
    const client = createClient(memoryTransport(createServer({ tools: [wrong, promising] })));
    await rejects(client.$.call("t"));
    await client.$.start("p");
  });
  const texts = lines.map(([message, fields]) => `${message} ${String((fields as { error?: unknown })?.error ?? "")}`);
  match(texts[0] ?? "", /^Tool call broke TypeError: The output does not fit the declared schema at "": /);
  ok(texts.some((text) => text.startsWith("Tokens are signed with a random key")), String(texts));
  ok(
    texts.some((text) => text.startsWith("shown")) && !texts.some((text) => text.startsWith("not shown")),
    String(texts),
  );
});

const later = defineTool("later").describe("L").promise().handle(() => 1);

test("`logger: false` silences all of that, on both servers", async () => {
  const silent = { logger: false } as const;
  const servers = [
    createServer({ ...silent, tools: [throwing, later] }),
    createCoreServer({ ...silent, tools: [throwing] }),
  ] as const;
  const lines = await collectConsole(async () => {
    for (const server of servers) {
      const client = createClient(memoryTransport(server));
      await rejects(client.$.call("t"));
      if (server === servers[0]) await client.$.start("later");
      await server.fetch(new Request("http://a/mcp-lite/v1/tools", { headers: { origin: "http://evil.example" } }));
    }
  });
  deepStrictEqual(lines, []);
});

test("in one process the client's error has the original error as its cause; over a wire it has not", async () => {
  const server = createServer({ tools: [throwing], logger: false });
  const near = await createClient(memoryTransport(server)).$.call("t").catch((error: ToolError) => error) as ToolError;
  strictEqual(near.cause, THROWN);
  strictEqual(near.code, "internal");
  ok(!JSON.stringify(near.details).includes("secret"), JSON.stringify(near.details));
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  const far = await createClient("http://far.example", { fetch }).$.call("t").catch((error: ToolError) =>
    error
  ) as ToolError;
  deepStrictEqual([far.code, far.cause], ["internal", undefined]);
});

test("the first plain Error of each tool is logged with what to throw instead; errors of libraries and later ones are not", async () => {
  const log = new KeptLog();
  const thrower = (name: string, thrown: () => unknown) =>
    defineTool(name).describe("Throw").handle((): never => {
      throw thrown();
    });
  class QueryError extends Error {}
  const tools = [
    thrower("plain", () => new Error("Path leaves the folder")),
    thrower("other", () => new Error("Path leaves the folder")),
    thrower("missing_file", () => Object.assign(new Error("no such file"), { code: "ENOENT" })),
    thrower("of_library", () => new QueryError("no table")),
    thrower("of_type", () => new TypeError("undefined is not a function")),
    thrower("text", () => "text"),
    thrower("proxy", () => new Proxy({}, { getPrototypeOf: () => fail("trap") })),
  ];
  const guide = definePrompt("guide").describe("Guide").handle((): never => {
    throw new Error("no guide");
  });
  const server = createServer({ tools, prompts: [guide], wires: [mcp()], name: "s", version: "1", logger: log });
  const client = createClient(memoryTransport(server));
  for (const { name } of [...tools, ...tools]) await rejects(client.$.call(name), { code: "internal" });
  const fetch = (url: string, init: RequestInit) => server.fetch(new Request(url, init));
  const transport = mcpTransport("http://a/mcp", { fetch });
  await rejects(transport.prompts.get("guide"));
  transport.close?.();
  const hinted = log.lines.filter(({ fields }) => fields["hint"] !== undefined);
  deepStrictEqual(hinted.map(({ message, fields }) => [message, fields["tool"]]), [
    ["Tool call broke", "plain"],
    ["Tool call broke", "other"],
    ["Tool call broke", "prompt:guide"],
  ]);
  match(
    String(hinted[0]?.fields["hint"]),
    /throw new ToolError\(code, message\), or ctx\.fail\(code, message\) .*\.errors\(\)/,
  );
});

function fail(message: string): never {
  throw new Error(message);
}

test("a masked result that is copied or written as JSON has no cause", () => {
  const { host: { dispatch } } = createServer({ tools: [throwing], logger: false })["~server"];
  const result = dispatch.mask(THROWN, {});
  strictEqual(result.cause, THROWN);
  strictEqual({ ...result }.cause, undefined);
  ok(!JSON.stringify(result).includes("cause"));
});

test("a refused Host and a refused Origin are logged with the reason", async () => {
  const log = new KeptLog();
  const server = createServer({ tools: [throwing], hosts: ["a.example"], logger: log });
  const ask = (host: string, headers: Record<string, string>) =>
    server.fetch(new Request(`http://${host}/mcp-lite/v1/tools`, { method: "POST", headers }));
  strictEqual((await ask("b.example", {})).status, 403);
  strictEqual((await ask("a.example", { origin: "http://evil.example" })).status, 403);
  const path = "/mcp-lite/v1/tools";
  deepStrictEqual(log.lines, [
    {
      level: "warn",
      message: "Request refused",
      fields: { path, reason: 'This server does not answer for host "b.example": add it to "hosts"' },
    },
    {
      level: "warn",
      message: "Request refused",
      fields: { path, reason: 'Origin "http://evil.example" is not allowed: add it to "origins"' },
    },
  ]);
});

test("a preflight of a listed origin that needs CORS is logged with what is missing; not where CORS is switched off", async () => {
  const origin = "https://app.example";
  for (
    const [cors, expected] of [
      [undefined, ['Pages of "https://app.example" need CORS: add "cors: true"']],
      [false, []],
      [true, []],
    ] as const
  ) {
    const log = new KeptLog();
    const server = createServer({ tools: [throwing], origins: [origin], cors, logger: log });
    const headers = { origin, "access-control-request-method": "POST" };
    const { status } = await server.fetch(new Request("http://a.example/mcp", { method: "OPTIONS", headers }));
    strictEqual(status, cors ? 204 : 405);
    deepStrictEqual(log.lines.map(({ fields }) => fields["reason"]), expected);
  }
  // No origins, deliberately.
  createServer({ tools: [throwing], origins: [], cors: true });
});

test("the path of a refused request is logged without a token in it", async () => {
  const log = new KeptLog();
  const server = createServer({ tools: [throwing], hosts: ["a.example"], logger: log });
  const token = "tw1".padEnd(400, "abcdefgh");
  await server.fetch(new Request(`http://b.example/rest/v1/promises/${token}/cancel`, { method: "POST" }));
  strictEqual(log.lines[0]?.fields.path, "/rest/v1/promises/tw1abcde…/cancel");
});

test("calls that end before their middleware are logged: unknown tools and missing scopes", async () => {
  const log = new KeptLog();
  const scoped = t.scopes("write").handle(() => 1);
  const client = createClient(memoryTransport(createServer({ tools: [scoped], logger: log })));
  await rejects(client.$.call("x".repeat(1_000)));
  await rejects(client.$.call("t"));
  const common = { wire: "memory", outcome: "error" };
  deepStrictEqual(log.lines, [
    { level: "info", message: "Call refused", fields: { tool: "x".repeat(128), ...common, code: "tool_not_found" } },
    { level: "info", message: "Call refused", fields: { tool: "t", ...common, code: "unauthenticated" } },
  ]);
});

test('ctx.log("warning") is "warn"', async () => {
  const log = new KeptLog();
  const warning = t.handle((_, ctx) => ctx.log("warning", "slow"));
  await createClient(memoryTransport(createServer({ tools: [warning], logger: log }))).$.call("t");
  deepStrictEqual(log.lines.map(({ level, message }) => [level, message]), [["warn", "slow"]]);
});

test("an undeclared code of ctx.fail from JavaScript is named in the log, and how to declare it", async () => {
  const log = new KeptLog();
  const undeclared = t.handle((_, ctx) => {
    throw (ctx as unknown as Ctx).fail("sold_out", "Sold out");
  });
  await rejects(createClient(memoryTransport(createServer({ tools: [undeclared], logger: log }))).$.call("t"));
  match(
    String(log.lines[0]?.fields["error"]),
    /^TypeError: Cannot fail with "sold_out": declare it with \.errors\(\{ sold_out: … \}\) on tool "t"$/,
  );
  ok(!(log.lines[0]?.fields["error"] instanceof Failure));
});
