import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../../mod.ts";
import { testClient } from "../../../../src/entries/testing.ts";

/** Calls a tool whose step gives this value; its JSON as the handler gets it, or the message in the log. */
async function kept(value: unknown): Promise<string> {
  const lines: string[] = [];
  const error = (_: string, data?: { readonly error?: Error }) => void lines.push(`${data?.error?.message}`);
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error };
  const tool = defineTool("t").describe("T").handle(async (_, ctx) =>
    JSON.stringify(await ctx.step("s", () => value as null))
  );
  const server = createServer({ tools: [tool], logger, keys: "k1:a secret of at least thirty-two bytes" });
  const call = testClient(server).t();
  if (await call.then(() => true, () => false)) return await call;
  await rejects(call, { code: "internal" });
  return lines.join();
}

for (
  const [kind, make, place] of [
    ["Map", () => ({ m: new Map([["a", 1]]) }), '"m"'],
    ["Set", () => new Set([1]), "it"],
    ["Uint8Array", () => ({ list: [new Uint8Array([1])] }), '"0"'],
    ["Response", () => new Response("x"), "it"],
    ["Promise", () => ({ later: Promise.resolve(1) }), '"later"'],
    ["Error", () => new Error("x"), "it"],
  ] as const
) {
  test(`a step with a ${kind} in its result is refused, as JSON would keep nothing of it`, async () => {
    strictEqual(
      await kept(make()),
      `The result of the step "s" cannot be kept, because it is not JSON: ${place} is a ${kind}; ` +
        "return plain values, such as await response.json()",
    );
  });
}

test("what JSON can keep of a step is kept", async () => {
  class Order {
    id = "a";
  }
  strictEqual(
    await kept({ at: new Date(0), order: new Order(), none: undefined, list: [] }),
    JSON.stringify({
      at: new Date(0),
      order: { id: "a" },
      list: [],
    }),
  );
  strictEqual(await kept({}), "{}");
  strictEqual(await kept(undefined), "null");
});
