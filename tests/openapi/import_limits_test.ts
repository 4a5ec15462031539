/** What a caller may send to a tool of a document: as much as can be checked while others wait. */
import { rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../mod.ts";
import { toolsFromOpenApi } from "../../src/openapi/mod.ts";
import { testClient } from "../../src/testing/mod.ts";

function count(): (items: readonly unknown[]) => Promise<unknown> {
  const schema = { type: "array", uniqueItems: true, items: { type: ["integer", "object"] } };
  const tools = toolsFromOpenApi({
    openapi: "3.1.0",
    info: { title: "Count", version: "1" },
    paths: {
      "/count": {
        post: {
          operationId: "count",
          requestBody: { required: true, content: { "application/json": { schema } } },
          responses: { 200: { description: "How many" } },
        },
      },
    },
  }, {
    baseUrl: "https://api.example",
    fetch: (_, { body }) => Promise.resolve(Response.json((JSON.parse(String(body)) as unknown[]).length)),
  });
  const client = testClient(createServer({ tools }));
  return (items) => client.$.call("count", { body: items });
}

const numbers = (length: number) => Array.from({ length }, (_, at) => at);

test("a tool of a document takes sixty thousand items that have to be unique", async () => {
  strictEqual(await count()(numbers(60_000)), 60_000);
  await rejects(count()([...numbers(60_000), 0]), { code: "invalid_input" });
});

test("a tool of a document refuses arguments of more than 65,536 values", async () => {
  const call = count();
  // The arguments, and their list.
  strictEqual(await call(numbers(65_534)), 65_534);
  for (const items of [numbers(65_535), numbers(33_000).map((a) => ({ a })), [{ a: numbers(70_000) }]]) {
    await rejects(call(items), { code: "invalid_input", message: /More than 65536 values are too many to be checked/ });
  }
});
