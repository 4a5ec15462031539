/** `jwt({ secret })`: tokens that an application signs itself, as with Hono; and attacks that swap keys, secrets and algorithms. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { sign } from "hono/jwt";
import { exportJWK, exportSPKI, generateKeyPair, UnsecuredJWT } from "jose";
import { createServer, defineTool, type Server } from "../../../mod.ts";
import { jwt, type JwtOptions, type SecretJwtOptions } from "../../../src/entries/auth.ts";
import type { JsonObject } from "../../../src/entries/types.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";
import { callAs } from "./fixture.ts";

const SECRET = "a secret of this test, of at least 64 bytes, so that it fits HS512 too";
const whoami = defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal?.id);
const inAnHour = () => Math.floor(Date.now() / 1000) + 3_600;

function create(options: JwtOptions) {
  const log = new KeptLog();
  return { log, server: createServer({ tools: [whoami], logger: log, auth: jwt(options) }) as Server };
}

/** The status for a token of the given claims, signed as Hono does. */
async function statusOf(
  options: Omit<SecretJwtOptions, "secret">,
  claims: JsonObject = {},
  secret = SECRET,
  algorithm: "HS256" | "HS384" | "HS512" = "HS256",
): Promise<number> {
  const token = await sign({ sub: "ada", exp: inAnHour(), ...claims } as Parameters<typeof sign>[0], secret, algorithm);
  return (await callAs(create({ secret: SECRET, ...options }).server, "whoami", token)).status;
}

test("a token of hono/jwt is accepted, and names the caller", async () => {
  const { server } = create({ secret: SECRET });
  const response = await callAs(server, "whoami", await sign({ sub: "ada", exp: inAnHour() }, SECRET, "HS256"));
  const { result } = await response.json() as { readonly result: JsonObject };
  deepStrictEqual([response.status, result["content"]], [200, "ada"]);
});

test("the option tenant reads a claim: a token without it, or with an empty one, is refused", async () => {
  const tenantOf = defineTool("tenant_of").describe("Say the tenant").handle((_, { principal }) =>
    principal?.tenant ?? null
  );
  const read = async (options: Omit<SecretJwtOptions, "secret">, claims: JsonObject) => {
    const server = createServer({ tools: [tenantOf], logger: false, auth: jwt({ secret: SECRET, ...options }) });
    const token = await sign({ sub: "ada", exp: inAnHour(), ...claims } as Parameters<typeof sign>[0], SECRET, "HS256");
    const response = await callAs(server as Server, "tenant_of", token);
    return response.status === 200
      ? ((await response.json()) as { result: JsonObject }).result["content"]
      : response.status;
  };
  deepStrictEqual(await read({ tenant: "org_id" }, { org_id: "acme" }), "acme");
  deepStrictEqual(await read({}, { tenant: "acme" }), null);
  for (const org of [undefined, "", 7, null, ["acme"]] as const) {
    deepStrictEqual(await read({ tenant: "org_id" }, org === undefined ? {} : { org_id: org }), 401);
  }
  deepStrictEqual(await read({ principal: ({ org }) => ({ id: "ada", tenant: `${org}` }) }, { org: "acme" }), "acme");
  throws(() => jwt({ secret: SECRET, tenant: "org_id", principal: () => undefined }), {
    name: "TypeError",
    message:
      "Cannot verify tokens: tenant is for the default principal; with the option principal, return the tenant there",
  });
});

test("a secret may be bytes", async () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const encode = (value: unknown) =>
    btoa(typeof value === "string" ? value : JSON.stringify(value))
      .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const signed = `${encode({ alg: "HS256" })}.${encode({ sub: "ada", exp: inAnHour() })}`;
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
  const token = `${signed}.${encode(String.fromCharCode(...new Uint8Array(mac)))}`;
  strictEqual((await callAs(create({ secret }).server, "whoami", token)).status, 200);
});

test("bytes that the program erases after the start, as secrets are, stay the secret", async () => {
  const bytes = new TextEncoder().encode(SECRET);
  const zeros = "\0".repeat(bytes.length);
  for (const secret of [bytes, Buffer.from(bytes)]) {
    const { server } = create({ secret });
    secret.fill(0);
    const statusFor = async (signer: string): Promise<number> => {
      const token = await sign({ sub: "ada", exp: inAnHour() }, signer, "HS256");
      return (await callAs(server, "whoami", token)).status;
    };
    deepStrictEqual([await statusFor(SECRET), await statusFor(zeros)], [200, 401]);
  }
});

