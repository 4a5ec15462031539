/** The fixture of the conformance suites serves what they ask for; the suites themselves are run by `npm run conformance`. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createEverything } from "../../examples/everything/server.ts";
import { callModern, initialize, type Json, modern } from "../wires/mcp/server/client.ts";

for (const hasSessions of [true, false]) {
  test(`examples/everything, with${hasSessions ? "" : "out"} sessions`, async () => {
    const server = createEverything({ hasSessions });
    const { session } = await initialize(server);
    strictEqual(session !== undefined, hasSessions);
    const { last } = await modern(server, "tools/list");
    for (const { name } of last.result?.["tools"] as Json[]) match(String(name), /^[A-Za-z0-9_./-]{1,64}$/);
    deepStrictEqual((await callModern(server, "test_simple_text"))["content"], [
      { type: "text", text: "This is a simple text response for testing." },
    ]);
    await server.close();
  });
}
