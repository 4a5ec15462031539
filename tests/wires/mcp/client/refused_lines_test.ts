/** A request that is too large for a server over pipes: the refusal ends that request, and never one of another caller. */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool, type ToolError } from "../../../../mod.ts";
import { DuplexTransport } from "../../../../src/wires/mcp/client/duplex_transport.ts";
import { requestIdIn } from "../../../../src/wires/mcp/protocol/messages.ts";
import type { ServerMessage } from "../../../../src/wires/mcp/protocol/messages.ts";
import { monitorFromSignal } from "../../../../src/core/call/time_limit.ts";
import { openStdio } from "../stdio/in_process.ts";

const LARGE = "x".repeat(9_000);

test("the refusal of a call that was cancelled reaches no other call", async () => {
  const gate = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const wait = defineTool("wait").describe("Wait").handle(() => {
    begun.resolve();
    return gate.promise;
  });
  const store = defineTool("store").describe("Store").handle(({ text }) => `${text}`.length);
  const server = createServer({ tools: [wait, store], limits: { bodyBytes: 3_000 }, logger: false });
  const { transport, close } = openStdio(server, {});
  const client = createClient(transport, { retry: { attempts: 0 } });
  try {
    await client.$.list();
    const other = client.$.call("wait", { note: "a longer message than that of others" });
    await begun.promise;
    // At one of these turns it was sent, and is not refused yet.
    for (let turn = 0; turn < 40; turn++) {
      const cancelling = new AbortController();
      const cancelled = client.$.call("store", { text: LARGE }, { signal: cancelling.signal });
      for (let passed = 0; passed < turn; passed++) await Promise.resolve();
      cancelling.abort();
      await rejects(cancelled);
    }
    // They are refused before this one is answered.
    strictEqual(await client.$.call("store", { text: "short" }), 5);
    gate.resolve("its own answer");
    strictEqual(await other, "its own answer");
    const both = await Promise.allSettled(["a", "b"].map((letter) => client.$.call("store", { text: letter + LARGE })));
    deepStrictEqual(both.map((one) => one.status === "rejected" && (one.reason as ToolError).code), [
      "payload_too_large",
      "payload_too_large",
    ]);
  } finally {
    await close();
    await server.close(0);
  }
});

/** A connection whose server answers as the test wants. */
function carrier() {
  let receive: (messages: readonly ServerMessage[]) => void = () => {};
  const transport = new DuplexTransport((handler) => {
    receive = handler.receive;
    return Promise.resolve({
      isClosed: false,
      write: () => Promise.resolve(undefined),
      close() {},
    });
  });
  const request = (id: number, text: string) =>
    transport.request({ id, method: "tools/call", params: { text } }, {
      headers: {},
      limit: monitorFromSignal(new AbortController().signal),
    });
  const refuse = () =>
    receive([{
      kind: "reply",
      id: undefined,
      reply: { error: { code: -32600, message: "Too large", data: { code: "payload_too_large" } } },
    }]);
  const answer = (id: number) => receive([{ kind: "reply", id, reply: { result: { id } } }]);
  return { request, refuse, answer };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test("a refusal without an id ends no request, since any may be meant", async () => {
  const { request, refuse, answer } = carrier();
  const only = request(1, LARGE);
  await turns();
  refuse();
  answer(1);
  deepStrictEqual(await only, { result: { id: 1 } });
  const both = [request(2, "small"), request(3, LARGE)];
  await turns();
  refuse();
  [2, 3].forEach(answer);
  deepStrictEqual(await Promise.all(both), [{ result: { id: 2 } }, { result: { id: 3 } }]);
});

for (
  const [start, id] of [
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{', 7],
    ['{ "jsonrpc" : "2.0" , "id" : "a-b" , "method" : "x"', "a-b"],
    // A response gets no error, or two peers could refuse each other's errors.
    ['{"jsonrpc":"2.0","id":7,"result":{"method":"x"', null],
    ['{"jsonrpc":"2.0","id":7.5,"method":"x"', null],
    ['{"jsonrpc":"2.0","id":99999999999999999999,"method":"x"', null],
    ['{"jsonrpc":"2.0","id":"a\\"b","method":"x"', null],
    ['{"method":"x","params":{"jsonrpc":"2.0","id":7,"method":"y"', null],
    ['{"jsonrpc":"2.0","id":7', null],
    ["", null],
  ] as const
) {
  test(`the id at the start of ${JSON.stringify(start)} is ${JSON.stringify(id)}`, () => {
    strictEqual(requestIdIn(start), id);
  });
}
