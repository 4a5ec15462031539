/** signOut(): pending requests do not restore deleted records. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import { runtime } from "../../runtime/runtime.ts";
import { agreeing, type Answer, createNetwork, ISSUER, POST, SERVER } from "./network.ts";

const TOKENS = `oauth tokens ${SERVER}`;
const skip = runtime === "workerd" && "its requests cannot wait for each other";

/** Delayed responses. The first request resolves `asked`. */
function gated(url: string, answer: object) {
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late: Readonly<Record<string, Answer>> = {
    [url]: async () => {
      asked.resolve();
      await gate.promise;
      return answer;
    },
  };
  return { late, asked: asked.promise, open: gate.resolve };
}

/** A store as slow as a database. */
function slowStore(texts: Map<string, string>) {
  const later = () => new Promise((resolve) => setTimeout(resolve));
  return {
    get: async (key: string) => (await later(), texts.get(key)),
    set: async (key: string, value: string) => (await later(), void texts.set(key, value)),
    delete: async (key: string) => (await later(), void texts.delete(key)),
  };
}

const GOOD = { access_token: "good", token_type: "Bearer", refresh_token: "r2", expires_in: 3600 };
const OLD = { accessToken: "old", type: "bearer", issuer: ISSUER, refreshToken: "r", client: { id: "dynamic" } };

for (
  const [name, url, answer, kept] of [
    ["a renewal ahead of time", `${ISSUER}/token`, GOOD, { ...OLD, renewAtMs: 1 }],
    ["a renewal after a refusal", `${ISSUER}/token`, GOOD, OLD],
    ["a first token", `${ISSUER}/token`, GOOD, undefined],
    ["a registration", `${ISSUER}/register`, { client_id: "late" }, undefined],
  ] as const
) {
  test(`signOut() is not undone by ${name} that is under way`, { skip }, async () => {
    const { late, asked, open } = gated(url, answer);
    const { fetch } = createNetwork(late);
    const texts = new Map(kept && [[TOKENS, JSON.stringify(kept)]]);
    const authorized = fetch(agreeing().grant, { store: slowStore(texts) });
    const call = authorized(SERVER, POST);
    await asked;
    await authorized.signOut();
    strictEqual(texts.size, 0);
    open();
    strictEqual((await call).status, 200);
    strictEqual(texts.size, 0, [...texts.keys()].join());
  });
}

test("signOut() is not undone by who comes while the store forgets", { skip }, async () => {
  const { fetch, bodies } = createNetwork();
  const texts = new Map([[TOKENS, JSON.stringify({ ...OLD, renewAtMs: 1 })]]);
  const { grant } = agreeing();
  const authorized = fetch(grant, { store: slowStore(texts) });
  const calls = [authorized(SERVER, POST)];
  const left = authorized.signOut();
  calls.push(authorized(SERVER, POST));
  await Promise.all([left, ...calls]);
  deepStrictEqual(bodies.map((body) => body.get("refresh_token")), [null]);
});

test("signIn() after signOut() gets new tokens, and not those that are under way", { skip }, async () => {
  const { late, asked, open } = gated(`${ISSUER}/token`, GOOD);
  const others = { ...late };
  const { fetch } = createNetwork(others);
  const texts = new Map([[TOKENS, JSON.stringify({ ...OLD, renewAtMs: 1 })]]);
  const { grant, pages } = agreeing();
  const authorized = fetch(grant, { store: texts });
  const call = authorized(SERVER, POST);
  await asked;
  await authorized.signOut();
  others[`${ISSUER}/token`] = { ...GOOD, refresh_token: "anew" };
  await authorized.signIn();
  open();
  await call;
  strictEqual(pages.length, 1);
  strictEqual(JSON.parse(texts.get(TOKENS) ?? "{}").refreshToken, "anew");
});

test("signOut() waits for what the store is about to keep", { skip }, async () => {
  const { fetch } = createNetwork();
  const texts = new Map<string, string>();
  const [setting, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const store = {
    get: (key: string) => texts.get(key),
    delete: (key: string) => void texts.delete(key),
    async set(key: string, value: string) {
      if (key === TOKENS) {
        setting.resolve();
        await gate.promise;
      }
      texts.set(key, value);
    },
  };
  const authorized = fetch(agreeing().grant, { store });
  const call = authorized(SERVER, POST);
  await setting.promise;
  // Long after the deletion.
  setTimeout(gate.resolve);
  await Promise.all([authorized.signOut(), call]);
  strictEqual(texts.size, 0);
});

test("signOut() keeps who has just read a refresh token from using it", { skip }, async () => {
  const { fetch, bodies } = createNetwork();
  const texts = new Map([[TOKENS, JSON.stringify({ ...OLD, renewAtMs: 1 })]]);
  const [reading, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reads = 0;
  const store = {
    async get(key: string) {
      const text = texts.get(key);
      if (++reads === 2) {
        reading.resolve();
        await gate.promise;
      }
      return text;
    },
    set: (key: string, value: string) => void texts.set(key, value),
    delete: (key: string) => void texts.delete(key),
  };
  const authorized = fetch(agreeing().grant, { store });
  const call = authorized(SERVER, POST);
  await reading.promise;
  await authorized.signOut();
  gate.resolve();
  strictEqual((await call).status, 200);
  deepStrictEqual(bodies.map((body) => body.get("refresh_token")), [null]);
});
