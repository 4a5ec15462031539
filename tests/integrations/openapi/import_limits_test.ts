/** What a caller may send to a tool of a document: as much as can be checked while others wait. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "../../../mod.ts";
import { toolsFromOpenApi } from "../../../src/entries/openapi.ts";
import { testClient } from "../../../src/entries/testing.ts";

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

test("a tool of a document takes thirty thousand items that have to be unique", async () => {
  strictEqual(await count()(numbers(30_000)), 30_000);
  await rejects(count()([...numbers(30_000), 0]), { code: "invalid_input" });
});

test("a tool of a document refuses arguments of more than 32,768 values", async () => {
  const call = count();
  // The arguments, and their list.
  strictEqual(await call(numbers(32_766)), 32_766);
  for (const items of [numbers(32_767), numbers(16_500).map((a) => ({ a })), [{ a: numbers(40_000) }]]) {
    await rejects(call(items), { code: "invalid_input", message: /More than 32768 values are too many to be checked/ });
  }
});

test("operations that share a name get numbers in a time that grows with their number", () => {
  // A set's lookups are counted: a clock would measure the machine.
  const { has } = Set.prototype;
  const countOf = (operations: number) => {
    const paths = Object.fromEntries(
      Array.from({ length: operations }, (_, at) => [`/${at}`, { get: { operationId: "same" } }]),
    );
    let lookups = 0;
    Set.prototype.has = function (value) {
      lookups++;
      return has.call(this, value);
    };
    try {
      const names = toolsFromOpenApi({ openapi: "3.1.0", info: { title: "Same", version: "1" }, paths }, {
        baseUrl: "http://localhost/",
      }).map(({ name }) => name);
      return { lookups, names };
    } finally {
      Set.prototype.has = has;
    }
  };
  const [few, many] = [countOf(100), countOf(1_000)];
  deepStrictEqual(many.names.slice(0, 3), ["same", "same_2", "same_3"]);
  strictEqual(new Set(many.names).size, 1_000);
  ok(many.lookups < 20 * few.lookups, `${many.lookups} lookups for 1,000 operations, ${few.lookups} for 100`);
});
