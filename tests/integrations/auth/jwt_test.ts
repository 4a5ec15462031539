/** `jwt()`: tokens that are accepted, and tokens that are rejected. */
import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { before, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { createServer, defineTool, type Server } from "../../../mod.ts";
import { bearer, type IssuerJwtOptions, jwt, jwtVerifier } from "../../../src/entries/auth.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";
import { call, callAs } from "./fixture.ts";
import type { JsonObject } from "../../../src/entries/types.ts";

const ISSUER = "https://login.example";
const AUDIENCE = "https://api.example/mcp";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** Two keys of the issuer, and one of another party. */
let first: Keys, second: Keys, strange: Keys;
let jwks: { keys: JsonObject[] };

before(async () => {
  [first, second, strange] = await Promise.all(
    [1, 2, 3].map(() => generateKeyPair("ES256", { extractable: true })),
  ) as [Keys, Keys, Keys];
  jwks = { keys: [await publicJwk(first, "k1"), await publicJwk(second, "k2")] };
});

async function publicJwk({ publicKey }: Keys, kid: string): Promise<JsonObject> {
  return { ...await exportJWK(publicKey), kid, alg: "ES256", use: "sig" } as JsonObject;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

interface Draft {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: Keys;
}

/** Creates a token, valid except for the given changes. Claims that are `undefined` are omitted. */
async function tokenOf({ claims, header, key = first }: Draft = {}): Promise<string> {
  const all = { sub: "ada", iss: ISSUER, aud: AUDIENCE, exp: nowSeconds() + 600, ...claims };
  return await new SignJWT(JSON.parse(JSON.stringify(all))).setProtectedHeader({ alg: "ES256", kid: "k1", ...header })
    .sign(key.privateKey, { crit: { strange: true } });
}

function create(options: Partial<IssuerJwtOptions> = {}) {
  const log = new KeptLog();
  const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal);
  const auth = jwt({
    issuer: ISSUER,
    audience: AUDIENCE,
    ...(options.jwksUrl === undefined && { keys: jwks }),
    ...options,
  });
  return { log, server: createServer({ tools: [whoami], logger: log, auth }) as Server };
}

interface Body {
  readonly result?: {
    readonly content: { readonly id: string; readonly scopes: string[]; readonly claims: JsonObject };
  };
  readonly error?: { readonly message: string; readonly data: JsonObject };
}

async function ask(
  server: Server,
  token: string,
): Promise<Body & { readonly status: number; readonly challenge: string | null }> {
  const response = await callAs(server, "whoami", token);
  const challenge = response.headers.get("www-authenticate");
  return { status: response.status, challenge, ...(await response.json() as Body) };
}

test("jwt() lets in who has a good token, and says who that is", async () => {
  const { server } = create();
  const token = await tokenOf({ claims: { scope: "docs:read docs:write", team: "red" } });
  const { status, result } = await ask(server, token);
  strictEqual(status, 200);
  deepStrictEqual([result?.content.id, result?.content.scopes], ["ada", ["docs:read", "docs:write"]]);
  deepStrictEqual([result?.content.claims["team"], result?.content.claims["iss"]], ["red", ISSUER]);
});

test("jwt() reads scopes wherever issuers have them", async () => {
  const { server } = create();
  for (
    const [claims, want] of [
      [{}, []],
      [{ scope: "" }, []],
      [{ scope: " a  b " }, ["a", "b"]],
      [{ scp: "a b" }, ["a", "b"]],
      [{ scp: ["a", "b"] }, ["a", "b"]],
      [{ scp: ["a", 7, null] }, ["a"]],
      [{ scope: "a", scp: ["b"] }, ["a", "b"]],
      [{ scope: { a: true }, scp: 7 }, []],
    ] as const
  ) {
    deepStrictEqual((await ask(server, await tokenOf({ claims }))).result?.content.scopes, want);
  }
});

const GOOD: Readonly<Record<string, () => Draft>> = {
  "a second key of the issuer": () => ({ key: second, header: { kid: "k2" } }),
  "no key named, and the first is it": () => ({ header: { kid: undefined } }),
  "no key named, and the second is it": () => ({ key: second, header: { kid: undefined } }),
  "several audiences": () => ({ claims: { aud: ["https://other.example", AUDIENCE] } }),
  "an audience with a slash at its end": () => ({ claims: { aud: `${AUDIENCE}/` } }),
  "expired within the tolerance": () => ({ claims: { exp: nowSeconds() - 30 } }),
  "begins within the tolerance": () => ({ claims: { nbf: nowSeconds() + 30 } }),
};

for (const [name, draft] of Object.entries(GOOD)) {
  test(`jwt() takes a token with ${name}`, async () => {
    strictEqual((await ask(create().server, await tokenOf(draft()))).status, 200);
  });
}

const BAD: Readonly<Record<string, () => Promise<string>>> = {
  "of another issuer": () => tokenOf({ claims: { iss: "https://evil.example" } }),
  "of an issuer with a slash more": () => tokenOf({ claims: { iss: `${ISSUER}/` } }),
  "of no issuer": () => tokenOf({ claims: { iss: undefined } }),
  "for another audience": () => tokenOf({ claims: { aud: "https://other.example" } }),
  "for what begins as this audience": () => tokenOf({ claims: { aud: `${AUDIENCE}/more` } }),
  "for no audience": () => tokenOf({ claims: { aud: undefined } }),
  "without an expiry": () => tokenOf({ claims: { exp: undefined } }),
  "whose expiry is text": () => tokenOf({ claims: { exp: "tomorrow" } }),
  "that begins later": () => tokenOf({ claims: { nbf: nowSeconds() + 600 } }),
  "without a subject": () => tokenOf({ claims: { sub: undefined } }),
  "with an empty subject": () => tokenOf({ claims: { sub: "" } }),
  "with a number as subject": () => tokenOf({ claims: { sub: 7 } }),
  "by a stranger's key": () => tokenOf({ key: strange }),
  "by a stranger's key that is not named": () => tokenOf({ key: strange, header: { kid: undefined } }),
  "by an unknown key": () => tokenOf({ header: { kid: "k9" } }),
  "by one key in the name of another": () => tokenOf({ header: { kid: "k2" } }),
  "that is not signed": () =>
    Promise.resolve(new UnsecuredJWT({ sub: "ada", iss: ISSUER, aud: AUDIENCE, exp: nowSeconds() + 600 }).encode()),
  "whose signature was cut off": async () => (await tokenOf()).replace(/\.[^.]*$/, "."),
  "whose claims were changed": async () => {
    const [header, claims = "", signature] = (await tokenOf()).split(".");
    const changed = JSON.parse(atob(claims)) as JsonObject;
    return [header, btoa(JSON.stringify({ ...changed, sub: "eve" })).replace(/=+$/, ""), signature].join(".");
  },
  "whose header says none": async () => {
    const [, claims, signature] = (await tokenOf()).split(".");
    return [btoa('{"alg":"none"}').replace(/=+$/, ""), claims, signature].join(".");
  },
  "signed with the public key as if it were a secret": async () => {
    const secret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]));
    const claims = { sub: "ada", iss: ISSUER, aud: AUDIENCE, exp: nowSeconds() + 600 };
    return await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(secret);
  },
  "that demands what nobody knows": () => tokenOf({ header: { crit: ["strange"], strange: true } }),
  "that is encrypted": () => Promise.resolve("a.b.c.d.e"),
  "of one part": () => Promise.resolve("abc"),
  "of three empty parts": () => Promise.resolve(".."),
  "of long nonsense": () => Promise.resolve(`${"x".repeat(5_000)}.${"y".repeat(5_000)}.z`),
};

