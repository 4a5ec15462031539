/** oauthFetch() between a real authorization server and servers of this library. */
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { after, before, test } from "node:test";
import { exportJWK, generateKeyPair, type GenerateKeyPairResult } from "jose";
import { createClient, createServer, defineTool, mcpLite, mcpLiteTransport } from "../../../mod.ts";
import { bearer, jwtVerifier, protectedResourcePage } from "../../../src/entries/auth.ts";
import { loopbackRedirect } from "../../../src/entries/oauth/loopback.ts";
import {
  authorizationCode,
  clientCredentials,
  type Grant,
  oauthFetch,
  type OAuthStore,
} from "../../../src/entries/oauth.ts";
import { connectTransport, grpc } from "../../../src/entries/grpc.ts";
import { mcp, mcpTransport } from "../../../src/entries/mcp.ts";
import { browse, ROBOT, type RunningIssuer, SCOPES, startIssuer } from "./issuer.ts";

const ORIGIN = "http://localhost";
let issuer: RunningIssuer;
let keys: GenerateKeyPairResult;

before(async () => {
  keys = await generateKeyPair("ES256");
  issuer = await startIssuer({ ...await exportJWK(keys.publicKey), alg: "ES256" });
});
after(() => issuer.stop());

/** A server that accepts tokens of the issuer, and the log of requests: grants, and counts of all others. */
function createWorld() {
  const revoked = new Set<string>();
  const seen: string[] = [];
  const verify = jwtVerifier({ issuer: issuer.url, audience: ORIGIN, jwksUrl: `${issuer.url}/jwks` });
  const server = createServer({
    logger: false,
    tools: [
      defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal?.id),
      defineTool("write").describe("Write").scopes("docs:write").handle(() => "written"),
    ],
    wires: [
      mcpLite(),
      mcp(),
      grpc(),
      protectedResourcePage({ resource: ORIGIN, authorizationServers: [issuer.url], scopes: ["docs:read"] }),
    ],
    auth: bearer(async (token, request) => {
      const principal = revoked.has(token) ? undefined : await verify(token, request);
      if (principal !== undefined) seen.push(token);
      return principal;
    }),
  });
  const grants: string[] = [];
  const network = async (url: string, init: RequestInit): Promise<Response> => {
    if (new URL(url).origin === ORIGIN) return await server.fetch(new Request(url, { ...init, redirect: "follow" }));
    if (init.body instanceof URLSearchParams) grants.push(String(init.body.get("grant_type")));
    return await fetch(url, init);
  };
  /** Makes the server reject all tokens that it has accepted. */
  const revoke = () => seen.splice(0).forEach((token) => revoked.add(token));
  const connectTo = (grant: Grant, store?: OAuthStore) => {
    const fetch = oauthFetch(`${ORIGIN}/mcp`, { grant, fetch: network, ...(store && { store }) });
    return { fetch, client: createClient<typeof server>(mcpTransport(`${ORIGIN}/mcp`, { fetch })) };
  };
  return { connectTo, network, grants, revoke };
}

/** A user with a browser, and the pages that were opened. */
function createPerson() {
  const pages: URL[] = [];
  const redirect = loopbackRedirect({
    async open(page) {
      pages.push(page);
      const response = await fetch(await browse(page));
      strictEqual(await response.text(), "You can close this window.");
    },
  });
  return { pages, grant: authorizationCode({ redirect, clientMetadata: { client_name: "Test" } }) };
}

test("oauthFetch() registers, has a person agree once, and calls over each transport", async () => {
  const { connectTo, network, grants } = createWorld();
  const { pages, grant } = createPerson();
  const store = new Map<string, string>();
  const { client } = connectTo(grant, store);
  strictEqual(await client.whoami({}), "ada");
  strictEqual(await client.whoami({}), "ada");
  const [page] = pages;
  deepStrictEqual(
    [pages.length, ...["scope", "resource", "prompt"].map((name) => page?.searchParams.get(name))],
    [1, "docs:read offline_access", ORIGIN, "consent"],
  );
  deepStrictEqual(grants, ["authorization_code"]);
  client.$.close();

  // Another process, with the same store.
  const again = connectTo(createPerson().grant, store);
  strictEqual(await again.client.whoami({}), "ada");
  again.client.$.close();
  const { grant: other } = createPerson();
  const lite = oauthFetch(`${ORIGIN}/mcp-lite/v1`, { grant: other, fetch: network });
  strictEqual(await createClient(mcpLiteTransport(`${ORIGIN}/mcp-lite/v1`, { fetch: lite }))["whoami"]?.({}), "ada");
  const unary = oauthFetch(ORIGIN, { grant: other, fetch: network });
  strictEqual(await createClient(connectTransport(ORIGIN, { fetch: unary }))["whoami"]?.({}), "ada");
});

