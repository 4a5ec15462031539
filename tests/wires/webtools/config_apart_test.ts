/** Config of one caller is never another's: not in what is cached, not in what is repeated, not in what is put off, not in refusals. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool } from "../../../mod.ts";
import { cache } from "../../../src/entries/middleware.ts";
import * as v from "../../../src/entries/schema.ts";
import { webtools } from "../../../src/entries/webtools.ts";
import { ask } from "./weather.ts";

const account = defineTool("account").describe("Say whose it is").annotate({ readOnlyHint: true })
  .config(v.object({ key: v.string() }))
  .handle((_, ctx) => `account of ${ctx.config.key}`);

const KEYS = "k1:a secret that is long enough for all the tests";

test("a cached answer is not returned for another config", async () => {
  const server = createServer({
    tools: [account],
    middleware: [cache({ ttlMs: 60_000 })],
    wires: [webtools({ name: "weather", description: "W", version: "1.0.0" })],
  });
  const call = async (key: string) => (await ask(server, "POST", "", { request: {}, config: { key } })).json.data;
  deepStrictEqual([await call("ALICE"), await call("BOB"), await call("ALICE")], [
    "account of ALICE",
    "account of BOB",
    "account of ALICE",
  ]);
});

test("an idempotency key is another call's with another config", async () => {
  const server = createServer({
    tools: [account],
    keys: KEYS,
    wires: [webtools({ name: "weather", description: "W", version: "1.0.0" })],
  });
  const call = async (key: string) => {
    return (await ask(server, "POST", "", { request: {}, config: { key }, _meta: { idempotency_key: "k" } })).json;
  };
  strictEqual((await call("ALICE")).data, "account of ALICE");
  strictEqual((await call("ALICE")).data, "account of ALICE");
  const other = await call("BOB");
  deepStrictEqual([other.status, JSON.stringify(other).includes("ALICE")], ["error", false]);
  await server.close();
});

test("a call that is put off keeps what the webtool's schema has made of its config", async () => {
  const units = defineTool("units").describe("Say the units").config(v.object({ units: v.string() })).promise()
    .handle((_, ctx) => ctx.config.units);
  const config = v.object({ units: v.optional(v.picklist(["metric", "imperial"]), "metric") });
  const server = createServer({
    tools: [units],
    keys: KEYS,
    wires: [webtools({ name: "weather", description: "W", version: "1.0.0", config })],
  });
  const put = await ask(server, "POST", "", { action: "units", request: {}, config: {}, _meta: { promise: true } });
  const redeemed = await ask(server, "POST", "", {
    action: "redeem",
    request: { promise: put.json.data.promise_token, wait_ms: 2_000 },
  });
  strictEqual(redeemed.json.data, "metric", JSON.stringify(redeemed.json));
  await server.close();
});

/** Says what was there along with what it expected, as ArkType does of unions. */
const quoting = {
  "~standard": {
    version: 1 as const,
    vendor: "quoting",
    validate: (value: unknown) => {
      const { key } = value as { key: string };
      return { issues: [{ message: "no", path: ["key"], expected: `"live" or "test" (was "${key}")` }] };
    },
    jsonSchema: {
      input: () => ({ type: "object", properties: { key: { type: "string" } } }),
      output: () => ({ type: "object", properties: { key: { type: "string" } } }),
    },
  },
};

test("a refused config is not quoted, whatever its library says", async () => {
  const tool = defineTool("tool").describe("Do it").config(quoting).handle(() => 1);
  const server = createServer({
    tools: [tool],
    wires: [webtools({ name: "weather", description: "W", version: "1.0.0" })],
  });
  const { text, json } = await ask(server, "POST", "", { request: {}, config: { key: "sk-SECRET" } });
  deepStrictEqual([json.error.code, text.includes("sk-SECRET")], ["CONFIG_ERROR", false]);
});
