/** Pieces of streamed answers over MCP: from servers of this SDK, and the error of servers without pieces. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, createServer, defineTool } from "../../../../mod.ts";
import type { Transport } from "../../../../src/entries/wire.ts";
import { aiSdkTools } from "../../../../src/entries/agents.ts";
import { gateway, mount } from "../../../../src/entries/compose.ts";
import { mcp, mcpSessions, mcpTransport } from "../../../../src/entries/mcp.ts";
import * as v from "../../../../src/entries/schema.ts";
import { openStdio } from "../stdio/in_process.ts";
import { legacy, modern, text } from "./scripted.ts";

const count = defineTool("count").describe("Count").input(v.object({ to: v.number() })).partial(v.number())
  .handle(async function* ({ to }, ctx) {
    for (let at = 1; at <= to; at++) {
      ctx.progress(at, to);
      yield at;
    }
  });
const whole = defineTool("whole").describe("Return at once").handle(() => "whole");
const server = createServer({ tools: [count, whole], wires: [mcp({ sessions: mcpSessions() })] });
const overHttp = (era: "modern" | "legacy", to: { fetch(request: Request): Promise<Response> } = server) =>
  mcpTransport("http://localhost/mcp", { era, fetch: (url, init) => to.fetch(new Request(url, init)) });

async function piecesOf(transport: Transport, tool: string, args: object) {
  const stream = createClient(transport).$.stream(tool, args);
  const pieces: unknown[] = [];
  for await (const piece of stream) pieces.push(piece);
  return { pieces, result: await stream.result };
}

const UP_TO_2000 = Array.from({ length: 2_000 }, (_, at) => at + 1);

for (const era of ["modern", "legacy"] as const) {
  describe(era, () => {
    test("all pieces of a Toolwire server arrive, in order, and the result has them too", async () => {
      const transport = overHttp(era);
      deepStrictEqual(await piecesOf(transport, "count", { to: 2_000 }), { pieces: UP_TO_2000, result: UP_TO_2000 });
      deepStrictEqual(await piecesOf(transport, "whole", {}), { pieces: [], result: "whole" });
      transport.close();
    });

    test("a promised call has its pieces and, while it runs, the token by which its work is cancelled", async () => {
      let aborted = Promise.withResolvers<string>();
      const long = defineTool("long").describe("Work until it is cancelled").promise({ budgetMs: 5 }).partial(
        v.string(),
      )
        .handle(async function* (_, ctx) {
          ctx.signal.addEventListener("abort", () => aborted.resolve("aborted"));
          yield "one";
          await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        });
      const tools = createServer({ tools: [long], wires: [mcp({ sessions: mcpSessions() })], logger: false });
      const app = createServer({
        tools: [],
        parts: [mount(await gateway("far", overHttp(era, tools)))],
        wires: [mcp({ sessions: mcpSessions() })],
        logger: false,
      });
      const stdio = openStdio(tools, { era });
      for (const transport of [overHttp(era, tools), overHttp(era, app), stdio.transport]) {
        const listed = await createClient(transport).$.list();
        const { name = "" } = listed.find(({ name }) => name.endsWith("long")) ?? {};
        aborted = Promise.withResolvers();
        const deferred = Promise.withResolvers<string>();
        const watched: Transport = {
          list: (limit) => transport.list(limit),
          call: (call, sink) => {
            const push = sink?.push.bind(sink);
            if (sink !== undefined && push !== undefined) {
              sink.push = (event) => {
                if (event.kind === "deferred") deferred.resolve(event.promise.token);
                return push(event);
              };
            }
            return transport.call(call, sink);
          },
        };
        const leaving = new AbortController();
        const stream = createClient(watched).$.stream(name, {}, { signal: leaving.signal });
        const pieces: unknown[] = [];
        await rejects(async () => {
          for await (const piece of stream) {
            pieces.push(piece);
            await deferred.promise;
            leaving.abort(new Error("left"));
          }
        }, /left/);
        deepStrictEqual(pieces, ["one"]);
        strictEqual(await createClient(transport).$.redeem(await deferred.promise).cancel(), true);
        strictEqual(await aborted.promise, "aborted");
        transport.close?.();
      }
      await stdio.close();
      await app.close(0);
      await tools.close(0);
    });

    test("and through a gateway, and over stdio", async () => {
      const app = createServer({ tools: [], parts: [mount(await gateway("far", overHttp(era)))], wires: [mcp()] });
      deepStrictEqual((await piecesOf(overHttp("modern", app), "count", { to: 3 })).pieces, [1, 2, 3]);
      const { transport, close } = openStdio(server, { era });
      deepStrictEqual((await piecesOf(transport, "count", { to: 3 })).pieces, [1, 2, 3]);
      await close();
      await app.close(0);
    });

    test("a loop over pieces that a foreign server does not send is an error; the result and adapters are not", async () => {
      const foreign = { modern, legacy }[era]({
        "tools/call": () => ({ ...(era === "modern" && { resultType: "complete" }), ...text("done") }),
      });
      const transport = foreign.transport();
      await rejects(piecesOf(transport, "t", {}), { code: "method_not_found", message: /sends no pieces over MCP/ });
      const answer = "done";
      deepStrictEqual(await createClient(transport).$.stream("t").result, answer);
      const tools = await aiSdkTools(transport);
      const results: unknown[] = [];
      for await (const result of tools["t"]!.execute({}, { toolCallId: "1" })) results.push(result);
      deepStrictEqual(results, [answer]);
    });
  });
}

test("other clients get no notification that they did not ask for", async () => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const params = { name: "count", arguments: { to: 2 }, _meta: { progressToken: "p" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const stateless = createServer({ tools: [count], wires: [mcp()] });
  const reply = await stateless.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
  const received = await reply.text();
  strictEqual(received.includes("toolwire/"), false);
  strictEqual(received.includes("notifications/progress"), true);
});

/** A tool that yields pieces of a thousand characters without waiting, and the reason for which its last run was aborted. */
function flood(pieces: number) {
  const aborted = Promise.withResolvers<void>();
  const tool = defineTool("flood").describe("Flood").partial(v.string()).handle(async function* (_, ctx) {
    ctx.signal.addEventListener("abort", () => aborted.resolve());
    for (let n = 0; n < pieces; n++) yield `${n}`.padEnd(1_000, ".");
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
  });
  return { tool, aborted: aborted.promise };
}

