/** oauthFetch() with a failing store: the error names the store. */
import { ok, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { createClient, mcpLiteTransport, ToolError } from "../../../mod.ts";
import type { OAuthStore } from "../../../src/entries/oauth.ts";
import { connectTransport } from "../../../src/entries/grpc.ts";
import { mcpTransport } from "../../../src/entries/mcp.ts";
import { agreeing, createNetwork, ISSUER, POST, SERVER } from "./network.ts";

const FULL = new Error("ENOSPC: no space left on device");

/** A store with one method that throws or rejects. */
function failing(method: keyof OAuthStore, isLate: boolean, texts: Map<string, string> = new Map()): OAuthStore {
  const fail = () => {
    if (isLate) return Promise.reject(FULL);
    throw FULL;
  };
  return {
    get: (key) => texts.get(key),
    set: (key, value) => texts.set(key, value),
    delete: (key) => texts.delete(key),
    [method]: fail,
  };
}

function isFault(method: keyof OAuthStore): (error: unknown) => boolean {
  return (error) => {
    ok(error instanceof ToolError);
    strictEqual(error.code, "unavailable");
    strictEqual(error.message, `The token store failed: its ${method}() threw; see the cause`);
    strictEqual(error.cause, FULL);
    return true;
  };
}

for (const method of ["get", "set"] as const) {
  for (const isLate of [false, true]) {
    const how = `${method}() ${isLate ? "rejects" : "throws"}`;

    test(`oauthFetch() tells that the store's ${how}`, async () => {
      const store = failing(method, isLate);
      const authorized = createNetwork().fetch(agreeing().grant, { store });
      await rejects(authorized(SERVER, POST), isFault(method));
      await rejects(authorized.signIn(), isFault(method));
    });
  }
}

test("a client tells that the store throws, on each transport", async () => {
  const fetch = createNetwork().fetch(agreeing().grant, { store: failing("get", false) });
  for (const open of [mcpLiteTransport, mcpTransport, connectTransport]) {
    const client = createClient(open(SERVER, { fetch }), { retry: { attempts: 0 } });
    await rejects(client.$.call("whoami"), isFault("get"));
  }
});

test("oauthFetch() tells that the store's delete() throws, when a refresh token is over and when it is to forget", async () => {
  const kept = { accessToken: "old", issuer: ISSUER, refreshToken: "r", renewAtMs: 1, endsAtMs: Date.now() + 60_000 };
  const texts = new Map([[`oauth tokens ${SERVER}`, JSON.stringify(kept)]]);
  const { fetch } = createNetwork({
    [`${ISSUER}/token`]: () => Response.json({ error: "invalid_grant" }, { status: 400 }),
  });
  const authorized = fetch(agreeing().grant, { store: failing("delete", false, texts) });
  await rejects(authorized(SERVER, POST), isFault("delete"));
  await rejects(authorized.signOut(), isFault("delete"));
});
