/** `requiredScopes` of `bearer` and `authenticate`, the scopes of challenges, and the metadata that clients of 2025-03-26 read. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, defineTool, type Principal, type Server, ToolError } from "../../../mod.ts";
import { authenticate, bearer, jwt, protectedResourcePage } from "../../../src/entries/auth.ts";
import type { Auth } from "../../../src/server/auth.ts";
import { mcp } from "../../../src/entries/mcp.ts";
import { wires } from "../../wires/matrix.ts";
import { modern } from "../../wires/mcp/server/client.ts";

const PEOPLE: Readonly<Record<string, Principal>> = {
  ada: { id: "ada", scopes: ["mcp", "docs", "more"] },
  bob: { id: "bob", scopes: ["docs"] },
  eve: { id: "eve" },
};
const requiredScopes = ["mcp", "docs"];
const identify = (token: string | undefined) => PEOPLE[token ?? ""];

const AUTHS: Readonly<Record<string, (more?: { allowAnonymous: boolean }) => Auth>> = {
  bearer: (more) => bearer(identify, { requiredScopes, ...more }),
  "bearer, asynchronous": (more) => bearer((token) => Promise.resolve(identify(token)), { requiredScopes, ...more }),
  authenticate: (more) =>
    authenticate(({ metadata }) => identify(metadata.get("authorization")?.slice(7)), { requiredScopes, ...more }),
};

function createGuarded(auth: Auth) {
  const runs: string[] = [];
  const run = defineTool("run").describe("Run").handle((_, ctx) => {
    runs.push(ctx.principal?.id ?? "anonymous");
    return "ran";
  });
  return { server: createServer({ tools: [run], wires, auth, logger: false }), runs };
}

const as = (name: string | undefined) => name === undefined ? {} : { authorization: `Bearer ${name}` };
const call = (server: Server, name: string | undefined) =>
  modern(server, "tools/call", { name: "run", arguments: {} }, { headers: as(name) });

for (const [name, create] of Object.entries(AUTHS)) {
  test(`${name}: a caller needs all required scopes, before anything runs`, async () => {
    const { server, runs } = createGuarded(create());
    strictEqual((await call(server, "ada")).status, 200);
    for (const other of ["bob", "eve"]) {
      const { status, headers, last } = await call(server, other);
      strictEqual(status, 403);
      match(String(headers.get("www-authenticate")), /^Bearer error="insufficient_scope".*scope="mcp docs"/);
      strictEqual(last.error?.data?.["code"], "permission_denied");
    }
    deepStrictEqual(runs, ["ada"]);
  });

  test(`${name}: the challenge of 401 names the scopes, so that the first token has them`, async () => {
    const { server } = createGuarded(create());
    const { status, headers } = await call(server, undefined);
    strictEqual(status, 401);
    match(String(headers.get("www-authenticate")), /scope="mcp docs"/);
  });

  test(`${name}: anonymous callers need none if they are allowed, named ones do`, async () => {
    const { server, runs } = createGuarded(create({ allowAnonymous: true }));
    strictEqual((await call(server, undefined)).status, 200);
    strictEqual((await call(server, "eve")).status, 403);
    deepStrictEqual(runs, ["anonymous"]);
  });

  test(`${name}: the other wires refuse the same callers`, async () => {
    const { server } = createGuarded(create());
    for (const path of ["/mcp-lite/v1/tools", "/mcp-lite/v1/calltools", "/webtools/fixture", "/rest/tools/run"]) {
      const post = (who: string) =>
        server.fetch(
          new Request(`http://localhost${path}`, {
            method: "POST",
            headers: { "content-type": "application/json", ...as(who) },
            body: "{}",
          }),
        );
      const denied = await post("bob");
      strictEqual(denied.status, 403, path);
      match(String(denied.headers.get("www-authenticate")), /insufficient_scope.*scope="mcp docs"/);
      await denied.text();
      const known = await post("ada");
      strictEqual(known.status === 403, false, path);
      await known.text();
    }
  });
}

test("jwt names its required scopes in the challenge of 401, too", async () => {
  const secret = "a secret of at least thirty-two bytes, for tests";
  const { server } = createGuarded(jwt({ secret, requiredScopes: ["api"] }));
  const { status, headers } = await call(server, undefined);
  strictEqual(status, 401);
  match(String(headers.get("www-authenticate")), /scope="api"/);
});

test("scopes that are not an array of texts are refused", () => {
  for (const wrong of ["mcp", [1], {}] as never[]) {
    throws(() => bearer(identify, { requiredScopes: wrong }), /requiredScopes/);
    throws(() => authenticate(() => undefined, { requiredScopes: wrong }), /requiredScopes/);
  }
});

test("a refusal of identify that names other scopes keeps them", async () => {
  const auth = authenticate(() => {
    throw new ToolError("unauthenticated", "Sign in again", { details: { required_scopes: ["again"] } });
  }, { requiredScopes });
  const { headers } = await call(createGuarded(auth).server, "ada");
  match(String(headers.get("www-authenticate")), /scope="again"/);
});

const METADATA = {
  issuer: "https://login.example",
  authorization_endpoint: "https://login.example/authorize",
  token_endpoint: "https://login.example/token",
  response_types_supported: ["code"],
};

test("clients of 2025-03-26 find the metadata of the authorization server beside the resource", async () => {
  const page = protectedResourcePage({
    resource: "https://api.example/mcp",
    authorizationServers: ["https://login.example"],
    name: "Documents",
    authorizationServerMetadata: METADATA,
  });
  const server = createServer({ tools: [], wires: [mcp(), page], auth: bearer(identify), logger: false });
  const get = (path: string, init?: RequestInit) => server.fetch(new Request(`https://api.example${path}`, init));
  for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp"]) {
    const response = await get(path);
    strictEqual(response.status, 200, path);
    strictEqual(response.headers.get("access-control-allow-origin"), "*");
    deepStrictEqual(await response.json(), METADATA);
    const refused = await get(path, { method: "POST" });
    strictEqual(refused.status, 405);
    await refused.text();
  }
  const { resource_name: name } = await (await get("/.well-known/oauth-protected-resource/mcp")).json() as {
    resource_name: string;
  };
  strictEqual(name, "Documents");
});

test("metadata of an authorization server needs its issuer, which is one of the servers, and its endpoints", () => {
  const common = { resource: "https://api.example/mcp", authorizationServers: ["https://login.example"] };
  const { issuer: _, ...noIssuer } = METADATA;
  const { token_endpoint: __, ...noToken } = METADATA;
  for (const wrong of [noIssuer, noToken, { ...METADATA, issuer: "https://other.example" }]) {
    throws(
      () => protectedResourcePage({ ...common, authorizationServerMetadata: wrong }),
      /authorizationServerMetadata needs issuer \(one of authorizationServers\), authorization_endpoint and token_endpoint/,
    );
  }
});
