/** Replicas of a server with sign-in, a stand-in provider, browsers with cookies, and MCP clients. */
import { strictEqual } from "node:assert/strict";
import { createServer, defineTool, mcp, mcpLite, type Server } from "../../../mod.ts";
import { oidc, signIn, type SignInOptions, type SignInStore } from "../../../src/entries/sign_in.ts";
import { FakeClock } from "../../../src/testing/fake_clock.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";
import { challengeOf, PROVIDER, Provider } from "./provider.ts";

export const ISSUER = "https://api.example";
export const RESOURCE = `${ISSUER}/mcp`;
export const KEYS = "k1:a secret of the tests with thirty-two bytes";
export const REDIRECT = "https://client.example/cb";
export const VERIFIER = "a-verifier-of-a-client-that-has-forty-three-characters";
export const CHALLENGE = challengeOf(VERIFIER);

/** A store in memory, for all replicas. */
export class MemoryStore implements SignInStore {
  readonly #keys = new Set<string>();

  add(key: string): boolean {
    const isNew = !this.#keys.has(key);
    this.#keys.add(key);
    return isNew;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }
}

/** A user's browser: cookies of the server, redirects that are not followed. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #send: World["send"];

  constructor(send: World["send"]) {
    this.#send = send;
  }

  async go(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await this.#send(
      new Request(url, { ...init, headers: { ...cookie && { cookie }, ...init.headers } }),
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Submits the consent page. */
  async submit(
    page: string,
    answer: string = "allow",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const [, request = ""] = /name="request" value="([^"]+)"/.exec(page) ?? [];
    return await this.go(`${ISSUER}/consent`, {
      method: "POST",
      body: new URLSearchParams({ request, answer }),
      headers: { origin: ISSUER, "sec-fetch-site": "same-origin", ...headers },
    });
  }
}

export type World = ReturnType<typeof createWorld>;

/** @param options Replace those of both replicas. */
export function createWorld(options: Partial<SignInOptions> = {}, replicas: number = 2) {
  const provider = new Provider();
  const clock = new FakeClock(Date.now());
  const log = new KeptLog();
  const createReplica = (): { readonly server: Server; readonly door: ReturnType<typeof signIn> } => {
    const door = signIn({
      provider: oidc({ issuer: PROVIDER, clientId: "toolwire-at-idp", clientSecret: "secret-at-idp" }),
      resource: RESOURCE,
      keys: KEYS,
      scopes: ["docs:read", "docs:write"],
      fetch: provider.fetch,
      ...options,
    });
    const server = createServer({
      tools: [
        defineTool("whoami").describe("Say who calls").handle((_, { principal }) => principal),
        defineTool("write").describe("Write").scopes("docs:write").handle(() => "written"),
        defineTool("upstream").describe("Use the provider's token").handle(async (_, ctx) => {
          return (await door.upstreamTokens(ctx))?.accessToken ?? "none";
        }),
      ],
      wires: [mcp(), mcpLite({ path: "/mcp/lite" }), ...door.wires],
      auth: door.auth,
      logger: log,
      clock,
    });
    return { server, door };
  };
  const servers = Array.from({ length: replicas }, createReplica).map(({ server }) => server);
  let turn = 0;
  const send = (request: Request): Promise<Response> => servers[turn++ % servers.length]!.fetch(request);
  return { provider, clock, log, servers, send, browser: () => new Browser(send), createReplica };
}

/** Registers a client, and returns its id. */
export async function register(world: World, metadata: object = {}): Promise<string> {
  const response = await post(world, "/register", { client_name: "Client", redirect_uris: [REDIRECT], ...metadata });
  strictEqual(response.status, 201);
  return (await response.json()).client_id;
}

export function post({ send }: Pick<World, "send">, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return send(new Request(`${ISSUER}${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

export type Parameters = Readonly<Record<string, string | undefined>>;

/** URL of an authorization request. */
export function authorizeUrl(clientId: string, others: Parameters = {}): URL {
  const url = new URL(`${ISSUER}/authorize`);
  const all = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "state of the client",
    resource: RESOURCE,
    scope: "docs:read docs:write",
    ...others,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

export function locationOf(response: Response): URL {
  strictEqual(response.status, 303);
  return new URL(response.headers.get("location")!);
}

/** A browser signs in. Returns the URL of the client that it arrives at. */
export async function signInWith(world: World, browser: Browser, url: URL): Promise<URL> {
  const page = await browser.go(url);
  strictEqual(page.status, 200);
  const upstream = locationOf(await browser.submit(await page.text()));
  return locationOf(await browser.go(world.provider.authorize(upstream)));
}

/** A token request of a client. */
export function requestToken(
  { send }: Pick<World, "send">,
  form: Parameters,
  path: string = "/token",
): Promise<Response> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  return send(new Request(`${ISSUER}${path}`, { method: "POST", body }));
}

/** Parameters of a token request with a code. */
export function codeForm(clientId: string, arrived: URL, others: Parameters = {}): Parameters {
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    code: arrived.searchParams.get("code")!,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    resource: RESOURCE,
    ...others,
  };
}

/** A whole sign-in: the client, and the response of the token endpoint. */
export async function obtain(world: World, others: Parameters = {}) {
  const clientId = await register(world);
  const arrived = await signInWith(world, world.browser(), authorizeUrl(clientId, others));
  const response = await requestToken(world, codeForm(clientId, arrived));
  strictEqual(response.status, 200);
  return { clientId, arrived, tokens: await response.json() };
}

/** Calls a tool by MCP-lite, and returns status and content. */
export async function call({ send }: Pick<World, "send">, tool: string, token: string) {
  const response = await send(
    new Request(`${RESOURCE}/lite/calltools`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } }),
    }),
  );
  const { result, error } = await response.json();
  return { status: response.status, content: result?.content, error };
}

/** Error code of a response of the token endpoint. */
export async function errorOf(response: Response): Promise<string> {
  strictEqual(response.status, 400);
  return (await response.json()).error;
}