test("oauthFetch() refreshes once for many parallel calls, without asking the user", async () => {
  const { connectTo, grants, revoke } = createWorld();
  const { pages, grant } = createPerson();
  const { client } = connectTo(grant);
  await client.whoami({});
  revoke();
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.whoami({})));
  deepStrictEqual(new Set(answers), new Set(["ada"]));
  deepStrictEqual([grants, pages.length], [["authorization_code", "refresh_token"], 1]);
  client.$.close();
});

test("oauthFetch() has a person agree once for many parallel calls, and again when nothing refreshes", async () => {
  const { connectTo, grants, revoke } = createWorld();
  const { pages, grant } = createPerson();
  const store = new Map<string, string>();
  const { client } = connectTo(grant, store);
  await Promise.all(Array.from({ length: 10 }, () => client.whoami({})));
  deepStrictEqual([grants, pages.length], [["authorization_code"], 1]);
  for (const [key, value] of store) store.set(key, value.replace(/"refreshToken":"[^"]+"/, '"refreshToken":"none"'));
  revoke();
  await Promise.all(Array.from({ length: 10 }, () => client.whoami({})));
  deepStrictEqual([grants, pages.length], [["authorization_code", "refresh_token", "authorization_code"], 2]);
  client.$.close();
});

test("oauthFetch() asks for further scopes when a tool needs them, beside those that it has", async () => {
  const { connectTo } = createWorld();
  const { pages, grant } = createPerson();
  const { client } = connectTo(grant);
  await client.whoami({});
  strictEqual(await client.write({}), "written");
  deepStrictEqual(pages[1]?.searchParams.get("scope")?.split(" ").toSorted(), [...SCOPES, "offline_access"]);
  strictEqual(await client.whoami({}), "ada");
  strictEqual(pages.length, 2);
  client.$.close();
});

test("oauthFetch() does not ask again for what a person has not agreed to", async () => {
  const { connectTo } = createWorld();
  const { pages, grant } = createPerson();
  const { client } = connectTo(grant);
  issuer.person = (scopes) => scopes.filter((scope) => scope !== "docs:write");
  await client.whoami({});
  for (let times = 0; times < 3; times++) await rejects(client.write({}), { code: "permission_denied" });
  strictEqual(pages.length, 2);
  issuer.person = () => undefined;
  const { client: refused } = connectTo(createPerson().grant);
  await rejects(refused.whoami({}), { code: "unauthenticated", message: /rejected the request: access_denied$/ });
  issuer.person = (scopes) => scopes;
  strictEqual(await refused.whoami({}), "ada");
  client.$.close();
  refused.$.close();
});

test("oauthFetch() signs in beforehand, and out", async () => {
  const { connectTo, revoke } = createWorld();
  const { pages, grant } = createPerson();
  const store = new Map<string, string>();
  const { client, fetch } = connectTo(grant, store);
  await fetch.signIn();
  await fetch.signIn();
  strictEqual(await client.whoami({}), "ada");
  strictEqual(pages.length, 1);
  ok([...store.keys()].every((key) => key.startsWith("oauth ")));
  await fetch.signOut();
  deepStrictEqual([...store], []);
  revoke();
  strictEqual(await client.whoami({}), "ada");
  strictEqual(pages.length, 2);
  client.$.close();
});

test("clientCredentials() proves itself by a secret, and by a key", async () => {
  for (
    const [id, grant] of [
      [ROBOT.id, clientCredentials({ clientId: ROBOT.id, clientSecret: ROBOT.secret, issuer: issuer.url })],
      ["signer", clientCredentials({ clientId: "signer", clientKey: { key: keys.privateKey } })],
    ] as const
  ) {
    const { connectTo, grants, revoke } = createWorld();
    const { client } = connectTo(grant);
    strictEqual(await client.whoami({}), id);
    strictEqual(await client.write({}), "written");
    revoke();
    strictEqual(await client.whoami({}), id);
    deepStrictEqual(grants, Array(3).fill("client_credentials"));
    client.$.close();
  }
});

test("clientCredentials() that are wrong refuse, and say no secret", async () => {
  const { connectTo } = createWorld();
  const grant = clientCredentials({ clientId: ROBOT.id, clientSecret: "not the secret", issuer: issuer.url });
  const { client } = connectTo(grant);
  await rejects(client.whoami({}), (thrown: Error) => {
    ok(!/not the secret/.test(`${thrown.message} ${JSON.stringify(thrown)}`));
    return /rejected the request: invalid_client$/.test(thrown.message);
  });
  client.$.close();
});
