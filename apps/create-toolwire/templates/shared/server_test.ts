import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { testClient } from "toolwire/testing";
import { server } from "./server.ts";

const client = testClient(server);

test("greet answers with the name", async () => {
  strictEqual(await client.greet({ name: "Ada" }), "Hello, Ada!");
});

test("greet refuses an empty name", async () => {
  await rejects(client.greet({ name: "" }), { code: "invalid_input" });
});

test("count_down streams its numbers", async () => {
  const stream = client.count_down.stream({ from: 3 });
  const numbers: number[] = [];
  for await (const number of stream) numbers.push(number);
  deepStrictEqual(numbers, [3, 2, 1]);
  strictEqual(await stream.result, "done");
});