const ECHO = defineTool("echo").describe("Echo").handle(({ text }) => text);

for (const era of ["modern", "legacy"] as const) {
  test(`${era}: a reader that does not take the pieces of a program ends its own call, at a bound`, async () => {
    const { tool, aborted } = flood(1_000);
    const { transport, close } = openStdio(
      createServer({ tools: [tool, ECHO], logger: false }),
      { era },
      undefined,
      50_000,
    );
    const client = createClient(transport);
    const stream = client.$.stream("flood");
    const pieces = stream[Symbol.asyncIterator]();
    strictEqual(String((await pieces.next()).value)[0], "0");
    await aborted;
    await rejects(stream.result, { code: "result_too_large", message: /^More than 50000 characters .* were not read/ });
    strictEqual(await client.$.call("echo", { text: "others go on" }), "others go on");
    await close();
  });

  test(`${era}: a gateway in front of a program does not keep what its caller does not read`, async () => {
    const { tool, aborted } = flood(1_000);
    const { transport, close } = openStdio(createServer({ tools: [tool], logger: false }), { era }, undefined, 50_000);
    const app = createServer({ tools: [], parts: [mount(await gateway("far", transport))], logger: false });
    const [{ name = "" } = {}] = await createClient(app).$.list();
    const response = await app.fetch(
      new Request("http://localhost/mcp-lite/v1/calltools", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }),
      }),
    );
    await aborted;
    const text = await response.text();
    strictEqual(/"code":"(\w+)"/.exec(text)?.[1], "result_too_large", text.slice(-300));
    await close();
    await app.close(0);
  });

  test(`${era}: a slow reader of a program has every piece in order, and then the result`, async () => {
    const paced = defineTool("paced").describe("Pace").partial(v.string()).output(v.string()).handle(
      async function* () {
        for (let n = 0; n < 40; n++) yield `${n};`.padEnd(1_000, ".");
        return "whole";
      },
    );
    const { transport, close } = openStdio(createServer({ tools: [paced], logger: false }), { era }, undefined, 50_000);
    const stream = createClient(transport).$.stream("paced");
    const seen: number[] = [];
    for await (const piece of stream) {
      seen.push(Number.parseInt(String(piece)));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    deepStrictEqual(seen, Array.from({ length: 40 }, (_, n) => n));
    strictEqual(await stream.result, "whole");
    await close();
  });
}
