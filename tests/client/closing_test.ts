/** A transport of another package may close later, and fail: the process of its caller does not end by that. */
import { strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../mod.ts";
import type { Transport } from "../../src/core/call/transport.ts";

function clientThatCloses(close: () => unknown) {
  const transport: Transport = {
    call: () => ({ kind: "answer", value: 1 }),
    list: () => [],
    close: close as () => void,
  };
  return createClient(transport);
}

test("the rejection of a transport that closes later is handled", async () => {
  clientThatCloses(() => Promise.reject(new Error("the connection is gone"))).$.close();
  let handler: unknown;
  const closing = { then: (_: unknown, rejected: unknown) => void (handler = rejected) };
  clientThatCloses(() => closing).$.close();
  strictEqual(typeof handler, "function");
  // An unhandled rejection would be reported by now.
  await new Promise((resolve) => setTimeout(resolve));
});

test("what a transport throws while it closes is thrown to who closes the client", () => {
  const { $ } = clientThatCloses(() => {
    throw new Error("the connection is gone");
  });
  throws(() => $.close(), /the connection is gone/);
});
