/** Handlers that yield without waiting: timers and other callers get their turns. */
import { ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, createServer, defineTool } from "../../../../mod.ts";

/** More pieces than are sent in several turns, if there are turns. */
const MANY = 1_000_000;

function createFlood() {
  let sent = 0;
  const server = createServer({
    logger: false,
    tools: [
      defineTool("flood").describe("Yield without waiting").handle(async function* () {
        while (sent < MANY) yield sent++;
      }),
    ],
  });
  return { client: createClient(server), sent: () => sent };
}

test("a timer fires while a handler yields without waiting", async () => {
  const { client, sent } = createFlood();
  let sentAtTurn = MANY;
  setTimeout(() => (sentAtTurn = sent()), 0);
  for await (const _ of client.flood.stream({})) if (sentAtTurn < MANY) break;
  ok(sentAtTurn < MANY, "the timer fired after the stream");
});

test("a caller that leaves by a timer ends a handler that yields without waiting", async () => {
  const { client, sent } = createFlood();
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 0);
  let error: unknown;
  try {
    for await (const _ of client.flood.stream({}, { signal: leaving.signal }));
  } catch (thrown) {
    error = thrown;
  }
  strictEqual((error as Error).name, "AbortError");
  ok(sent() < MANY);
});

test("the deadline of a call that is not streamed ends a handler that yields without waiting", async () => {
  const { client, sent } = createFlood();
  const call = client.flood({}, { timeoutMs: 1 });
  const error = await call.then(() => undefined, (thrown: { readonly code: string }) => thrown);
  strictEqual(error?.code, "deadline_exceeded");
  ok(sent() < MANY);
});
