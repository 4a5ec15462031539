/** Config over Webtools: typed in the handler, checked, under the default, and never echoed. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import * as v from "../../../src/entries/schema.ts";
import { createClient, createServer, defineTool, type Logger } from "../../../mod.ts";
import { webtools, webtoolsTransport } from "../../../src/entries/webtools.ts";
import { ask, createWeather } from "./weather.ts";

const SECRET = "sk-this-must-not-be-seen";

test("config is the default under what the caller sends", async () => {
  const tool = defineTool("t").describe("T").config(v.looseObject({})).handle((_, ctx) => ctx.config);
  const wire = webtools({ name: "weather", description: "W", version: "1.0.0", defaultConfig: { a: 1, b: { c: 1 } } });
  const server = createServer({ tools: [tool], wires: [wire], config: { own: true } });
  const call = async (config?: unknown) =>
    (await ask(server, "POST", "", { action: "t", request: {}, config })).json.data;
  deepStrictEqual(await call(), { a: 1, b: { c: 1 } });
  deepStrictEqual(await call({ b: 2, d: 3 }), { a: 1, b: 2, d: 3 });
});

test("if neither the caller nor the webtool has config, that of the server is used, and not shown", async () => {
  const tool = defineTool("t").describe("T").config(v.object({ apiKey: v.string() }))
    .handle((_, ctx) => ctx.config.apiKey.length);
  const wire = webtools({ name: "weather", description: "W", version: "1.0.0" });
  const server = createServer({ tools: [tool], wires: [wire], config: { apiKey: SECRET } });
  strictEqual((await ask(server, "POST", "", { action: "t", request: {} })).json.data, SECRET.length);
  ok(!(await ask(server, "GET", "")).text.includes(SECRET));
});

test("the wire's schema of config is checked for every action, and its output is passed to the tool", async () => {
  const plain = defineTool("plain").describe("P").handle(() => "ok");
  const typed = defineTool("typed").describe("T").config(v.object({ n: v.number() })).handle((_, ctx) => ctx.config.n);
  const config = v.object({ n: v.optional(v.pipe(v.number(), v.minValue(1)), 5) });
  const wire = webtools({ name: "weather", description: "W", version: "1.0.0", config });
  const server = createServer({ tools: [plain, typed], wires: [wire] });
  const { json: { configSchema } } = await ask(server, "GET", "");
  deepStrictEqual(configSchema.properties, { n: { type: "number", minimum: 1, default: 5 } });
  const call = async (
    action: string,
    config?: unknown,
  ) => (await ask(server, "POST", "", { action, request: {}, config }));
  strictEqual((await call("typed")).json.data, 5);
  for (const action of ["plain", "typed"]) {
    const { status, json } = await call(action, { n: 0 });
    deepStrictEqual([status, json.error.code], [400, "CONFIG_ERROR"]);
  }
});

test("the configSchema is put together of what the tools want", async () => {
  const one = defineTool("one").describe("1").config(v.object({ a: v.string() })).handle(() => 1);
  const two = defineTool("two").describe("2").config(v.object({ b: v.string() })).handle(() => 2);
  const wire = webtools({ name: "weather", description: "W", version: "1.0.0" });
  const schema = async (tools: readonly (typeof one | typeof two)[]) =>
    (await ask(createServer({ tools, wires: [wire] }), "GET", "")).json.configSchema;
  const a = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const b = { type: "object", properties: { b: { type: "string" } }, required: ["b"] };
  deepStrictEqual(await schema([]), { type: "object" });
  deepStrictEqual(await schema([one]), a);
  deepStrictEqual(await schema([one, two]), { type: "object", allOf: [a, b] });
});

test("a configSchema that refers to itself cannot be put together with others", () => {
  const standard = (jsonSchema: Record<string, unknown>) => ({
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => jsonSchema },
    },
  });
  const recursive = standard({ type: "object", properties: { a: { $ref: "#" } } });
  const one = defineTool("one").describe("1").config(recursive).handle(() => 1);
  const two = defineTool("two").describe("2").config(v.object({ b: v.string() })).handle(() => 2);
  const wire = webtools({ name: "weather", description: "W", version: "1.0.0" });
  throws(() => createServer({ tools: [one, two], wires: [wire] }), /pass \{ config: … \}/);
});

test("what was sent as config is nowhere in an answer or a log line", async () => {
  const lines: string[] = [];
  const write = (message: string, fields: unknown) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const { server } = createWeather({}, { logger });
  const calls: readonly unknown[] = [
    { action: "get_current", config: { units: SECRET }, request: { location: "P" } },
    { action: "get_current", config: { units: [SECRET] }, request: { location: "P" } },
    { action: "get_current", config: { apiKey: { a: SECRET } }, request: { location: "P" } },
    { action: "get_current", config: { apiKey: SECRET }, request: {} },
    { action: "get_current", config: { apiKey: SECRET }, request: { location: "Atlantis" } },
    { action: "get_current", config: SECRET, request: { location: "P" } },
    { action: "get_current", config: [SECRET], request: { location: "P" } },
    { action: "break", config: { apiKey: SECRET }, request: {} },
    { action: "forecast", config: { apiKey: SECRET }, request: {} },
    { action: "move_station", config: { apiKey: SECRET }, request: {} },
    { action: "no_such", config: { apiKey: SECRET }, request: {} },
    { version: "9.9.9", action: "get_current", config: { apiKey: SECRET }, request: {} },
  ];
  for (const call of calls) {
    const { text } = await ask(server, "POST", "", call);
    ok(!text.includes(SECRET), text);
    for (const [token = ""] of text.matchAll(/(?<=(?:prom|cont)_)[\w-]{40,}/g)) {
      ok(!atob(token.replaceAll("-", "+").replaceAll("_", "/")).includes(SECRET));
    }
  }
  const broken = await ask(server, "POST", "", `{"config":{"apiKey":"${SECRET}"},`);
  deepStrictEqual([broken.status, broken.text.includes(SECRET)], [400, false]);
  ok(lines.length > 0 && lines.every((line) => !line.includes(SECRET)));
  await server.close(0);
});

test("the transport sends config with each call, refuses one that does not fit, and does not echo it either", async () => {
  const { server } = createWeather();
  const posts: string[] = [];
  const fetch = (url: string, init: RequestInit) => {
    if (init.method === "POST") posts.push(String(init.body));
    return server.fetch(new Request(url, { ...init, redirect: "follow" }));
  };
  const client = (config: Record<string, unknown>, validate = true) =>
    createClient<typeof server>(webtoolsTransport("http://h/webtools/weather", { config, validate, fetch }));
  const { temperature } = await client({ units: "imperial", apiKey: SECRET }).get_current({ location: "Paris" });
  strictEqual(temperature, 68);
  deepStrictEqual(JSON.parse(posts[0] ?? "").config, { units: "imperial", apiKey: SECRET });
  for (const validate of [true, false]) {
    for (const config of [{ units: SECRET }, { apiKey: { a: SECRET } }, { units: 3 }]) {
      await rejects(client(config, validate).get_current({ location: "Paris" }), (error: Error & { code?: string }) => {
        strictEqual(error.code, "invalid_config");
        const shown = JSON.stringify([error.message, error]);
        ok(!shown.includes(SECRET), shown);
        return true;
      });
    }
    strictEqual(posts.length, validate ? 1 : 4);
  }
});
