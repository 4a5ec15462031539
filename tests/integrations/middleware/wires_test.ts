/** Middleware over every wire: same input, same results. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, Failure, type Middleware } from "../../../mod.ts";
import { cache, concurrencyLimit, rateLimit, timeout } from "../../../src/integrations/middleware/mod.ts";
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
