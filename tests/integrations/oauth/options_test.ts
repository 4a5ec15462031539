/** Options of oauthFetch() and of grants: unknown, missing and invalid options are rejected at the call. */
import { throws } from "node:assert/strict";
import { test } from "node:test";
import {
  authorizationCode,
  clientCredentials,
  identityAssertion,
  jwtBearer,
  oauthFetch,
} from "../../../src/entries/oauth.ts";
import { agreeing, ISSUER, SERVER } from "./network.ts";

const { grant } = agreeing();
const redirect = { url: "http://127.0.0.1:4000/callback", visit: (page: URL) => Promise.resolve(page) };
const machine = { clientId: "robot", clientSecret: "secret", issuer: ISSUER };
const bearer = { clientId: "robot", assertion: () => "signed", issuer: ISSUER };
const identity = { issuer: ISSUER, tokenUrl: `${ISSUER}/token`, clientId: "app", idToken: "who" };

/** A function as JavaScript can call it. */
type Loose = (options: unknown) => unknown;

/** Functions with options, valid options, and invalid ones with their messages. */
const CASES: Readonly<Record<string, readonly [Loose, object, readonly (readonly [object, RegExp])[]]>> = {
  oauthFetch: [(options) => oauthFetch(SERVER, options as never), { grant }, [
    [{ scope: ["a"] }, /did you mean "scopes"\?$/],
    [{ scopes: "a b" }, /scopes must be an array of texts/],
    [{ store: {} }, /store must be like a Map/],
    [{ dpop: "key" }, /dpop must be an object/],
    [{ fetch: "fetch" }, /fetch must be a function/],
    [{ grant: undefined }, /pass a grant/],
  ]],
  authorizationCode: [authorizationCode as Loose, { redirect }, [
    [{ redirect: undefined }, /redirect must be a redirect/],
    [{ redirect: "http://127.0.0.1" }, /redirect must be a redirect/],
    [{ redirect: { url: "callback", visit: redirect.visit } }, /redirect must be a redirect/],
    [{ clientID: "a" }, /did you mean "clientId"\?$/],
    [{ clientId: "" }, /clientId must be text/],
    [{ clientMetadata: "Docs bot" }, /clientMetadata must be an object/],
    [{ timeoutMs: 0 }, /timeoutMs must be a number above 0/],
  ]],
  clientCredentials: [clientCredentials as Loose, machine, [
    [{ clientId: undefined }, /clientId must be text/],
    [{ isuer: ISSUER }, /did you mean "issuer"\?$/],
    [{ clientSecret: "" }, /clientSecret must be text/],
    [{ clientSecret: undefined, clientKey: "key" }, /clientKey must be an object/],
  ]],
  jwtBearer: [jwtBearer as Loose, bearer, [
    [{ issuer: undefined }, /issuer must be text/],
    [{ issuer: "" }, /issuer must be text/],
    [{ assertion: "signed" }, /assertion must be a function/],
    [{ clientId: undefined }, /clientId must be text/],
    [{ clientSecrets: "a" }, /did you mean "clientSecret"\?$/],
  ]],
  identityAssertion: [identityAssertion as Loose, identity, [
    [{ issuer: undefined }, /issuer must be text/],
    [{ tokenUrl: undefined }, /tokenUrl must be text/],
    [{ clientId: undefined }, /clientId must be text/],
    [{ idToken: 7 }, /idToken must be text, or a function/],
    [{ tokenURL: "a" }, /did you mean "tokenUrl"\?$/],
    [{ fetch: {} }, /fetch must be a function/],
  ]],
};

for (const [name, [make, good, cases]] of Object.entries(CASES)) {
  test(`${name}() refuses options that are none`, () => {
    make(good);
    throws(() => make(undefined), /options are an object/);
    for (const [others, message] of cases) throws(() => make({ ...good, ...others }), { message });
  });
}
