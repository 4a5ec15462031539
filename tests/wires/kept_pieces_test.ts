/** Pieces of promised streams: they are kept with the job, and a client continues after those that it has, on every wire that streams. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, memoryEngine, type Middleware } from "../../mod.ts";
import * as v from "../../src/entries/schema.ts";
import { carries, COMPOSED, isChosen, skipOf, WIRES, wires } from "./matrix.ts";
import { KEYS } from "./promises_fixture.ts";

const PIECES = Array.from({ length: 12 }, (_, n) => `piece ${n};`);
const WHOLE = PIECES.join("");

/** A tool whose pieces come when the test lets them, and a server with it. */
function opened(budgetMs: number, timeoutMs = 30_000) {
  const gates = PIECES.map(() => Promise.withResolvers<void>());
  const write = defineTool("write").describe("Write").promise({ budgetMs }).partial(v.string()).output(v.string())
    .handle(async function* (): AsyncGenerator<string, undefined> {
      for (const [n, piece] of PIECES.entries()) {
        await gates[n]?.promise;
        yield piece;
      }
      return undefined;
    });
  const redeemed = Promise.withResolvers<void>();
  const watch: Middleware = (ctx, next) => {
    if (ctx.tool.name === "redeem") redeemed.resolve();
    return next();
  };
  const engine = memoryEngine();
  const server = createServer({
    tools: [write],
    wires,
    engine,
    timeoutMs,
    logger: false,
    keys: KEYS,
    middleware: [watch],
  });
  const open = (from: number, to: number) => gates.slice(from, to).forEach(({ resolve }) => resolve());
  return { server, open, redeemed: redeemed.promise };
}

for (const wire of [...WIRES, ...COMPOSED]) {
  if (!isChosen(wire, 0)) continue;
  const skip = skipOf(wire, ["promises"]);
  const hasPieces = carries(wire, "pieces of answers");

  test(
    `${wire.name}: a stream continues over the promise that its call became, and has every piece once`,
    { skip },
    async () => {
      // Promised at the budget; the stream ends with the promise at 0.8 of the deadline.
      const { server, open, redeemed } = opened(20, 500);
      const { transport, close } = await wire.open(server);
      const stream = createClient<typeof server>(transport).write.stream();
      open(0, 4);
      // The rest comes only once the first request has ended, and the client redeems its promise.
      void redeemed.then(() => open(4, 12));
      const pieces = await Array.fromAsync(stream);
      if (hasPieces) deepStrictEqual(pieces, PIECES);
      strictEqual(await stream.result, WHOLE);
      strictEqual(stream.dropped, 0);
      await close();
      await server.close(0);
    },
  );

  test(
    `${wire.name}: another client redeems the token as a stream, from the start or after a number`,
    { skip },
    async () => {
      const { server, open } = opened(5);
      const { transport, close } = await wire.open(server);
      const [first, second] = [0, 1].map(() => createClient<typeof server>(transport));
      const { token = "" } = await first?.write.start() ?? {};
      open(0, hasPieces ? 5 : 12);
      const stream = second!.$.redeem<string, string>(token).stream();
      const pieces: string[] = [];
      for await (const piece of stream) {
        pieces.push(piece);
        if (pieces.length === 5) open(5, 12);
      }
      if (hasPieces) deepStrictEqual(pieces, PIECES);
      strictEqual(await stream.result, WHOLE);
      const rest = await Array.fromAsync(second!.$.redeem<string, string>(token).stream({ after: 9 }));
      if (hasPieces) deepStrictEqual(rest, PIECES.slice(9), "after its end, too");
      await close();
      await server.close(0);
    },
  );
}

test("pieces are bounded: the oldest are dropped, and the stream says how many", async () => {
  const size = 100_000;
  const flood = defineTool("flood").describe("Flood").promise({ budgetMs: 5 }).partial(v.string())
    .handle(async function* () {
      for (const n of [0, 1, 2, 3, 4]) yield `${n}`.repeat(size);
    });
  const server = createServer({ tools: [flood], logger: false });
  const client = createClient(server);
  const job = await client.flood.start();
  strictEqual((await job.result() as string).length, 5 * size);
  const stream = job.stream();
  const pieces = await Array.fromAsync(stream) as string[];
  deepStrictEqual(pieces.map((piece) => piece[0]), ["3", "4"]);
  strictEqual(stream.dropped, 3);
  ok(stream.dropped + pieces.length === 5);
  await server.close(0);
});

test("the event of dropped pieces is in the stream of MCP-lite", async () => {
  const flood = defineTool("flood").describe("Flood").promise({ budgetMs: 5 }).partial(v.string())
    .handle(async function* () {
      yield "a".repeat(200_000);
      yield "b".repeat(200_000);
    });
  const server = createServer({ tools: [flood], logger: false });
  const job = await createClient(server).flood.start();
  await job.result();
  const response = await server.fetch(
    new Request("http://localhost/mcp-lite/v1/calltools", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "redeem", arguments: { promise: job.token, after: 0 } },
      }),
    }),
  );
  const [first = ""] = (await response.text()).split("\n\n");
  ok(first.includes('data: {"dropped":{"from":0,"to":1}}'), first.slice(0, 200));
  await server.close(0);
});

test("the Location of a promise over REST is a stream of its pieces, after a number if there is one", async () => {
  const { server, open } = opened(5);
  const { token } = await createClient(server).write.start();
  open(0, 12);
  await createClient(server).$.redeem(token).result();
  const read = async (query: string) => {
    const url = `http://localhost/rest/tools/write/promises/${token}${query}`;
    const response = await server.fetch(new Request(url, { headers: { accept: "text/event-stream" } }));
    return { status: response.status, pieces: (await response.text()).match(/piece \d+/g)?.length };
  };
  // The last one is the answer.
  deepStrictEqual(await read(""), { status: 200, pieces: 24 });
  deepStrictEqual(await read("?after=10"), { status: 200, pieces: 14 });
  strictEqual((await read("?after=x")).status, 400);
  await server.close(0);
});
