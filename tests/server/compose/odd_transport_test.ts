/** A gateway over a transport of another library, which returns what no transport of this package does: each call ends, and quickly. */
import { ok } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { gateway, mount } from "../../../src/entries/compose.ts";
import { testClient } from "../../../src/entries/testing.ts";
import type { Transport } from "../../../src/entries/wire.ts";

const deep: unknown = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 1);
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

/** What the transport returns, and what the caller gets: a kind, or the code of an error. */
const RESULTS: Readonly<Record<string, readonly [result: unknown, received: RegExp]>> = {
  "nothing": [undefined, /^internal$/],
  "null": [null, /^internal$/],
  "a text": ["x", /^internal$/],
  "no kind": [{}, /^internal$/],
  "an unknown kind": [{ kind: "evil" }, /^internal$/],
  "50,000 nested lists": [{ kind: "answer", value: deep }, /^result_too_large$/],
  "data of 50,000 nested lists": [{ kind: "failure", code: "a", message: "A", data: deep }, /^result_too_large$/],
  "a cycle": [{ kind: "answer", value: cycle }, /^internal$/],
  "a BigInt": [{ kind: "answer", value: 1n }, /^(internal|answer)$/],
  "an own __proto__": [{ kind: "answer", value: JSON.parse('{"__proto__":{"x":1}}') }, /^answer$/],
  "an unknown code": [{ kind: "error", code: "__proto__", message: "x" }, /^internal$/],
  "an error without a message": [{ kind: "error", code: "internal" }, /^internal$/],
  "questions for roots without an end": [
    { kind: "elicitation", requests: { r: { kind: "roots" } }, continuation: "cont_x" },
    /^invalid_request$/,
  ],
  "questions that are null": [{ kind: "elicitation", requests: null, continuation: "c" }, /^internal$/],
  "questions of an unknown kind": [
    { kind: "elicitation", requests: { a: { kind: "evil", message: 5 } }, continuation: 7 },
    /^invalid_request$/,
  ],
};

for (const [name, [result, received]] of Object.entries(RESULTS)) {
  test(`a transport that returns ${name} ends its call`, async () => {
    const transport: Transport = {
      call: () => result as never,
      list: () => [{ name: "t", inputSchema: { type: "object" } }],
    };
    const server = createServer({ tools: [], parts: [mount(await gateway("g", transport))], logger: false });
    const outcome = await testClient(server).$.outcome("t", {}).then(({ kind }) => kind, ({ code }) => String(code));
    ok(received.test(outcome), outcome);
    await server.close(0);
  });
}
