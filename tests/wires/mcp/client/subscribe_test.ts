/** Subscriptions to one resource at once: each caller gets its own outcome. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { legacy, modern, OpenStream, RpcFailure } from "./scripted.ts";

test("with a handshake, a second subscription at once does not succeed if the server refuses", async () => {
  const server = legacy({ "resources/subscribe": () => new RpcFailure(-32602) });
  const { resources } = server.transport();
  const both = await Promise.allSettled([resources.subscribe("a:", () => {}), resources.subscribe("a:", () => {})]);
  deepStrictEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
});

test("with a handshake, subscriptions at once share a request, and the last one to leave ends it", async () => {
  const server = legacy({ "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) });
  const { resources } = server.transport();
  const [first, second] = await Promise.all([resources.subscribe("a:", () => {}), resources.subscribe("a:", () => {})]);
  strictEqual(server.by("resources/subscribe").length, 1);
  first!();
  strictEqual(server.by("resources/unsubscribe").length, 0);
  second!();
  while (server.by("resources/unsubscribe").length === 0) await Promise.resolve();
  await resources.subscribe("a:", () => {});
  strictEqual(server.by("resources/subscribe").length, 2);
});

test("with a handshake, the second tries by itself if the first one's request was given up", async () => {
  const gate = Promise.withResolvers<void>();
  let count = 0;
  const server = legacy({ "resources/subscribe": async () => ++count === 1 ? await gate.promise : {} });
  const { resources } = server.transport();
  const abort = new AbortController();
  const first = resources.subscribe("a:", () => {}, { signal: abort.signal });
  const second = resources.subscribe("a:", () => {});
  while (count === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  abort.abort();
  gate.resolve();
  await rejects(first);
  await second;
  strictEqual(count, 2);
});

test("without sessions, both have the stream that replaces the first one", async () => {
  const streams: OpenStream[] = [];
  const server = modern({
    "subscriptions/listen": ({ id, params }) => {
      const stream = new OpenStream();
      streams.push(stream);
      const acknowledged = {
        notifications: params["notifications"],
        _meta: { "io.modelcontextprotocol/subscriptionId": id },
      };
      const message = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: acknowledged };
      // The second stream is acknowledged first: it closes the first one before that is.
      const write = () => stream.write(`data: ${JSON.stringify(message)}\n\n`);
      if (streams.length === 2) write();
      return stream.response;
    },
  });
  const transport = server.transport();
  const both = Promise.all(["a:", "a:"].map((uri) => transport.resources.subscribe(uri, () => {})));
  await both;
  strictEqual(streams.length, 2);
  transport.close();
});
