/** oauthFetch() in several processes with one store: a refresh token is used once, and no user signs in again. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { test } from "node:test";
import type { OAuthStore } from "../../../src/entries/oauth.ts";
import { agreeing, createNetwork, ISSUER, POST, SERVER } from "./network.ts";

/** An authorization server that replaces refresh tokens, and revokes everything when one is used twice. */
function createRotating() {
  let [number, isRevoked] = [0, false];
  return createNetwork({
    [SERVER]: ({ headers }) => {
      const isGood = !isRevoked && new Headers(headers).get("authorization") === `Bearer a${number}`;
      return isGood
        ? Response.json("served")
        : new Response("no", { status: 401, headers: { "www-authenticate": "Bearer" } });
    },
    [`${ISSUER}/token`]: async ({ body }) => {
      const refresh = (body as URLSearchParams).get("refresh_token");
      if (refresh !== null && refresh !== `r${number}`) {
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      }
      number++;
      const issued = {
        access_token: `a${number}`,
        token_type: "Bearer",
        refresh_token: `r${number}`,
        expires_in: 3600,
      };
      await Promise.resolve();
      return issued;
    },
  });
}

/** Texts with asynchronous methods, as those of a file or a database. */
function slowStore(texts: Map<string, string>): OAuthStore {
  return {
    get: async (key) => (await Promise.resolve(), texts.get(key)),
    set: async (key, value) => (await Promise.resolve(), texts.set(key, value)),
    delete: async (key) => (await Promise.resolve(), texts.delete(key)),
  };
}

/** The same with a lock. */
function lockingStore(texts: Map<string, string>, locked: string[]): OAuthStore {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...slowStore(texts),
    lock(key, work) {
      locked.push(key);
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
  };
}

const TOKENS = `oauth tokens ${SERVER}`;

function makeDue(texts: Map<string, string>): void {
  texts.set(TOKENS, JSON.stringify({ ...JSON.parse(texts.get(TOKENS) ?? "{}"), renewAtMs: 1, endsAtMs: 2 }));
}

for (const hasLock of [true, false]) {
  test(`oauthFetch() in five processes renews once, and signs in once, ${hasLock ? "with" : "without"} a lock`, async () => {
    const network = createRotating();
    const texts = new Map<string, string>();
    const locked: string[] = [];
    const { grant, pages } = agreeing();
    const store = hasLock ? lockingStore(texts, locked) : slowStore(texts);
    const fetches = Array.from({ length: 5 }, () => network.fetch(grant, { store }));
    await fetches[0]?.(SERVER, POST);
    makeDue(texts);
    const answers = await Promise.all(fetches.map((fetch) => fetch(SERVER, POST)));
    deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200]);
    deepStrictEqual(pages.length, 1);
    const used = network.bodies.map((body) => body.get("refresh_token")).filter((token) => token !== null);
    if (!hasLock) return;
    deepStrictEqual(used, ["r1"]);
    deepStrictEqual([...new Set(locked)], [TOKENS]);
  });
}

test("oauthFetch() names a lock that fails, and refuses one that is not a function", async () => {
  const texts = new Map<string, string>();
  const { grant } = agreeing();
  const network = createRotating();
  const store = { ...slowStore(texts), lock: () => Promise.reject(new Error("read-only")) };
  const authorized = network.fetch(grant, { store });
  await authorized(SERVER, POST);
  makeDue(texts);
  await rejects(authorized(SERVER, POST), { message: "The token store failed: its lock() threw; see the cause" });
  const wrong = { ...slowStore(texts), lock: 1 } as unknown as OAuthStore;
  await rejects(new Promise((resolve) => resolve(network.fetch(grant, { store: wrong }))), /store/);
});
