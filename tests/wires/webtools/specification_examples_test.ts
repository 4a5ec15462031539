/** Every request and response of the Webtools specification (2025-06-30), shape for shape. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { ask, createWeather } from "./weather.ts";

const CONFIG_SCHEMA = {
  type: "object",
  properties: {
    units: { enum: ["metric", "imperial"], type: "string", description: "Units" },
    apiKey: { type: "string" },
  },
  required: ["units"],
};

test("GET / gives the metadata of the latest version", async () => {
  const { status, headers, json } = await ask(createWeather().server, "GET", "/");
  strictEqual(status, 200);
  strictEqual(headers.get("content-type"), "application/json");
  deepStrictEqual(Object.keys(json), ["name", "description", "version", "actions", "configSchema", "defaultConfig"]);
  deepStrictEqual([json.name, json.description, json.version], ["weather", "Provides weather information", "2.1.0"]);
  deepStrictEqual(json.actions[0], {
    name: "get_current",
    description: "Weather and umbrella",
    requestSchema: {
      type: "object",
      properties: { location: { type: "string", description: "City name", examples: ["Paris"] } },
      required: ["location"],
    },
    responseSchema: {
      type: "object",
      properties: { temperature: { type: "number" }, umbrella: { type: "boolean" } },
      required: ["temperature", "umbrella"],
    },
    annotations: { readOnlyHint: true },
  });
  deepStrictEqual(json.configSchema, CONFIG_SCHEMA);
  deepStrictEqual(json.defaultConfig, { units: "metric" });
});

test("each action has a name, a description and both schemas; system actions come last", async () => {
  const { json } = await ask(createWeather().server, "GET", "");
  for (const action of json.actions) {
    strictEqual(typeof action.name, "string");
    strictEqual(typeof action.description, "string");
    strictEqual(action.requestSchema.type, "object");
    strictEqual(typeof action.responseSchema, "object");
  }
  deepStrictEqual(json.actions.slice(-2).map(({ name }: { name: string }) => name), ["redeem", "cancel"]);
});

test("GET /{version} gives the metadata of that version", async () => {
  const { status, json } = await ask(createWeather().server, "GET", "/1.0.0");
  strictEqual(status, 200);
  deepStrictEqual(json, {
    name: "weather",
    description: "Provides weather information",
    version: "1.0.0",
    actions: [{
      name: "get_current",
      description: "Current weather",
      requestSchema: {
        type: "object",
        properties: { location: { type: "string", description: "City name", examples: ["Paris"] } },
        required: ["location"],
      },
      responseSchema: { type: "object", properties: { temperature: { type: "number" } }, required: ["temperature"] },
    }],
    configSchema: CONFIG_SCHEMA,
    defaultConfig: { units: "metric" },
  });
  deepStrictEqual((await ask(createWeather().server, "GET", "/2.1.0")).json.version, "2.1.0");
});

test("GET of a version that is not there gives 404 with the error envelope", async () => {
  const { status, headers, json } = await ask(createWeather().server, "GET", "/9.9.9");
  strictEqual(status, 404);
  strictEqual(headers.get("content-type"), "application/json");
  deepStrictEqual([json.status, json.error.code], ["error", "WEBTOOL_NOT_FOUND"]);
  match(json.error.message, /9\.9\.9.*2\.1\.0, 1\.0\.0/);
});

test("POST / executes, with every field there is, and with as few as there may be", async () => {
  const { server, sessions } = createWeather();
  const whole = await ask(server, "POST", "/", {
    sessionId: "unique-session-identifier",
    version: "2.1.0",
    action: "get_current",
    config: { units: "imperial" },
    request: { location: "Paris" },
  });
  strictEqual(whole.status, 200);
  strictEqual(whole.headers.get("content-type"), "application/json");
  deepStrictEqual(whole.json, { status: "ok", data: { temperature: 68, umbrella: true } });
  const least = await ask(server, "POST", "", { action: "get_current", request: { location: "Paris" } });
  deepStrictEqual(least.json, { status: "ok", data: { temperature: 20, umbrella: true } });
  deepStrictEqual(sessions, ["unique-session-identifier", undefined]);
});

test("the version of a request chooses among tools of one name; left out, it is the latest", async () => {
  const { server } = createWeather();
  const request = { action: "get_current", request: { location: "Paris" } };
  deepStrictEqual((await ask(server, "POST", "/", { ...request, version: "1.0.0" })).json.data, { temperature: 20 });
  ok("umbrella" in (await ask(server, "POST", "/", request)).json.data);
});

const ERRORS: readonly (readonly [name: string, body: unknown, status: number, code: string])[] = [
  ["another version", { version: "3.0.0", action: "get_current", request: {} }, 404, "WEBTOOL_NOT_FOUND"],
  ["an unknown action", { action: "get_curent", request: {} }, 404, "WEBTOOL_NOT_FOUND"],
  ["a request that does not fit", { action: "get_current", request: { location: 1 } }, 400, "SCHEMA_ERROR"],
  ["no request", { action: "get_current" }, 400, "SCHEMA_ERROR"],
  ["no action, of several", { request: {} }, 400, "SCHEMA_ERROR"],
  [
    "a config that does not fit",
    { action: "get_current", config: { units: "k" }, request: { location: "P" } },
    400,
    "CONFIG_ERROR",
  ],
  ["a config that is none", { action: "get_current", config: 1, request: { location: "P" } }, 400, "CONFIG_ERROR"],
  ["a limit on calls", { action: "refuse", request: { code: "rate_limited" } }, 429, "RATE_LIMIT"],
  ["a broken tool", { action: "break", request: {} }, 500, "INTERNAL_ERROR"],
  ["a deadline", { action: "refuse", request: { code: "deadline_exceeded" } }, 504, "INTERNAL_ERROR"],
  ["no room", { action: "refuse", request: { code: "unavailable" } }, 503, "INTERNAL_ERROR"],
  ["a conflict", { action: "refuse", request: { code: "conflict" } }, 409, "SCHEMA_ERROR"],
  ["nobody", { action: "refuse", request: { code: "unauthenticated" } }, 401, "UNAUTHENTICATED"],
  ["somebody else", { action: "refuse", request: { code: "permission_denied" } }, 403, "PERMISSION_DENIED"],
  ["a code of the tool's own", { action: "get_current", request: { location: "Atlantis" } }, 422, "NO_STATION"],
];

for (const [name, body, status, code] of ERRORS) {
  test(`an error has its envelope, code and status: ${name}`, async () => {
    const { server } = createWeather();
    const reply = await ask(server, "POST", "/", body);
    deepStrictEqual([reply.status, reply.json.status, reply.json.error.code], [status, "error", code]);
    strictEqual(typeof reply.json.error.message, "string");
    strictEqual(reply.headers.get("content-type"), "application/json");
    ok(!reply.text.includes("secret"));
  });
}

test("the message of a request that does not fit names the field", async () => {
  const { json } = await ask(createWeather().server, "POST", "/", { action: "get_current", request: {} });
  match(json.error.message, /location/);
  deepStrictEqual(json.error.data.code, "invalid_input");
});

test("a failure carries the tool's data, and Retry-After goes with a limit", async () => {
  const { server } = createWeather();
  const failure = await ask(server, "POST", "/", { action: "get_current", request: { location: "Atlantis" } });
  deepStrictEqual(failure.json.error, { code: "NO_STATION", message: "No station there", data: { near: "Faro" } });
  const limited = await ask(server, "POST", "/", { action: "refuse", request: { code: "rate_limited" } });
  strictEqual(limited.headers.get("retry-after"), "2");
});

test("a promise is data with its token, redeemed and cancelled by actions", async () => {
  const { server, gate } = createWeather();
  const promise = await ask(server, "POST", "/", { action: "forecast", request: {} });
  deepStrictEqual([promise.status, promise.json.status], [200, "ok"]);
  const { promise_token: token, retry_after_ms: retryAfterMs, progress } = promise.json.data;
  ok(token.startsWith("prom_") && retryAfterMs > 0);
  deepStrictEqual(progress, { done: 1, total: 2, message: "measuring" });
  deepStrictEqual(promise.json._meta, { response_type: "promise" });
  const again = await ask(server, "POST", "/", { action: "redeem", request: { promise: token } });
  strictEqual(again.json.data.promise_token, token);
  gate.resolve();
  const redeemed = await ask(server, "POST", "/", { action: "redeem", request: { promise: token, wait_ms: 20_000 } });
  deepStrictEqual(redeemed.json, { status: "ok", data: "sun" });
  const late = await ask(server, "POST", "/", { action: "cancel", request: { promise: token } });
  deepStrictEqual(late.json, { status: "ok", data: { cancelled: false } });
  const forged = await ask(server, "POST", "/", { action: "redeem", request: { promise: "prom_x" } });
  deepStrictEqual([forged.status, forged.json.error.code], [400, "SCHEMA_ERROR"]);
  await server.close(0);
});

test("a question is data with its continuation, answered by the same request", async () => {
  const { server } = createWeather();
  const asked = await ask(server, "POST", "/", { action: "move_station", request: {} });
  deepStrictEqual([asked.status, asked.json.status, asked.json._meta], [200, "ok", { response_type: "elicitation" }]);
  strictEqual(asked.json.data.requests.sure.message, "Sure?");
  const _meta = {
    continuation: asked.json.data.continuation,
    responses: { sure: { action: "accept", content: { yes: true } } },
  };
  const answered = await ask(server, "POST", "/", { action: "move_station", request: {}, _meta });
  deepStrictEqual(answered.json, { status: "ok", data: "moved" });
});

test("the envelope carries _meta only if there is any", async () => {
  const { text } = await ask(createWeather().server, "POST", "/", { action: "nothing", request: {} });
  strictEqual(text, '{"status":"ok","_meta":{"cost":3}}');
});

test("the guides' calls give what they expect", async () => {
  const { server } = createWeather();
  // Vercel AI SDK: one tool of the first action; what the model filled in is the request, the action among it.
  const meta = (await ask(server, "GET", "")).json;
  deepStrictEqual(Object.keys(meta.actions[0].requestSchema.properties), ["location"]);
  const args = { action: "get_current", location: "Paris" };
  const executed = await ask(server, "POST", "", {
    sessionId: crypto.randomUUID(),
    action: args.action,
    request: args,
  });
  deepStrictEqual(executed.json.data, { temperature: 20, umbrella: true });
  // The guide's model knows the first action's schema alone: it names no action. Where there is one only, that is meant.
  const only = { sessionId: crypto.randomUUID(), version: "1.0.0", request: { location: "Paris" } };
  deepStrictEqual((await ask(server, "POST", "", only)).json.data, { temperature: 20 });
  // LangChain, in Python: config apart from the request, the whole envelope returned.
  const body = {
    sessionId: crypto.randomUUID(),
    action: "get_current",
    request: { location: "Paris" },
    config: { units: "metric" },
  };
  const { json } = await ask(server, "POST", "", body);
  deepStrictEqual(json, { status: "ok", data: { temperature: 20, umbrella: true } });
});