test("issuer, audience, expiry and scopes are validated", async () => {
  const strict = { issuer: "shop", audience: "tools", requiredScopes: ["tools:call"] };
  strictEqual(await statusOf(strict, { iss: "shop", aud: "tools", scope: "tools:call" }), 200);
  strictEqual(await statusOf(strict, { iss: "evil", aud: "tools", scope: "tools:call" }), 401);
  strictEqual(await statusOf(strict, { iss: "shop", aud: "mail", scope: "tools:call" }), 401);
  strictEqual(await statusOf(strict, { iss: "shop", aud: "tools" }), 403);
  strictEqual(await statusOf({}, { exp: inAnHour() - 7_200 }), 401);
  strictEqual(await statusOf({}, { sub: "" }), 401);
});

test("the algorithm is pinned: HS256 unless others are named", async () => {
  strictEqual(await statusOf({}, {}, SECRET, "HS512"), 401);
  strictEqual(await statusOf({ algorithms: ["HS512"] }, {}, SECRET, "HS512"), 200);
  strictEqual(await statusOf({ algorithms: ["HS512"] }), 401);
  const { server, log } = create({ secret: SECRET });
  strictEqual((await callAs(server, "whoami", new UnsecuredJWT({ sub: "eve", exp: inAnHour() }).encode())).status, 401);
  match(JSON.stringify(log), /not a signed JSON Web Token|one of HS256/);
  strictEqual(await statusOf({}, {}, "another secret of at least thirty-two bytes"), 401);
});

test("a public key is never used as a secret", async () => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const pem = await exportSPKI(publicKey);
  const jwk = { ...await exportJWK(publicKey), alg: "RS256" } as JsonObject;
  const options = { issuer: "shop", audience: "tools", keys: { keys: [jwk] } };
  const claims = { sub: "eve", iss: "shop", aud: "tools", exp: inAnHour() };
  // The attack: HS256 with the public key, which every client has, as the secret.
  for (const known of [pem, pem.trim(), JSON.stringify(jwk)]) {
    strictEqual((await callAs(create(options).server, "whoami", await sign(claims, known, "HS256"))).status, 401);
    throws(() => jwt({ secret: known }), /is a key in PEM or JWK form; pass a public key as keys/);
    throws(() => jwt({ secret: new TextEncoder().encode(known) }), /is a key in PEM or JWK form/);
  }
  const own = await sign(claims, { ...await exportJWK(privateKey), alg: "RS256" } as never, "RS256");
  strictEqual((await callAs(create(options).server, "whoami", own)).status, 200);
  strictEqual((await callAs(create({ secret: SECRET }).server, "whoami", own)).status, 401);
});

test("options that do not fit a secret are refused where the server is created", () => {
  const wrong: readonly (readonly [options: unknown, message: RegExp])[] = [
    [{ secret: "x".repeat(31) }, /^Cannot verify tokens: the secret has 31 bytes; HS256 needs at least 32$/],
    [{ secret: new Uint8Array(32), algorithms: ["HS256", "HS384"] }, /has 32 bytes; HS256, HS384 needs at least 48/],
    [
      { secret: SECRET, algorithms: ["RS256"] },
      /with RS256, which needs jwksUrl or keys instead of a secret: use some of HS256/,
    ],
    [{ secret: SECRET, algorithms: [] }, /with no algorithm/],
    [{ secret: SECRET, algorithms: ["none"] }, /with none: use some of HS256, HS384, HS512/],
    [{ secret: SECRET, issuer: "a", audience: "b", keys: { keys: [] } }, /pass either jwksUrl or keys, or a secret/],
    [{ secret: SECRET, issuer: "" }, /issuer has to be a non-empty string/],
    [{ secret: SECRET, audience: [] }, /audience has to be a non-empty string/],
    [{ secret: 5 }, /secret.*text or bytes/],
    [{ issuer: "a", audience: "b" }, /pass either jwksUrl or keys, or a secret/],
    [{ issuer: "a", audience: "b", keys: { keys: [] }, algorithms: ["HS256"] }, /with HS256, which needs a secret/],
  ];
  for (const [options, message] of wrong) throws(() => jwt(options as JwtOptions), { message });
});
