/** Metadata of protected resources (RFC 9728), and the one that each challenge names. */
import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { test } from "node:test";
import { createServer, mcpLite } from "../../../mod.ts";
import { bearer, type ProtectedResourceOptions, protectedResourcePage } from "../../../src/entries/auth.ts";
import { grpc } from "../../../src/entries/grpc.ts";
import { post } from "./fixture.ts";

const WELL_KNOWN = "https://api.example/.well-known/oauth-protected-resource";
const authorizationServers = ["https://login.example"];

function serverOf(...resources: readonly ProtectedResourceOptions[]) {
  return createServer({
    tools: [],
    wires: [mcpLite(), grpc(), ...resources.map(protectedResourcePage)],
    auth: bearer(() => undefined),
  });
}

test("protectedResourcePage() tells what it was told, under the resource's own path", async () => {
  const server = serverOf({
    resource: "https://api.example/mcp-lite/v1",
    authorizationServers,
    scopes: ["docs:read", "docs:write"],
    name: "Documents",
    documentation: "https://docs.example",
    more: { jwks_uri: "https://api.example/jwks", resource: "https://other.example" },
  });
  for (const slash of ["", "/"]) {
    const response = await server.fetch(new Request(`${WELL_KNOWN}/mcp-lite/v1${slash}`));
    strictEqual(response.status, 200);
    strictEqual(response.headers.get("content-type"), "application/json");
    strictEqual(response.headers.get("access-control-allow-origin"), "*");
    deepStrictEqual(await response.json(), {
      resource: "https://api.example/mcp-lite/v1",
      authorization_servers: ["https://login.example"],
      scopes_supported: ["docs:read", "docs:write"],
      bearer_methods_supported: ["header"],
      resource_name: "Documents",
      resource_documentation: "https://docs.example",
      jwks_uri: "https://api.example/jwks",
    });
  }
  strictEqual((await server.fetch(new Request(WELL_KNOWN))).status, 404);
});

test("protectedResourcePage() tells no more than it knows", async () => {
  const server = serverOf({ resource: "https://api.example", authorizationServers });
  deepStrictEqual(await (await server.fetch(new Request(WELL_KNOWN))).json(), {
    resource: "https://api.example",
    authorization_servers: ["https://login.example"],
    bearer_methods_supported: ["header"],
  });
});

test("protectedResourcePage() answers pages of any origin, and reads only", async () => {
  const server = serverOf({ resource: "https://api.example", authorizationServers });
  const headers = { origin: "https://any.example" };
  for (const cors of [false, true]) {
    const guarded = server.withOriginPolicy({ origins: ["https://app.example"], cors });
    for (
      const [method, status, hasBody] of [
        ["GET", 200, true],
        ["HEAD", 200, false],
        ["OPTIONS", 204, false],
        ["POST", 405, false],
        ["DELETE", 405, false],
      ] as const
    ) {
      const response = await guarded.fetch(new Request(WELL_KNOWN, { method, headers }));
      strictEqual(response.status, status, method);
      strictEqual(response.headers.get("access-control-allow-origin"), "*");
      strictEqual((await response.text()) !== "", hasBody, method);
    }
  }
});

test("refusals point to the resource that is closest to what was asked for", async () => {
  const server = serverOf(
    { resource: "https://api.example/", authorizationServers },
    { resource: "https://api.example/mcp-lite", authorizationServers },
    { resource: "https://api.example/mcp-lite/v1/call", authorizationServers },
  );
  const pointed = async (path: string) => {
    const { headers } = await post(server, path, "{}");
    return /resource_metadata="([^"]*)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
  };
  strictEqual(await pointed("/mcp-lite/v1/calltools"), `${WELL_KNOWN}/mcp-lite`);
  strictEqual(await pointed("/mcp-lite/v1/call"), `${WELL_KNOWN}/mcp-lite/v1/call`);
  strictEqual(await pointed("/mcplite.MCPLite/CallTool"), WELL_KNOWN);
});

test("refusals point nowhere from what is not protected by it", async () => {
  const server = serverOf({ resource: "https://api.example/mcp-li", authorizationServers });
  strictEqual((await post(server, "/mcp-lite/v1/tools", "{}")).headers.get("www-authenticate"), "Bearer");
});

for (
  const resource of [
    "",
    "api.example/mcp",
    "http://api.example/mcp",
    "ftp://api.example",
    "https://api.example/mcp?x=1",
    "https://api.example/mcp#x",
    "https://api.example/mcp?",
  ]
) {
  test(`protectedResourcePage() refuses ${JSON.stringify(resource)}`, () => {
    throws(() => protectedResourcePage({ resource, authorizationServers }), /^TypeError: Cannot describe/);
  });
}

test("protectedResourcePage() wants an authorization server, and takes plain http on this machine", () => {
  throws(
    () => protectedResourcePage({ resource: "https://api.example", authorizationServers: [] }),
    /^TypeError: Cannot describe https:\/\/api\.example: name at least one authorization server/,
  );
  strictEqual(
    protectedResourcePage({ resource: "http://127.0.0.1:8000/mcp", authorizationServers }).name,
    "protected-resource",
  );
});
