/**
 * The official client signs in at a real provider without registration, over two replicas. A replica is replaced before each request of the
 * sign-in, so that anything it remembered would be lost.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { exportJWK, generateKeyPair } from "jose";
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Provider } from "oidc-provider";
import { createServer, defineTool, mcp, type Server } from "../../../mod.ts";
import { oidc, signIn } from "../../../src/entries/sign_in.ts";
import { runtime } from "../../runtime/runtime.ts";
import { browse } from "../oauth/issuer.ts";
import { Browser, KEYS } from "./world.ts";

const skip = runtime !== "bun" &&
  "the flow runs in process on each runtime; the provider needs Koa, and is the same on all";

/** Nothing listens there: requests to it are answered in process. */
const ISSUER = "http://localhost:7";
const RESOURCE = `${ISSUER}/mcp`;

/** A provider that registers no clients, on loopback. Its user agrees. */
async function startProvider() {
  const server = createHttpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const provider = new Provider(url, {
    clients: [{
      client_id: "toolwire",
      client_secret: "a secret of the tests",
      redirect_uris: [`${ISSUER}/callback`],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [{ ...await exportJWK(privateKey), alg: "ES256", use: "sig" }] },
    cookies: { keys: ["of no importance"] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, email: "ada@example.com" }) }),
    claims: { openid: ["sub"], email: ["email"] },
    conformIdTokenClaims: false,
    scopes: ["openid", "email", "offline_access"],
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    features: { devInteractions: { enabled: false } },
  });
  const handle = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith("/interaction/")) return handle(request, response);
    void agree(provider, request, response);
  });
  return {
    url,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: "ada", clientId: params["client_id"] ?? "" });
  grant.addOIDCScope("openid email offline_access");
  const result = { login: { accountId: "ada" }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

const provider = skip === false ? await startProvider() : undefined;
after(() => provider?.stop());

function createReplica(): Server {
  const door = signIn({
    provider: oidc({
      issuer: provider!.url,
      clientId: "toolwire",
      clientSecret: "a secret of the tests",
      scopes: ["openid", "email", "offline_access"],
      parameters: { prompt: "consent" },
    }),
    resource: RESOURCE,
    keys: KEYS,
    scopes: ["docs:read"],
    accessTokenSeconds: 3600,
  });
  const whoami = defineTool("whoami").describe("Say who calls").scopes("docs:read").handle((_, ctx) => ctx.principal);
  return createServer({ tools: [whoami], wires: [mcp(), ...door.wires], auth: door.auth, logger: false });
}

/** Two replicas in turn; the one that answered is replaced. */
function createReplicas() {
  const replicas = [createReplica(), createReplica()];
  const asked: string[] = [];
  const send = async (request: Request): Promise<Response> => {
    const [next, other] = replicas as [Server, Server];
    replicas.splice(0, 2, other, createReplica());
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return await next.fetch(request);
  };
  return { send, asked };
}

/** What the official client keeps. */
class Sign {
  readonly redirectUrl = "http://localhost:6274/oauth/callback";
  readonly clientMetadata = {
    client_name: "Official",
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: "none",
  };
  page: URL | undefined;
  kept: Record<string, unknown> = {};

  clientInformation = () => this.kept["client"] as never;
  saveClientInformation = (client: unknown) => void (this.kept["client"] = client);
  tokens = () => this.kept["tokens"] as never;
  saveTokens = (tokens: unknown) => void (this.kept["tokens"] = tokens);
  redirectToAuthorization = (page: URL) => void (this.page = page);
  saveCodeVerifier = (verifier: string) => void (this.kept["verifier"] = verifier);
  codeVerifier = () => this.kept["verifier"] as string;
}

test("the official client signs in, calls, and refreshes, over replicas that remember nothing", { skip }, async () => {
  const { send, asked } = createReplicas();
  const sign = new Sign();
  const options = {
    authProvider: sign,
    fetch: (url: string | URL, init?: RequestInit) => send(new Request(url, init)),
  };
  const first = new StreamableHTTPClientTransport(new URL(RESOURCE), options);
  await rejects(new Client({ name: "official", version: "1" }).connect(first as never), UnauthorizedError);

  const browser = new Browser(send);
  const consent = await browser.go(sign.page!);
  const [, request = ""] = /name="request" value="([^"]+)"/.exec(await consent.text()) ?? [];
  const agreed = await browser.go(`${ISSUER}/consent`, {
    method: "POST",
    body: new URLSearchParams({ request, answer: "allow" }),
  });
  const back = await browse(new URL(agreed.headers.get("location")!));
  strictEqual(`${back.origin}${back.pathname}`, `${ISSUER}/callback`);
  const arrived = new URL((await browser.go(back)).headers.get("location")!);
  ok(arrived.href.startsWith("http://localhost:6274/oauth/callback?code="));

  const code = arrived.searchParams.get("code")!;
  await first.finishAuth(code);

  const client = new Client({ name: "official", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(RESOURCE), options) as never);
  const whoami = async () => (await client.callTool({ name: "whoami", arguments: {} })).structuredContent;
  const ada = { id: "ada", scopes: ["docs:read"], claims: { email: "ada@example.com" } };
  deepStrictEqual(await whoami(), ada);

  // A token that is refused is refreshed, and the provider is asked.
  const { refresh_token: before } = sign.kept["tokens"] as { readonly refresh_token: string };
  sign.kept["tokens"] = { ...sign.kept["tokens"] as object, access_token: "no-longer-good" };
  deepStrictEqual(await whoami(), ada);
  ok((sign.kept["tokens"] as { readonly refresh_token: string }).refresh_token !== before);

  // A replayed code is refused. This provider then ends what the code has given, and so does the next refresh here.
  const replayed = await replay(send, sign, code);
  deepStrictEqual(replayed, { status: 400, error: "invalid_grant" });
  sign.kept["tokens"] = { ...sign.kept["tokens"] as object, access_token: "no-longer-good" };
  await rejects(whoami());
  await client.close();
  deepStrictEqual(
    asked.filter((one) => /register|authorize|consent|callback|token/.test(one)).slice(0, 5),
    ["POST /register", "GET /authorize", "POST /consent", "GET /callback", "POST /token"],
  );
});

/** Sends the token request of a client again. */
async function replay(send: (request: Request) => Promise<Response>, sign: Sign, code: string) {
  const { client_id: clientId } = sign.kept["client"] as { readonly client_id: string };
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: sign.redirectUrl,
    code,
    code_verifier: sign.codeVerifier(),
  });
  const response = await send(new Request(`${ISSUER}/token`, { method: "POST", body }));
  return { status: response.status, error: (await response.json()).error };
}