for (const [name, make] of Object.entries(BAD)) {
  test(`jwt() refuses a token ${name}`, async () => {
    const { server, log } = create();
    const token = await make();
    const { status, error } = await ask(server, token);
    strictEqual(status, 401);
    deepStrictEqual(error?.data, { error: "invalid_token", code: "unauthenticated" });
    ok(/^The token (is invalid|has no subject|is malformed)$/.test(error?.message ?? ""), error?.message);
    const [line, ...more] = log.lines;
    deepStrictEqual([line?.level, line?.message, more], ["warn", "Caller rejected", []]);
    const { reason, ...fields } = line?.fields ?? {};
    deepStrictEqual(fields, { during: "auth", code: "unauthenticated" });
    ok(typeof reason === "string" && reason.length > 10 && reason.length < 500, String(reason));
    // Neither the token nor one of its parts, nor a claim about a person.
    ok(!token.split(".").some((part) => part.length > 3 && reason.includes(part)), reason);
    ok(!/ada|eve/.test(reason), reason);
  });
}

for (
  const [what, draft, reason] of [
    [
      "the audience",
      { claims: { aud: "https://b.example" } },
      /^claim "aud": expected \["https:\/\/api.example\/mcp",.*given "https:\/\/b.example"$/,
    ],
    [
      "the issuer",
      { claims: { iss: "https://evil.example" } },
      /^claim "iss": expected "https:\/\/login.example", given "https:\/\/evil.example"$/,
    ],
    ["a missing issuer", { claims: { iss: undefined } }, /^claim "iss": expected .*, given nothing$/],
    ["the expiry", { claims: { exp: 7 } }, /^claim "exp": expected a time after \d{10}, given 7$/],
    ["the start", { claims: { nbf: 9e9 } }, /^claim "nbf": expected a time before \d{10}, given 9000000000$/],
    ["the subject", { claims: { sub: undefined } }, /^claim "sub": expected text that is not empty, given undefined$/],
    [
      "the key",
      { header: { kid: "k9" } },
      /^no key of the issuer matches the header: "alg" is "ES256", "kid" is "k9"$/,
    ],
    ["the signature", { header: { kid: "k2" } }, /^the signature does not match the issuer's key with "kid" "k2"$/],
  ] as const
) {
  test(`jwt() logs ${what} as the reason of a refused token`, async () => {
    const { server, log } = create();
    await ask(server, await tokenOf(draft));
    match(String(log.lines[0]?.fields["reason"]), reason);
  });
}

test("jwt() logs the algorithm and the scopes as reasons", async () => {
  for (
    const [options, reason] of [
      [{ algorithms: ["RS256"] }, /^header "alg": expected one of RS256, given "ES256"$/],
      [{ requiredScopes: ["api"] }, /^claim "scope": expected \["api"\], given \["docs"\]$/],
    ] as const
  ) {
    const { server, log } = create(options);
    await ask(server, await tokenOf({ claims: { scope: "docs" } }));
    match(String(log.lines[0]?.fields["reason"]), reason);
  }
});

test("jwt() says of a token that it has expired", async () => {
  const { status, error, challenge } = await ask(
    create().server,
    await tokenOf({ claims: { exp: nowSeconds() - 61 } }),
  );
  deepStrictEqual([status, error?.message], [401, "The token has expired"]);
  strictEqual(challenge, 'Bearer error="invalid_token", error_description="The token has expired"');
});

test("jwt() holds to the tolerance and the algorithms that it is given", async () => {
  const late = await tokenOf({ claims: { exp: nowSeconds() - 2 } });
  strictEqual((await ask(create({ clockToleranceSeconds: 0 }).server, late)).status, 401);
  strictEqual((await ask(create({ algorithms: ["RS256"] }).server, await tokenOf())).status, 401);
});

test("jwt() wants the scopes that each token has to have", async () => {
  const { server } = create({ requiredScopes: ["api", "docs:read"] });
  strictEqual((await ask(server, await tokenOf({ claims: { scope: "docs:read api" } }))).status, 200);
  const { status, challenge } = await ask(server, await tokenOf({ claims: { scope: "api" } }));
  strictEqual(status, 403);
  strictEqual(
    challenge,
    'Bearer error="insufficient_scope", error_description="The token lacks a required scope: api, docs:read", scope="api docs:read"',
  );
});

test("jwt() takes a function that returns the principal, or undefined for an unknown caller", async () => {
  const { server } = create({
    principal: ({ client_id: id }) => typeof id === "string" ? { id: `client:${id}` } : undefined,
  });
  strictEqual((await ask(server, await tokenOf({ claims: { client_id: "c1" } }))).result?.content.id, "client:c1");
  strictEqual((await ask(server, await tokenOf())).status, 401);
});

test("jwtVerifier() goes beside tokens of another kind", async () => {
  const verify = jwtVerifier({ issuer: ISSUER, audience: AUDIENCE, keys: jwks });
  const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal?.id);
  const auth = bearer((token, request) => token === "machine" ? { id: "machine" } : verify(token, request));
  const server = createServer({ tools: [whoami], auth }) as Server;
  for (const [token, id] of [["machine", "machine"], [await tokenOf(), "ada"]] as const) {
    strictEqual(
      (await (await callAs(server, "whoami", token)).json() as { result: { content: string } }).result.content,
      id,
    );
  }
  strictEqual((await callAs(server, "whoami", "other")).status, 401);
});

test("jwt() fetches keys once, and again for one that is new", async () => {
  const asked: string[] = [];
  let published = { keys: jwks.keys.slice(0, 1) };
  const fetch = (url: string) => {
    asked.push(url);
    return Promise.resolve(Response.json(published));
  };
  const { server } = create({ jwksUrl: `${ISSUER}/jwks`, fetch });
  strictEqual(asked.length, 0);
  for (let round = 0; round < 3; round++) strictEqual((await ask(server, await tokenOf())).status, 200);
  deepStrictEqual(asked, [`${ISSUER}/jwks`]);
  published = jwks;
  // Unknown key ids must not cause a request each.
  const tokens = await Promise.all([1, 2, 3].map((at) => tokenOf({ header: { kid: `x${at}` } })));
  for (const token of tokens) strictEqual((await ask(server, token)).status, 401);
  ok(asked.length <= 2, String(asked.length));
});

for (
  const [name, fetch] of Object.entries<() => Promise<Response>>({
    "that cannot be reached": () => Promise.reject(new TypeError("connection refused")),
    "that answers an error": () => Promise.resolve(new Response("secret", { status: 500 })),
    "that redirects": () =>
      Promise.resolve(new Response(null, { status: 302, headers: { location: "https://evil.example" } })),
    "that answers HTML": () => Promise.resolve(new Response("<html>")),
    "that answers other JSON": () => Promise.resolve(Response.json({ keys: "none" })),
  })
) {
  test(`jwt() with keys at a place ${name} refuses for now, and logs why`, async () => {
    const { server, log } = create({ jwksUrl: `${ISSUER}/jwks`, fetch });
    const { status, error } = await ask(server, await tokenOf());
    deepStrictEqual([status, error?.data["code"]], [503, "unavailable"]);
    strictEqual(error?.message, "Tokens cannot be verified at the moment; try again");
    strictEqual(log.lines.length, 1);
  });
}

test("jwt() tells at once what is wrong with its options", () => {
  const good = { issuer: ISSUER, audience: AUDIENCE, keys: jwks };
  for (
    const [change, message] of [
      [{ keys: undefined }, /pass either jwksUrl or keys/],
      [{ jwksUrl: `${ISSUER}/jwks` }, /pass either jwksUrl or keys/],
      [{ keys: undefined, jwksUrl: "http://login.example/jwks" }, /the URL has to be https/],
      [{ issuer: "" }, /issuer has to be a non-empty string/],
      [{ issuer: undefined as unknown as string }, /issuer has to be a non-empty string/],
      [{ audience: "" }, /audience has to be a non-empty string/],
      [{ audience: [] }, /audience has to be a non-empty string/],
      [{ audience: undefined as unknown as string }, /audience has to be a non-empty string/],
      [{ algorithms: ["none"] }, /with none/],
      [{ algorithms: ["ES256", "HS256"] }, /with HS256/],
      [{ algorithms: [] }, /with no algorithm/],
    ] as const
  ) {
    throws(() => jwt({ ...good, ...change }), { name: "TypeError", message });
  }
});

test("jwt() refuses who shows nothing, unless it lets in anybody", async () => {
  strictEqual((await call(create().server, "whoami")).status, 401);
  strictEqual((await call(create({ allowAnonymous: true }).server, "whoami")).status, 200);
});
