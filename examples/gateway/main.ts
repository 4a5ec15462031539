/**
 * Three servers behind one: a program that serves MCP over its pipes, a server behind HTTP, one behind gRPC. Their tools, pieces,
 * questions, failures and promises come through as if they were at hand, and two replicas of the server before them share the
 * promises.
 *
 * Run with `bun examples/gateway/main.ts` or `deno run -A examples/gateway/main.ts`. It ends with 0 if all went as it should, and
 * with 1 and an assertion's message if not.
 *
 * @module
 */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createClient, memoryTransport } from "jsr:@toolwire/toolwire";
import { mcpTransport } from "jsr:@toolwire/toolwire/mcp";
import { serve } from "jsr:@toolwire/toolwire/serve";
import { server as archive } from "./archive.ts";
import { called, openOffice } from "./office.ts";
import { server as prices } from "./prices.ts";

const [archiveRuns, pricesRun] = [
  await serve(archive, { port: 0 }),
  await serve(prices, { port: 0, grpc: { port: 0 } }),
];
const addresses = { archive: `${archiveRuns.url}/mcp-lite/v1`, prices: pricesRun.grpcUrl ?? "" };
const [one, two] = [await openOffice(addresses), await openOffice(addresses)];
const running = await serve(one, { port: 0 });
const transport = mcpTransport(`${running.url}/mcp`);
try {
  const office = createClient<typeof one>(transport, {
    onElicitation: ({ message }) => {
      strictEqual(message, 'Remove "milk"?');
      return { action: "accept", content: { sure: true } };
    },
  });

  deepStrictEqual((await office.$.list()).map(({ name }) => name), [
    ...["redeem", "cancel", "about", "archive_search", "notes_list", "notes_remove", "prices_follow"],
  ]);

  // A program asks its caller's caller.
  deepStrictEqual(await office.notes_list(), ["milk", "call"]);
  strictEqual(await office.notes_remove({ id: "milk" }), "removed");
  deepStrictEqual(await transport.resources.read("notes://all"), [{
    uri: "notes://all",
    mimeType: "text/plain",
    text: "Call Grace",
  }]);

  // Pieces of gRPC; MCP would have no word for them, so this caller is one of the same process.
  const nearby = createClient<typeof one>(memoryTransport(one));
  const stream = nearby.prices_follow.stream({ item: "tea" });
  const seen: number[] = [];
  for await (const { price } of stream) seen.push(price);
  deepStrictEqual([seen, await stream.result], [[3, 4, 5], { last: 5 }]);
  await rejects(office.prices_follow({ item: "gold" }), { code: "unknown_item", data: { known: ["tea", "milk"] } });

  // A promise of HTTP, begun at one replica and redeemed at the other; its token is the office's own.
  const work = await nearby.archive_search.start({ word: "tea" });
  await rejects(createClient(memoryTransport(archive)).$.redeem(work.token).result(), { code: "invalid_promise" });
  strictEqual(await createClient<typeof two>(memoryTransport(two)).$.redeem(work.token).result(), '"tea" is in box 5');

  // One server is down: the error has its name, and the others continue.
  await archiveRuns.close();
  await rejects(nearby.archive_search({ word: "tea" }), (error: Error & { readonly code: string }) => {
    return error.code === "unavailable" && error.message.includes('"archive"');
  });
  strictEqual(await office.about(), "An office");
  deepStrictEqual(await office.notes_list(), ["call"]);
  ok(called.includes("archive_search") && called.includes("redeem"));
  console.log("Three servers behind one: all as it should be.");
} finally {
  transport.close();
  await running.close();
  await two.close();
  await pricesRun.close();
  await archiveRuns.close();
}
