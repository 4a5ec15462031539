/** Middleware over every wire: same input, same results. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, Failure, type Middleware } from "../../../mod.ts";
import { cache, concurrencyLimit, rateLimit, timeout } from "../../../src/entries/middleware.ts";
import { definePrompt, defineResource } from "../../../src/entries/mcp.ts";
import { openapiPage } from "../../../src/server/pages/openapi.ts";
import { FakeClock, testClient } from "../../../src/entries/testing.ts";
import { carries, skipOf, type WireRow, WIRES, wires } from "../../wires/matrix.ts";

class OutOfStock extends Error {}

function createTools() {
  let runs = 0;
  return [
    defineTool("stream").describe("Stream").handle(async function* () {
      yield "a";
      yield "b";
    }),
    defineTool("fail").describe("Fail").handle((): string => {
      throw new OutOfStock();
    }),
    defineTool("limited").describe("Limited").use(rateLimit({ perSecond: 0.1, burst: 1 })).handle(() => "taken"),
    defineTool("full").describe("Full").use(concurrencyLimit({ max: 1 })).handle(() => new Promise<string>(() => {})),
    defineTool("slow").describe("Slow").use(timeout(10)).handle(() => new Promise<string>(() => {})),
    defineTool("cached").describe("Cached").annotate({ readOnlyHint: true }).use(cache({ ttlMs: 60_000 })).handle(() =>
      ++runs
    ),
  ] as const;
}

async function withServer(
  wire: WireRow,
  check: (client: ReturnType<typeof clientOf>, seen: string[]) => Promise<void>,
): Promise<void> {
  const seen: string[] = [];
  const watching: Middleware = async (ctx, next) => {
    let pieces = 0;
    ctx.onEvent(({ kind }) => {
      if (kind === "partial") pieces++;
    });
    const settled = await next();
    seen.push(`${ctx.tool.name} ${settled.kind} ${pieces}`);
    return settled;
  };
  const server = createServer({
    tools: createTools(),
    wires,
    middleware: [watching],
    timeoutMs: 30_000,
    onError: (error) => error instanceof OutOfStock ? new Failure("out_of_stock", "Nothing left") : undefined,
  });
  const { transport, close } = await wire.open(server);
  try {
    await check(clientOf(transport), seen);
  } finally {
    transport.close?.();
    await server.close(0);
    await close();
  }
}

function clientOf(transport: Awaited<ReturnType<WireRow["open"]>>["transport"]) {
  return createClient<ReturnType<typeof createServer<ReturnType<typeof createTools>>>>(transport, {
    retry: { attempts: 0 },
  });
}

for (const wire of WIRES) {
  const skip = skipOf(wire);

  test(`${wire.name}: middleware sees calls and how they end, streams included`, { skip }, async () => {
    await withServer(wire, async (client, seen) => {
      const pieces: string[] = [];
      for await (const piece of client.stream.stream()) pieces.push(piece);
      deepStrictEqual(pieces, carries(wire, "pieces of answers") ? ["a", "b"] : []);
      strictEqual(await client.stream(), "ab");
      await rejects(client.fail(), { name: "Failure", code: "out_of_stock", message: "Nothing left" });
      deepStrictEqual(seen, ["stream answer 2", "stream answer 2", "fail failure 0"]);
    });
  });

  test(`${wire.name}: limits and caches are told alike`, { skip }, async () => {
    await withServer(wire, async (client) => {
      strictEqual(await client.limited(), "taken");
      await rejects(
        client.limited(),
        (error: { readonly code: string; readonly details: { retry_after_ms: number } }) => {
          return error.code === "rate_limited" && error.details.retry_after_ms > 9_000;
        },
      );
      void client.full().catch(() => {});
      // Over a wire the calls may be reordered: one of them is rejected at once.
      await rejects(Promise.race([client.full(), client.full()]), { code: "unavailable" });
      await rejects(client.slow(), { code: "deadline_exceeded" });
      deepStrictEqual([await client.cached(), await client.cached()], [1, 1]);
    });
  });
}

for (const wire of WIRES) {
  test(`${wire.name}: lists have a rate limit apart from calls`, { skip: skipOf(wire) }, async () => {
    const limit = rateLimit({ perSecond: 100, burst: 100, lists: { perSecond: 0.1, burst: 2 } });
    const server = createServer({ tools: createTools(), wires, middleware: [limit], logger: false });
    // A client for each list: some request it only once.
    const opened = [await wire.open(server), await wire.open(server), await wire.open(server)];
    const [first, second, third] = opened.map(({ transport }) => createClient(transport, { retry: { attempts: 0 } }));
    try {
      for (const client of [first, second]) ok((await client?.$.list())?.some(({ name }) => name === "limited"));
      await rejects(
        async () => await third?.$.list(),
        (error: { readonly code: string; readonly details: { retry_after_ms: number } }) => {
          return error.code === "rate_limited" && error.details.retry_after_ms > 9_000;
        },
      );
    } finally {
      for (const { transport } of opened) transport.close?.();
      await server.close(0);
      for (const { close } of opened) await close();
    }
  });
}

test("over HTTP a list over its limit is 429 with Retry-After, whatever the path", async () => {
  const limit = rateLimit({
    perSecond: 100,
    lists: { perSecond: 0.1, burst: 1 },
    key: ({ metadata }) => metadata.get("x-key") ?? "",
  });
  const prompt = definePrompt("greet").describe("Greet").handle(() => "Hello");
  const resource = defineResource("docs://readme").title("Read me").read(() => "text");
  const server = createServer({
    tools: createTools(),
    prompts: [prompt],
    resources: [resource],
    wires: [...wires, openapiPage()],
    middleware: [limit],
    logger: false,
  });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const mcp = (method: string) => ({
    path: "/mcp",
    body: { jsonrpc: "2.0", id: 1, method, params: { _meta } },
    added: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
  });
  const requests: readonly {
    readonly path: string;
    readonly body?: unknown;
    readonly added?: Record<string, string>;
  }[] = [
    ...["/mcp-lite/v1/listtools", "/mcp-lite/v1/tools", "/mcp-lite/v1/prompts"].map((path) => ({ path, body: {} })),
    { path: "/mcp-lite/v1/rpc", body: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
    { path: "/mcp-lite/v1/rpc", body: { jsonrpc: "2.0", id: 1, method: "prompts/list" } },
    ...["tools/list", "resources/list", "resources/templates/list", "prompts/list"].map(mcp),
    { path: "/rest/tools" },
    { path: "/rest/openapi.json" },
    { path: "/openapi.json" },
    { path: "/webtools/fixture" },
    { path: "/mcplite.MCPLite/GetTools", body: {} },
    { path: "/mcplite.MCPLite/GetPrompts", body: {} },
  ];
  for (const [index, { path, body, added }] of requests.entries()) {
    const statuses: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      const headers = {
        "x-key": String(index),
        accept: "application/json, text/event-stream",
        ...body !== undefined && { "content-type": "application/json" },
        ...added,
      };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      const response = await server.fetch(new Request(`http://localhost${path}`, init));
      await response.text();
      statuses.push(response.status, response.headers.get("retry-after"));
    }
    deepStrictEqual(statuses, [200, null, 429, "10"], `${path} ${JSON.stringify(body)}`);
  }
  await server.close(0);
});

test("by default 10 lists at once and one per second are answered, for a limit of fewer calls", async () => {
  const clock = new FakeClock();
  const limit = rateLimit({ perSecond: 0.1, burst: 1 });
  const server = createServer({ tools: createTools(), wires, middleware: [limit], clock });
  const client = testClient(server, { retry: { attempts: 0 } });
  const answered = async (): Promise<number> => {
    const lists = Array.from(
      { length: 14 },
      () => client.$.list().then(() => 1, ({ code }) => Number(code !== "rate_limited")),
    );
    return (await Promise.all(lists)).reduce((sum, one) => sum + one, 0);
  };
  strictEqual(await answered(), 10);
  clock.tick(3_000);
  strictEqual(await answered(), 3);
  await server.close(0);
});

test("by default lists have the rate of calls, if that is higher", async () => {
  const clock = new FakeClock();
  const server = createServer({ tools: createTools(), wires, middleware: [rateLimit({ perSecond: 20 })], clock });
  const client = testClient(server, { retry: { attempts: 0 } });
  for (let lists = 0; lists < 20; lists++) ok((await client.$.list()).length > 0);
  await rejects(client.$.list(), { code: "rate_limited" });
  await server.close(0);
});

test("rateLimit() of a tool counts no lists, and lists: false counts none of a server", async () => {
  const lists = { perSecond: 0.1, burst: 1 };
  const ping = defineTool("ping").describe("Answer").use(rateLimit({ perSecond: 1, lists })).handle(() => "pong");
  const servers = [
    createServer({ tools: [ping] }),
    createServer({ tools: [ping], middleware: [rateLimit({ perSecond: 0.1, burst: 1, lists: false })] }),
  ];
  for (const server of servers) {
    const client = testClient(server);
    for (let times = 0; times < 200; times++) strictEqual((await client.$.list()).length, 1);
    await server.close(0);
  }
});
