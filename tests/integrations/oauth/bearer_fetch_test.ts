/** `bearerFetch()`: tokens that a client sends and renews. */
import { deepStrictEqual, rejects, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createClient, mcpLiteTransport, ToolError } from "../../../mod.ts";
import { bearer } from "../../../src/entries/auth.ts";
import { bearerFetch, type FetchFunction, type GetToken } from "../../../src/entries/oauth.ts";
import { connectTransport, grpcWebTransport } from "../../../src/entries/grpc.ts";
import { createGuarded } from "../auth/fixture.ts";

function create(token: string | GetToken) {
  const { server, runs } = createGuarded(bearer((shown) => shown.startsWith("good") ? { id: shown } : undefined));
  const sent: (string | null)[] = [];
  const send: FetchFunction = (url, init) => {
    sent.push(new Headers(init.headers).get("authorization"));
    return server.fetch(new Request(url, { ...init, redirect: "follow" }));
  };
  return { fetch: bearerFetch(token, send), sent, runs };
}

test("bearerFetch() sends a token with each request, over each transport", async () => {
  const { fetch, sent, runs } = create("good");
  await createClient(mcpLiteTransport("https://api.example/mcp-lite/v1", { fetch, headers: { "x-other": "1" } }))
    ["ping"]?.({});
  await createClient(connectTransport("https://api.example", { fetch }))["ping"]?.({});
  await createClient(grpcWebTransport("https://api.example", { fetch }))["ping"]?.({});
  deepStrictEqual(sent, ["Bearer good", "Bearer good", "Bearer good"]);
  deepStrictEqual(runs, ["good", "good", "good"]);
});

test("bearerFetch() asks for another token once the server refuses one, and sends the request again", async () => {
  const asked: (string | undefined)[] = [];
  let current = "stale";
  const { fetch, sent, runs } = create((refused) => {
    asked.push(refused);
    if (refused === current) current = "good token".replace(" ", "-");
    return Promise.resolve(current);
  });
  const client = createClient(mcpLiteTransport("https://api.example/mcp-lite/v1", { fetch }));
  await client["ping"]?.({});
  await client["ping"]?.({});
  deepStrictEqual(sent, ["Bearer stale", "Bearer good-token", "Bearer good-token"]);
  deepStrictEqual(asked, [undefined, "stale", undefined]);
  deepStrictEqual(runs, ["good-token", "good-token"]);
});

test("bearerFetch() tries once, and not with the same token", async () => {
  let count = 0;
  const renewing = create(() => `bad${count++}`);
  const over = (fetch: FetchFunction) => createClient(mcpLiteTransport("https://api.example/mcp-lite/v1", { fetch }));
  await rejects(async () => await over(renewing.fetch)["ping"]?.({}), { code: "unauthenticated" });
  deepStrictEqual(renewing.sent, ["Bearer bad0", "Bearer bad1"]);
  const fixed = create("bad");
  await rejects(async () => await over(fixed.fetch)["ping"]?.({}), {
    code: "unauthenticated",
    details: { error: "invalid_token" },
  });
  deepStrictEqual(fixed.sent, ["Bearer bad"]);
  strictEqual(fixed.runs.length, 0);
});

test("bearerFetch() does not ask for another token where one is good, but not for this", async () => {
  const { fetch, sent } = create((refused) => refused === undefined ? "good" : "other");
  const client = createClient(mcpLiteTransport("https://api.example/mcp-lite/v1", { fetch }));
  await rejects(async () => await client["write"]?.({}), { code: "permission_denied" });
  deepStrictEqual(sent, ["Bearer good"]);
});

for (
  const [name, gives, message] of [
    ["throws", () => {
      throw new Error("the disk says: secret");
    }, /^Cannot get a token to send: the function for it has thrown$/],
    ["rejects", () => Promise.reject(new Error("secret")), /has thrown$/],
    ["throws undefined", () => {
      throw undefined;
    }, /has thrown$/],
    ["returns undefined", () => undefined, /it is undefined$/],
    ["returns null", () => null, /it is null$/],
    ["returns an object", () => ({ token: "secret" }), /it is object$/],
    ["returns an empty string", () => "", /it is an empty string$/],
    ["returns what a header must not contain", () => "a\r\nx-evil: 1", /characters that are not allowed in headers$/],
  ] as readonly [string, () => unknown, RegExp][]
) {
  test(`bearerFetch() fails if the function for the token ${name}`, async () => {
    const { fetch, sent } = create(gives as GetToken);
    const client = createClient(mcpLiteTransport("https://api.example/mcp-lite/v1", { fetch }));
    await rejects(async () => await client["ping"]?.({}), { name: "ToolError", code: "unauthenticated", message });
    deepStrictEqual(sent, []);
  });
}

test("bearerFetch() keeps what was thrown as the cause, and passes on a ToolError", async () => {
  const cause = new Error("no disk");
  await rejects(create(() => Promise.reject(cause)).fetch("https://api.example/", {}), { cause });
  const own = new ToolError("unavailable", "Later");
  await rejects(create(() => Promise.reject(own)).fetch("https://api.example/", {}), own);
  throws(() => bearerFetch(undefined as unknown as string), { name: "TypeError", message: /^Cannot send a token/ });
});
